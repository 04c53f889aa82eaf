"""Made-up tables in which every claim of the paper holds and every defect of print shows; and the claims themselves."""

import made_up_heads
import made_up_layers
import pandas as pd

from attnsvm.pipeline import cards

CLAIMS = {card.name: card.module("claims").CLAIMS for card in cards.claiming()}
BY_KEY = {claim.key: (experiment, claim) for experiment, own in CLAIMS.items() for claim in own}
EXPERIMENTS = ("svm_rank", "cone", "feasibility")  # of which certificates are made up


def shares(rows):
    return pd.DataFrame(rows).assign(instances=500).pipe(lambda t: t.assign(low=t.share - 0.02, high=t.share + 0.02))


def convergence(x, values):
    """Types at two values of `x`: a global share for each; 2 % not local at the first."""
    rows = []
    for shape in ({"n": 3, "T": 3}, {"n": 5, "T": 5}):
        for p in ("W", "KQ"):
            for k, (at, glob) in enumerate(values.items()):
                base = {**shape, "d": 10, x: at, "parametrisation": p}
                lost = 0.004 if k == 0 else 0.0
                kinds = {"global": glob, "local": 1 - lost, "not_local": lost, "not_saturated": 0, "all_support": 0.5}
                kinds["all_support_not_global"] = 0.0
                rows += [{**base, "type": kind, "share": share} for kind, share in kinds.items()]
    return shares(rows)


def local():
    ends = {("W", "corr_fro"): 0.99, ("W", "corr_nuc"): 0.8, ("KQ", "corr_fro"): 0.8, ("KQ", "corr_nuc"): 0.99}
    rows = [{"parametrisation": p, "quantity": q, "step": 100, "mean": v} for (p, q), v in ends.items()]
    return pd.DataFrame(rows).assign(std=0.05, instances=100)


def rank():
    rows = []
    for norm in ("fro", "nuc"):
        for d, feasible in ((2, 0), (10, 100)):
            base = {"n": 5, "T": 5, "d": d, "norm": norm, "instances": 100}
            own = {"rank_mean": 3.0, "rank_max": 4, "outside_max": 1e-15} if feasible else {}
            rows.append({**base, "method": "certified", "feasible": feasible, "rank_std": 0.5, **own})
            drawn = 1.0 if not feasible else 4.9 if norm == "nuc" else 3.0
            rows.append({**base, "method": "published", "feasible": feasible, "rank_std": 0.5, "rank_mean": drawn})
    return pd.DataFrame(rows)


def growth():
    rows = []
    for condition in ("all_support", "equal_scores", "neither", "contradicting"):
        for seed in range(20):
            for step, norm in ((1, 1.0), (1000, 8.0), (10000, 10.0)):
                settled = condition == "contradicting"
                row = {"condition": condition, "seed": seed, "step": step, "norm": 3.0 if settled else norm}
                rows.append(row | {"gradient_norm": 1e-9 if settled else 1e-4})
    return pd.DataFrame(rows)


def multi():
    rows = [
        {"d": d, "panel": "curve", "solution": name, "step": 2001, "value": value}
        for d in (4, 10)
        for name, value in (("svmeq", 0.006), ("svmeq_norm", 0.008), ("mm", 0.05), ("one_token", 0.1))
    ]
    rows += [
        {"d": 10, "panel": "scatter", "solution": "svmeq", "step": 2001, "value": 0.006 + 1e-4 * (s % 3), "seed": s}
        for s in range(30)
    ]
    return pd.DataFrame(rows).assign(accepted=30, tried=300)


def tables():
    """A made-up set of tables in which every claim of the paper holds and every defect of print shows."""
    types = convergence("d", {2: 0.3, 64: 0.99})
    return {
        "feasibility": shares(
            {"n": 5, "T": 5, "d": d, "attention": a, "alpha": alpha, "share": 0.5 if d < 5 else 1.0}
            for d in (3, 5, 8)
            for a in ("cross", "self")
            for alpha in ("optimal", "random", "worst")
        ),
        "svm_rank": rank(),
        "normalisation": pd.DataFrame(
            {
                "normalisation": kind,
                "parametrisation": p,
                "step": k,
                "mean": v,
                "median": v / k,
                "low": v / 2,
                "high": 2 * v,
            }
            for kind in ("published", "exact")
            for p, v in (("W", 1e-6), ("KQ", 4e-3))
            for k in (1, 10, 100)
        ).assign(instances=100),
        "local_convergence": local(),
        "convergence_types": types,
        "self_attention": pd.concat(
            [local().assign(experiment="self_local_convergence"), types.assign(experiment="self_convergence_types")]
        ),
        "token_count": convergence("T", {2: 0.99, 24: 0.5}).query("n == 5"),
        "norm_growth": growth(),
        "cone": shares(
            {"kind": kind, "R": R, "mu": mu, "end": end}
            | {"share": R / 1000 - mu / 10 if kind == "locally_optimal" else 0.0}
            for kind in ("locally_optimal", "not_locally_optimal")
            for R in (500.0, 1000.0)
            for mu in (0.0, 0.1)
            for end in ("stayed", "converged")
        ),
        "regularisation_path": pd.DataFrame(
            {"norm": norm, "R": R, "distance": (1 + 0.01 * s) / R, "gap": 1e-9, "seed": s}
            for norm in ("fro", "nuc")
            for R in (1.0, 10.0, 100.0, 1000.0)
            for s in range(5)
        ),
        "multi_token": multi(),
        "penalised_head": pd.DataFrame(
            {"lambda": x, "selected": k, "optimal": k, "solution": name, "value": v, "seed": s}
            for k, x in ((3, 0.1), (5, 1.0))
            for name, v in (("mm", 0.02), ("svmeq", 0.01))
            for s in range(10)
        ),
        "sequence": pd.DataFrame(
            {"attention": a, "parametrisation": p, "step": 100, "mean": 0.999, "std": 0.001, "instances": 100}
            for a in ("sequence", "causal")
            for p in ("W", "KQ")
        ),
        "positional": pd.DataFrame(
            {"tokens": t, "quantity": "norm", "seed": s, "value": v}
            for t, v in (("plain", 3.0), ("encoded", 4.0), ("added", 5.0))
            for s in range(50)
        ),
        **{name: make() for name, make in made_up_heads.TABLES.items()},
        **{name: make() for name, make in made_up_layers.TABLES.items()},
    }
