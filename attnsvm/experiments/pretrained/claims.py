"""What is left of three claims about the encoder's heads, each beside the control that could kill it."""

import numpy as np

from attnsvm.analysis.statistics import mean_interval
from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import ends, last, single

SINK = 0.5  # share of inputs in which a head selects a delimiter, from which on it attends to them
APART = 0.02  # 1 − correlation that tells one norm's solution from the other's: an angle of 11°


def _share(tables, kind, norm):
    rows = tables.own(part="share", quantity="alignment")
    rows = rows[(rows["kind"] == kind) & (rows["norm"] == norm)]
    return single(some(rows, f"head with a certified solution, {norm}, {kind}"))


def beats_permuted(tables, least):
    fro, nuc = (_share(tables, "permuted", norm) for norm in ("fro", "nuc"))
    parts = {
        f"Frobenius norm ({fro['value']:.2f})": fro["low"] >= least,
        f"nuclear norm ({nuc['value']:.2f})": nuc["low"] >= least,
    }
    worst = min(fro, nuc, key=lambda row: row["low"])
    return Reading(worst["value"], worst["low"], worst["high"], int(worst["instances"]), parts)


def beats_random(tables, most):
    fro, nuc = (_share(tables, "random", norm) for norm in ("fro", "nuc"))
    parts = {
        f"Frobenius norm ({fro['value']:.2f})": fro["high"] <= most,
        f"nuclear norm ({nuc['value']:.2f})": nuc["high"] <= most,
    }
    worst = max(fro, nuc, key=lambda row: row["high"])
    return Reading(worst["value"], worst["low"], worst["high"], int(worst["instances"]), parts)


def _paired(rows, kind, inputs):
    """Held-out prediction of every head minus that of a control, at this number of fitted sentences; by head."""
    own = rows[(rows["kind"] == "head") & (rows["inputs"] == inputs)].set_index(["layer", "head"])["value"]
    other = rows[(rows["kind"] == kind) & (rows["inputs"] == inputs)].set_index(["layer", "head"])["value"]
    return some((own - other).dropna(), f"head to compare with {kind} at {inputs} inputs")


def held_out(tables, least):
    rows = tables.own(part="head", quantity="predicted", norm="fro")
    few, many = (int(row["inputs"]) for row in ends(rows[rows["kind"] == "head"].sort_values("inputs"), "inputs"))
    lead = {kind: _paired(rows, kind, many) for kind in ("random", "permuted", "rule")}
    seen = {kind: _mean(values) for kind, values in lead.items()}
    growth = _mean((lead["random"] - _paired(rows, "random", few)).dropna())
    parts = {
        f"above random heads ({seen['random'][0]:+.3f})": seen["random"][1] > least,
        f"above permuted selections ({seen['permuted'][0]:+.3f})": seen["permuted"][1] > least,
        f"above the best rule that reads no token ({seen['rule'][0]:+.3f})": seen["rule"][1] > least,
        f"the lead over random heads grows from {few} to {many} inputs ({growth[0]:+.3f})": growth[1] > 0,
    }
    return Reading(*seen["random"], len(lead["random"]), parts)


def sink(tables, least):
    rows, chosen = (tables.own(part="head", quantity=quantity) for quantity in ("margin_ratio", "delimiter"))
    attends = chosen[chosen["value"] >= SINK].set_index(["layer", "head"]).index
    ratios = rows[rows["kind"] == "random"].set_index(["layer", "head"])
    ratios = some(ratios[ratios.index.isin(attends)], "head that selects a delimiter in half of the inputs")
    whole, plain = (np.log(ratios[ratios["tokens"] == tokens]["value"]) for tokens in ("all", "plain"))
    whole, plain = some(whole, "such head with all tokens"), some(plain, "such head without delimiters")
    wide, left, drop = (np.exp(_mean(values)) for values in (whole, plain, (whole - plain).dropna()))
    parts = {
        f"wider than that of random heads ({wide[0]:.2f} times)": wide[1] > least,
        f"not once delimiters cannot be selected ({left[0]:.2f} times)": left[1] <= least,
        f"the delimiters make the difference ({drop[0]:.2f} times)": drop[1] > least,
    }
    return Reading(*wide, len(whole), parts)


def _trained(tables, kind, own, other, most):
    rows = tables.own()
    rows = rows[(rows["part"] == "trained") & (rows["kind"] == kind)]
    rows = last(some(rows, f"trained run of {kind} with both SVMs")).set_index("norm")
    near, far = rows.loc[own], rows.loc[other]
    parts = {
        "the upper quartile is within the threshold": near["high"] <= most,
        f"the other norm's solution is farther ({far['value']:.2g})": far["low"] > max(near["high"], APART),
    }
    return Reading(near["value"], near["low"], near["high"], int(near["instances"]), parts)


def trained_W(tables, most):
    return _trained(tables, "W", "fro", "nuc", most)


def trained_KQ(tables, most):
    return _trained(tables, "KQ", "nuc", "fro", most)


def _mean(values):
    return np.array(mean_interval(values.mean(), values.std(ddof=1), len(values)))


CLAIMS = (
    Claim(
        key="pretrained_permuted",
        group="beyond",
        short="encoder heads: SVMs, beside permutations",
        statement="Beside permuted selections, nearly every head of a pretrained encoder is aligned with the SVM of "
        "what it selects.",
        check="share of heads whose alignment is above the mean of permuted selections, both norms, Wilson interval; "
        "the worse norm is shown",
        threshold=0.9,
        why="nearly every head; by chance half of them would",
        measured="share of heads above permuted selections",
        wanted="≥ {}",
        read=beats_permuted,
    ),
    Claim(
        key="pretrained_random",
        group="beyond",
        short="encoder heads: random heads align as well",
        statement="Random heads with the same singular values kill that claim: beside them, alignment with the SVM "
        "sets no large majority of heads apart.",
        check="share of heads whose alignment is above the mean of random heads with selections of their own, both "
        "norms, Wilson interval; the higher share is shown",
        threshold=0.75,
        why="if training made the alignment, nearly all heads would be above; by chance half of them are",
        measured="share of heads above random heads",
        wanted="≤ {}",
        read=beats_random,
    ),
    Claim(
        key="pretrained_held_out",
        group="beyond",
        short="encoder heads: the SVM predicts selections",
        statement="The SVM of what a head selects predicts its selections on new sentences better than the controls "
        "do, more so with more fitted sentences.",
        check="held-out prediction of the head's solution minus that of random heads (theirs, from theirs), of "
        "permuted selections and of the best rule that reads no token; mean over heads and its 95 % interval",
        threshold=0.05,
        why="one held-out sentence in twenty: more than the resolution of the held-out sentences",
        measured="lead over random heads, share of held-out sentences, mean",
        wanted="> {}",
        read=held_out,
    ),
    Claim(
        key="pretrained_sink",
        group="beyond",
        short="encoder heads: the sink is the margin",
        statement="Heads that attend to delimiters have wider margins than random heads, and no longer once "
        "delimiters cannot be selected.",
        check="margin of the certified solution relative to that of random heads, geometric mean over heads that "
        "select a delimiter in half of the inputs, and its 95 % interval; with delimiters and without",
        threshold=1.0,
        why="a ratio of one is no difference; the interval decides",
        measured="margin relative to random heads, geometric mean",
        wanted="> {}",
        read=sink,
    ),
    Claim(
        key="pretrained_W",
        group="beyond",
        short="encoder tokens: W to Frobenius",
        statement="Trained by us on tokens of the encoder under a random prediction head, W goes to the Frobenius-norm "
        "SVM of what it selects.",
        check="1 − correlation after the last step, median over runs and quartiles; against the other norm's solution",
        threshold=1e-3,
        why="an angle of 2.6°",
        measured="1 − correlation with the Frobenius solution, median",
        wanted="≤ {}",
        read=trained_W,
    ),
    Claim(
        key="pretrained_KQ",
        group="beyond",
        short="encoder tokens: (K, Q) to nuclear",
        statement="Trained as (K, Q) on the same tokens, attention goes to the nuclear-norm SVM of what it selects.",
        check="1 − correlation after the last step, median over runs and quartiles; against the other norm's solution",
        threshold=0.02,
        why="an angle of 11°: the nuclear norm's direction is approached more slowly",
        measured="1 − correlation with the nuclear solution, median",
        wanted="≤ {}",
        read=trained_KQ,
    ),
)
