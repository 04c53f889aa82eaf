"""The induction circuit: whether descent finds it, where its layers go, how fast, and what prevents it."""

from attnsvm.audit.numbers import Limit, each, estimate
from attnsvm.audit.reading import Claims, Reading
from attnsvm.audit.rows import last, one
from attnsvm.experiments.beyond.induction.runs import SLOW, TASK

SHARE = "share formed"
RIVALS = ("answer's row", "moved")
SMALL, LARGE, FAST, FEW, FALSE = "start times 0.25", "start times 16", "norm each, 1:1", "24 inputs", "permuted answers"
CLAIMS = Claims(group="beyond")


def ends(tables):
    """A function that gives a number by run and quantity: after the last step, a share after the last of all runs."""
    table = tables.own()
    common = table.groupby("run")["step"].max().min()

    def at(run, quantity):
        rows = table[table["run"] == run]
        rows = rows[rows["step"] == common] if quantity == SHARE else last(rows)
        return estimate(one(rows, f"measured instance of the run '{run}'", run=run, quantity=quantity))

    return at


def rows(tables, asked, query, first, none):
    at = ends(tables)
    every = at(TASK, "part, answer's row")
    parts = {
        "the answer's row, against all tokens": asked(every),
        "the query's row": query(at(TASK, "part, query's row")),
        "another row, against the first place": first(at(TASK, "part, other rows, first place")),
        "another row, against other tokens: never": none(at(TASK, "part, other rows, other tokens")),
    }
    return Reading(*every, parts)


@CLAIMS.add(
    short="descent finds the induction circuit",
    statement="On … A B … A two layers trained from small random weights become the induction circuit: a row below "
    "attends to the place before its own, and the top to the place behind the first A, in all inputs.",
    check="share of instances whose two largest probabilities are at these places in all inputs, with its 95 % Wilson "
    "interval; the same with answers that are symbols of the input at random",
    measured="share of instances that form the circuit",
    asked=Limit(0.75, "lower end ≥ {}", "three starts of four, whatever 32 instances leave open"),
    false=Limit(0.25, "upper end with permuted answers ≤ {}", "the same distance from none"),
)
def induction_forms(tables, asked, false):
    at = ends(tables)
    found, control = at(SMALL, SHARE), at(FALSE, SHARE)
    parts = {"in the share asked of all starts": asked(found), "not with answers at random": false(control)}
    return Reading(*found, parts)


@CLAIMS.add(
    short="what decides whether it forms",
    statement="A large start prevents the circuit, and so do a layer below that moves as fast as the top, and few "
    "inputs: each moves the softmax below before the top can say where to.",
    check="shares of instances that form it, 95 % Wilson intervals that must not overlap: start times 0.25 against 16; "
    "a norm for each layer, steps 1:10 against 1:1; all inputs against 24",
    measured="share from a start times 16",
    asked=Limit(0.25, "upper end ≤ {}", "as `induction_forms` asks of its control"),
)
def induction_decides(tables, asked):
    at = ends(tables)
    pairs = {
        "a large start prevents it": (SMALL, LARGE),
        "a layer below as fast as the top prevents it": (SLOW, FAST),
        "a third of the inputs does not suffice": (TASK, FEW),
    }
    found = {words: (at(a, SHARE), at(b, SHARE)) for words, (a, b) in pairs.items()}
    parts = {words: b.high < a.low for words, (a, b) in found.items()}
    lost = found["a large start prevents it"][1]
    return Reading(*lost, parts | {"hardly ever from a large start": asked(lost)})


@CLAIMS.add(
    short="each layer goes to its SVM",
    statement="In the circuit W_2 goes to the SVM of the answer's place among the composed tokens, and the layer "
    "below, which only keys read, grows along the SVM with margin 1 where the margin of the top gains by it.",
    check="medians of 1 − correlation with their 95 % intervals: of W_2, and of what W_1 grows by while ‖W‖ doubles; "
    "the largest of both, and of both ways to divide by a norm",
    measured="largest median 1 − correlation",
    asked=Limit(0.01, "upper end ≤ {}", "a correlation of .99; each rival must have an interval above the law's"),
)
def induction_layers(tables, asked):
    at = ends(tables)
    found = {f"{run}, {of}": at(run, of) for run in (TASK, SLOW) for of in ("top", "growth, needed")}
    parts = each(found, "{}: upper end inside the limit", asked)
    for run in (TASK, SLOW):
        for rival in RIVALS:
            parts[f"{run}, {rival}: farther"] = at(run, f"growth, {rival}").low > at(run, "growth, needed").high
    return Reading(*asked.worst(found), parts)


@CLAIMS.add(
    short="a layer for keys grows like 2 log R",
    statement="Divided by one norm, the layer below grows as 2 log‖W‖ times its SVM: its smaller probabilities fall as "
    "‖W‖^−2, not as ‖W‖^−1 as those of held rows do.",
    check="what W_1 grows by while ‖W‖ doubles, over the logarithm of the ratio of norms and ‖W_1 of the SVM‖: median "
    "and 95 % interval; with a norm for each layer it must be larger",
    measured="median pace, in units of log‖W‖",
    asked=Limit(0.25, "distance of both ends from 2 ≤ {}", "a quarter of the way to the law of held rows, 1"),
    other=Limit(4.0, "pace with a norm for each layer ≥ {}", "twice the logarithm's"),
)
def induction_logarithm(tables, asked, other):
    at = ends(tables)
    pace = at(TASK, "pace")
    parts = {
        "the whole interval within the limit of 2": asked(pace.off(2.0)),
        "with a norm for each layer it is no logarithm": other(at(SLOW, "pace")),
    }
    return Reading(*pace, parts)


@CLAIMS.add(
    short="the gradient's size has no parameter",
    statement="Divided by one norm, the probabilities p of the layer below and what the margin of the top gains by "
    "them, F, obey ‖W‖² Σ F p → 2‖U‖², U its SVM.",
    check="‖W‖² Σ F p/(2‖U‖²) after the last step: median and 95 % interval; it vanishes with a norm for each",
    measured="force over that of the law",
    asked=Limit(0.25, "distance of both ends from 1 ≤ {}", "as `induction_logarithm` asks"),
    other=Limit(0.5, "upper end with a norm for each layer ≤ {}", "beyond that limit"),
)
def induction_force(tables, asked, other):
    at = ends(tables)
    found = at(TASK, "force")
    parts = {
        "the whole interval within the limit of 1": asked(found.off(1.0)),
        "not with a norm for each layer": other(at(SLOW, "force")),
    }
    return Reading(*found, parts)


CLAIMS.add(
    key="induction_rows",
    short="which rows count at which query",
    statement="The margin of the top gains by the row at the answer's place against all tokens, by the query's row, "
    "and by other rows against the first place alone.",
    check="part of the tokens of these rows by whose loss the margin gains, medians with 95 % intervals",
    measured="median part of the tokens at the answer's row",
    asked=Limit(1.0, "lower end ≥ {}", "all tokens, in at least half of the instances"),
    query=Limit(0.5, "part of the tokens of the query's row ≥ {}", "most of them"),
    first=Limit(0.0, "part of other rows at the first place > {}", "those behind it"),
    none=Limit(0.0, "part of the other tokens of other rows ≤ {}", "none of them"),
    read=rows,
)
