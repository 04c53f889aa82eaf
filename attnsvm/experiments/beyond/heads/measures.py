"""Every head against the SVM of its selection, all heads against their block problem; per instance and step."""

import numpy as np
import pandas as pd

from attnsvm.analysis.directions import correlation
from attnsvm.analysis.margins import smallest_margin
from attnsvm.analysis.measured import Measures, all_solved, by_quantity, outcomes
from attnsvm.analysis.medians import quartiles, with_means
from attnsvm.analysis.rows import last, where
from attnsvm.analysis.selection import optimal_tokens, selected_tokens
from attnsvm.analysis.statistics import ratio

COLUMNS = ["normalisation", "heads", "quantity", "seed", "step", "value"]


def measures(cell, problems, trained, solved, settings):
    frames, ends = [pd.DataFrame(columns=COLUMNS)], []
    for name, run in trained.items():
        answers = solved[name]
        own = [answers["heads"][str(h)] for h in range(len(answers["heads"]))]
        proved = all_solved((*own, answers["block"]))
        saturated = run["probabilities"].max(-1).min((1, 2)) >= settings["saturated"]
        kept = proved & saturated
        words = [f"{name} without SVM", f"{name} unsaturated"]
        outcome = np.select([~proved, ~saturated], words, f"{name} measured")
        ends.append(outcomes(cell, problems.seeds, outcome))
        if not kept.any():
            continue
        solutions = np.stack([one["W"][kept] for one in own], 1), answers["block"]["W"][kept]
        values = _values(problems[kept], run["weights"][kept], run, kept, *solutions)
        normalisation, count = name.split("_")
        columns = {"normalisation": normalisation, "heads": int(count)}
        frames.append(by_quantity(problems.seeds[kept], run["steps"], values, **columns))
    found = pd.concat(frames[1:] or frames)
    return Measures(found.astype({"heads": int, "step": int, "value": float}), pd.concat(ends))


def _values(problems, W, run, kept, own, block):
    """By quantity, (S, L): W (S, L, H, d, d) against the heads' solutions (S, H, d, d) and the block's (S, Hd, Hd)."""
    S, L, H, d, _ = W.shape
    distance = 1.0 - correlation(W, own[:, None])
    size, least = np.linalg.norm(W, axis=(3, 4)), np.linalg.norm(own, axis=(2, 3))
    logs = np.log(size / least[:, None])
    blocks = np.stack([block[:, h * d : (h + 1) * d, h * d : (h + 1) * d] for h in range(H)], 1)
    stacked = W.reshape(S, L, H * d, d), blocks.reshape(S, 1, H * d, d)
    selected = selected_tokens(run["probabilities"][kept])
    margin = [smallest_margin(problems.tokens, problems.queries, W[:, :, h], selected[:, h]) for h in range(H)]
    total = np.sqrt((size**2).sum(2))
    reached = np.min(margin, axis=0) / total
    vectors = run["vectors"][kept]
    best = [optimal_tokens(problems.tokens, vectors[:, h], problems.labels) == selected[:, h] for h in range(H)]
    own_least = np.sqrt((least**2).sum(1))
    found = {
        "head": distance.mean(2),
        "worst_head": distance.max(2),
        "ratios": logs.max(2) - logs.min(2),
        "block": 1.0 - correlation(*stacked),
        "block_ratio": reached * np.linalg.norm(block, axis=(1, 2))[:, None],
        "margin": reached,
        "margin_per_head": reached * np.sqrt(H),
        "best_margin": 1.0 / own_least[:, None] + np.zeros((S, L)),
        "global_heads": np.mean([b.all(1) for b in best], axis=0)[:, None] + np.zeros((S, L)),
        "optimal_inputs": np.mean([b.mean(1) for b in best], axis=0)[:, None] + np.zeros((S, L)),
    }
    if H > 1:  # control: each head against the solution of the next one
        found["other_head"] = 1.0 - correlation(W, np.roll(own, 1, axis=1)[:, None]).mean(2)
    return found


def table(measures, settings):
    keys = ["normalisation", "heads", "quantity", "step"]
    return pd.concat([with_means(quartiles, measures.instances, keys), pd.DataFrame(_over_one(measures.instances))])


def _over_one(instances):
    """What several heads under one norm have, over what one head has in the same instances after the last step."""
    for quantity in ("best_margin", "margin"):
        rows = last(where(instances, normalisation="joint", quantity=quantity))
        wide = rows.pivot(index="seed", columns="heads", values="value")
        for heads in wide.columns[1:] if 1 in wide else ():
            own = wide[[1, heads]].dropna()
            names = {"normalisation": "joint", "heads": heads, "step": rows["step"].max()}
            yield names | {"quantity": f"{quantity} over one"} | ratio(own[heads], own[1])
            yield names | {"quantity": f"{quantity} over one, √H times"} | ratio(own[heads] * np.sqrt(heads), own[1])
