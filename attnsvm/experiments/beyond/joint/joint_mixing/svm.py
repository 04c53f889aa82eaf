"""The graded SVM of W from v alone: an input is asked for the margin max(0, 1 − κ(N − min N)/ρ) at its better token.

ρ is the number at which ρ times the solution has the norm one: it is unique (docs/theory.md). Inputs that mix are asked
for zero, as others that v has separated far enough; W tells only which tokens take part.

even      margin one throughout: where the search of ρ starts
steps     Newton's steps of this search
graded    the solution
shuffled  a control: its margins, each given to the next input
"""

import numpy as np

from attnsvm.experiments.beyond.joint.joint_mixing.ends import choice
from attnsvm.svm.constraints import separation
from attnsvm.svm.solution import as_arrays
from attnsvm.svm.solver import solve_batch

SEARCH = 4  # Newton's steps, of a function that is convex and, but for few corners, quadratic


def svm(problems, trained, settings):
    """The answers by rate and step; after the last step with what the law of mixtures reads."""
    found = {}
    for rate, run in trained.items():
        steps = run["steps"].tolist()
        for place, step in enumerate(steps):
            answers, law = solved(problems, choice(problems, run["W"][:, place], run["v"][:, place]))
            found[f"{rate} {step}"] = answers | (law if step == steps[-1] else {})
    return found


def solved(problems, made) -> tuple[dict, dict]:
    """The answers; and the multipliers of `graded` by token, "multipliers" (S, n, T), and "rho", ρ (S,)."""
    S, n, T = made.p.shape

    def answers(bound):
        each = zip(problems.tokens, problems.queries, made.preferred, bound, strict=True)
        return as_arrays(solve_batch([separation(*one[:3], bound=one[3]) for one in each]))

    found = {"even": answers(np.ones((S, n)))}
    lost = np.arange(T) != made.preferred[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):  # an instance without a solution
        rho = 1.0 / np.linalg.norm(found["even"]["W"], axis=(1, 2))
        for step in range(SEARCH):
            bound = margins(made.lead, rho)
            one = found[f"steps {step}"] = answers(bound)
            size = rho * np.linalg.norm(one["W"], axis=(1, 2))
            asking = np.broadcast_to((bound > 0)[..., None], lost.shape)[lost].reshape(S, -1)
            slope = size * (one["dual"] * asking).sum(1)  # of ½ size²
            rho = rho - (size**2 - 1.0) / (2.0 * slope)
        bound = margins(made.lead, rho)
    found |= {"graded": answers(bound), "shuffled": answers(np.roll(bound, 1, axis=1))}
    dual = np.zeros(made.p.shape)
    dual[lost] = found["graded"]["dual"].ravel()
    return found, {"multipliers": dual, "rho": rho}


def margins(lead: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """What is asked of every input, (S, n); one where there is no ρ."""
    return np.nan_to_num(np.maximum(0.0, 1.0 - lead / rho[:, None]), nan=1.0)
