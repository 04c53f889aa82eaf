"""Is it easy to make an SVM overfit? What flipped labels cost, what training on costs, and what ends it."""

from attnsvm.audit.reading import Claim, NoInstance, Reading, only, some
from attnsvm.audit.rows import single

TOKENS = {"gaussian": "Gaussian tokens", "digits": "digits"}
HALF = 0.5  # of a rule that knows v and not the label


def fitted(table, tokens):
    """The largest n where flipped labels have a solution in most instances, and how many have."""
    rows = table[(table["variant"] == f"{tokens}_flipped") & (table["quantity"] == "fitted")]
    return single(some(rows, f"n where flipped labels are separable, {TOKENS[tokens]}"))


def at(table, variant, n, by, quantity):
    rows = only(table, variant=variant, n=n)
    rows = rows[(rows["by"] == by) & (rows["quantity"] == quantity)]
    return single(some(rows, f"{quantity} of {by} with {variant}, n = {n}"))


def number(row):
    return f"{row['value']:.2g} [{row['low']:.2g}, {row['high']:.2g}]"


def overfit(tables, least):
    """What flipped labels cost the Frobenius solution on new inputs where it fits every one of them."""
    table, drops, parts = tables.own(), {}, {}
    for tokens, name in TOKENS.items():
        fits = fitted(table, tokens)
        n = fits["n"]
        drops[tokens] = drop = at(table, f"{tokens}_flipped", n, "fro", "drop")
        parts[f"{name}, n = {n}: flipped labels fitted in {number(fits)} of the instances"] = fits["low"] > HALF
        parts[f"{name}: they cost {number(drop)} on new inputs"] = drop["low"] > least
        # Without them there must be something to lose.
        clean, chance = (at(table, f"{tokens}_clean", n, by, "held_out") for by in ("fro", "chance"))
        parts[f"{name}: {number(clean)} without them, above chance"] = clean["low"] > chance["value"]
    n = fitted(table, "gaussian")["n"]
    coins, clean = (at(table, f"gaussian_{labels}", n, "fro", "held_out") for labels in ("random", "clean"))
    fits = at(table, "gaussian_random", n, "fro", "separable")
    parts[f"labels that are coins are fitted too, in {number(fits)}"] = fits["low"] > HALF
    parts[f"and teach less than the rule's: {number(coins)}"] = coins["high"] < clean["low"]
    value = min(drops.values(), key=lambda row: row["value"])
    return Reading(value["value"], value["low"], value["high"], int(value["instances"]), parts)


def trained_on(tables, least):
    """What W loses on new inputs by training on, at the largest n where flipped labels are separable."""
    table, losses = tables.own(), {}
    for tokens, name in TOKENS.items():
        n = fitted(table, tokens)["n"]
        for labels, words in (("clean", "labels by the rule"), ("flipped", "labels flipped")):
            losses[f"{name}, {words}"] = at(table, f"{tokens}_{labels}", n, "W", "early")
    parts = {f"{name}: {number(loss)}": loss["low"] > least for name, loss in losses.items()}
    value = min(losses.values(), key=lambda row: row["value"])
    return Reading(value["value"], value["low"], value["high"], int(value["instances"]), parts)


def more_inputs(tables, least):
    """With the largest n: new inputs by the rule's labels, and whether flipped labels are still fitted."""
    table, ends, parts = tables.own(), {}, {}
    for tokens, name in TOKENS.items():
        sizes = sorted(only(table, variant=f"{tokens}_clean", by="fro", quantity="held_out")["n"])
        if len(sizes) < 2:
            raise NoInstance(f"second n, {name}")
        few, many = (at(table, f"{tokens}_clean", n, "fro", "held_out") for n in (sizes[0], sizes[-1]))
        ends[tokens] = many
        parts[f"{name}, n = {sizes[-1]}: {number(many)} of new inputs"] = many["low"] > least
        parts[f"{name}: more than with n = {sizes[0]}: {number(few)}"] = many["low"] > few["high"]
        fits = at(table, f"{tokens}_flipped", sizes[-1], "fro", "separable")
        parts[f"{name}: flipped labels cannot be fitted any more: {number(fits)}"] = fits["high"] < HALF
    value = min(ends.values(), key=lambda row: row["value"])
    return Reading(value["value"], value["low"], value["high"], int(value["instances"]), parts)


def low_rank(tables, least):
    """The lead of the nuclear solution over the Frobenius one on new inputs, where the rule has rank one."""
    table = tables.own()
    leads = table[table["quantity"] == "lead"]
    largest = {}
    for variant in ("gaussian_clean", "gaussian_full", "digits_clean"):
        rows = some(leads[leads["variant"] == variant], f"nuclear solution of {variant}")
        largest[variant] = single(rows[rows["n"] == rows["n"].max()])
    full = largest.pop("gaussian_full")
    parts = {f"{name}: {number(lead)}": lead["low"] > least for name, lead in largest.items()}
    parts[f"less where the rule has full rank: {number(full)}"] = full["high"] < largest["gaussian_clean"]["low"]
    value = min(largest.values(), key=lambda row: row["value"])
    return Reading(value["value"], value["low"], value["high"], int(value["instances"]), parts)


INTERVAL = "95 % interval of the mean over the instances"
CLAIMS = (
    Claim(
        key="easy_to_overfit",
        group="secondary",
        short="an SVM overfits easily",
        statement="It is easy to make an SVM overfit.",
        check="taken to mean that it selects every training token, labels flipped or not, and pays for it on new "
        f"inputs: share of new inputs, clean minus flipped labels, at the largest n where it fits; {INTERVAL}. "
        "Controls: it must select better than chance without flips, and labels that are coins must teach it less",
        threshold=0.0,
        why="the interval must lie above zero, on Gaussian tokens and on digits",
        measured="share of new inputs that flipped labels cost, the smaller of Gaussian tokens and digits",
        wanted="> {}",
        read=overfit,
    ),
    Claim(
        key="overfit_by_training",
        group="beyond",
        short="training on overfits",
        statement="W selects new inputs better if training stops early.",
        check="share of new inputs, after about ten steps minus after the last; the smallest of Gaussian tokens and "
        f"digits, labels flipped or not; {INTERVAL}",
        threshold=0.0,
        why="all four intervals must lie above zero",
        measured="share of new inputs that training on costs, the smallest of four",
        wanted="> {}",
        read=trained_on,
    ),
    Claim(
        key="overfit_ends",
        group="secondary",
        short="more inputs end it",
        statement="With enough inputs the SVM no longer overfits: the rule is learned, and flipped labels have no "
        "solution.",
        check=f"share of new inputs at the largest n, the smaller of Gaussian tokens and digits; {INTERVAL}; share of "
        "instances with flipped labels that are still separable there, Wilson interval",
        threshold=HALF,
        why="a rule that knows v and not the label is right half of the time at most",
        measured="share of new inputs that the Frobenius solution selects right",
        wanted="> {}",
        read=more_inputs,
    ),
    Claim(
        key="nuclear_generalises",
        group="beyond",
        short="a low-rank rule: nuclear knows more",
        statement="If the rule has rank one, the solution of least nuclear norm selects new inputs better than that "
        "of least Frobenius norm.",
        check="share of new inputs, nuclear minus Frobenius, instance by instance, at the largest n of both, the "
        f"smaller of Gaussian tokens and digits; {INTERVAL}. Control: a rule of full rank, for which it must be less",
        threshold=0.0,
        why="the intervals must lie above zero",
        measured="lead of the nuclear solution on new inputs",
        wanted="> {}",
        read=low_rank,
    ),
)
