"""Points and lines of the plane: what every layer sees, which rows count, and where W and its SVM separate."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.measured import gathered, outcomes
from attnsvm.analysis.selection import selected_sets, selected_tokens
from attnsvm.data.architecture import counting_rows
from attnsvm.system.errors import require

REACH = 10.0  # half the length of a separating line, in units of the longest token


@gathered
def measures(cell, problems, trained, solved, settings):
    chosen, top = selected_tokens(trained["below"])[:, :, 0], selected_tokens(trained["top"])[:, 0, :, 0]
    counts = counting_rows(chosen[:, :, None], selected_sets(trained["top"]), passed=True)
    for s, seed in enumerate(problems.seeds):
        for layer, answer in sorted(solved.items(), key=lambda one: int(one[0])):
            status = answer["status"][s]
            require(status == "solved", f"seed {seed}: layer {layer} has no certified solution: choose another")
            place = int(layer) - 1
            X, trained_W = trained["tokens"][s, place], trained["weights"][s, -1, place, 0]
            pairs = {"trained": trained_W, "svm": answer["W"][s]}
            last = place == len(chosen[s])
            rows = [(i, -1, top[s, i], problems.queries[s, i]) for i in range(cell.n)]
            if not last:
                rows = [
                    (i, q, chosen[s, place, i, q], X[i, q]) for i, q in zip(*np.nonzero(counts[s, place]), strict=True)
                ]
            found = points(X)
            for i, q, t, z in rows:
                found.append(choice(i, q, X[i], t))
                found += [separator(kind, i, q, X[i], t, W @ z) for kind, W in pairs.items()]
            along = float(correlation(trained_W, answer["W"][s]))
            yield pd.DataFrame(found).assign(layer=int(layer), correlation=along)
    yield outcomes(cell, problems.seeds, "drawn")


def points(X):
    """A row per token of X (n, T, 2)."""
    return [
        {"kind": "token", "input": i + 1, "token": t + 1, "x": x, "y": y}
        for i, one in enumerate(X)
        for t, (x, y) in enumerate(one)
    ]


def choice(i, q, X, t):
    """The row of softmax at position q (−1: the query of the top) selects token t of X (T, 2)."""
    place = {"kind": "choice", "input": i + 1, "row": q + 1, "token": t + 1, "x": X[t, 0], "y": X[t, 1]}
    return place | ({"from_x": X[q, 0], "from_y": X[q, 1]} if q >= 0 else {})


def separator(kind, i, q, X, t, direction):
    """The line across `direction` = W z, midway between the selected token and the next one: its two ends."""
    along = X @ direction
    middle = (along[t] + np.delete(along, t).max()) / 2
    foot = middle * direction / (direction @ direction)
    across = np.array([-direction[1], direction[0]]) / np.linalg.norm(direction)
    (x, y), (to_x, to_y) = foot - REACH * across, foot + REACH * across
    return {"kind": kind, "input": i + 1, "row": q + 1, "token": t + 1, "x": x, "y": y, "from_x": to_x, "from_y": to_y}


def table(measures, settings):
    columns = ["kind", "layer", "input", "row", "token", "x", "y", "from_x", "from_y", "correlation"]
    return measures.instances.reindex(columns=columns)
