"""From which dimension on can tokens be separated at all? For optimal, random and worst tokens."""

import numpy as np
import pandas as pd

from attnsvm.experiments.base import Experiment, Measures, certified, outcomes, pairs, share
from attnsvm.draws import gaussian

ATTENTIONS = ("cross", "self")
ALPHAS = ("optimal", "random", "worst")
RANDOM_STREAM = 30816  # keeps the random tokens apart from the data drawn with the same seed


class Feasibility(Experiment):
    def cells(self):
        return pairs(self.config["problems"])

    def problems(self, cell):
        return cell.draw(gaussian)

    def descent(self, problems, progress):
        return {}  # nothing is trained

    def svm(self, problems, descent):
        """The Frobenius solution or a Farkas certificate of each choice: feasibility is the same in every norm."""
        arrays = {}
        for alpha, selected in _choices(problems).items():
            for attention in ATTENTIONS:
                answers = certified(problems, selected, "fro", attention)
                arrays |= {f"{attention}_{alpha}_{name}": answers[name] for name in ("status", "gap", "residual")}
        return arrays

    def measures(self, cell, problems, descent, svm):
        frames, ends = [], []
        for attention in ATTENTIONS:
            for alpha in ALPHAS:
                status = svm[f"{attention}_{alpha}_status"]
                known = status != "uncertified"
                columns = {"n": cell.n, "T": cell.T, "d": cell.d, "attention": attention, "alpha": alpha}
                frame = pd.DataFrame({**columns, "seed": problems.seeds, "feasible": status == "solved"})
                frames.append(frame[known])
                ends.append(outcomes(cell, problems.seeds, np.char.add(f"{attention} {alpha} ", status)))
        return Measures(pd.concat(frames), pd.concat(ends))

    def table(self, measures):
        keys = ["n", "T", "d", "attention", "alpha"]
        return pd.DataFrame(
            {**dict(zip(keys, key, strict=True)), **share(int(group.feasible.sum()), len(group))}
            for key, group in measures.instances.groupby(keys, sort=False)
        )


def _choices(problems) -> dict[str, np.ndarray]:
    """The tokens to separate, (S, n) int each."""
    from attnsvm.selection import scores

    score = scores(problems.tokens, problems.head, problems.labels)
    T = score.shape[2]
    streams = (np.random.default_rng([RANDOM_STREAM, seed]) for seed in problems.seeds)
    drawn = [stream.integers(T, size=score.shape[1]) for stream in streams]
    return {
        "optimal": score.argmax(-1),
        "random": np.array(drawn, dtype=int).reshape(score.shape[:2]),
        "worst": score.argmin(-1),
    }


EXPERIMENT = Feasibility
