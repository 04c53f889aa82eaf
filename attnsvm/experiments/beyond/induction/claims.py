"""The induction circuit: whether descent finds it, where its layers go, how fast, and what prevents it."""

from attnsvm.audit.conditions import LAST, number
from attnsvm.audit.evaluation import Claims, Reading
from attnsvm.audit.numbers import Limit
from attnsvm.experiments.beyond.induction.runs import SLOW, TASK

SMALL, LARGE, FAST, FEW, FALSE = "start times 0.25", "start times 16", "norm each, 1:1", "24 inputs", "permuted answers"
end = number(step=LAST, missing="measured instance of the run '{run}'")
CLAIMS = Claims(group="beyond")


def formed(tables):
    """A function that gives the share of a run that forms the circuit, after the last step that all runs have."""
    table = tables.own(quantity="share formed")
    common = table.groupby("run")["step"].max().min()
    return lambda run: end(run=run, step=common).estimate(table)


@CLAIMS.add(
    short="descent finds the induction circuit",
    statement="On … A B … A two layers trained from small random weights become the induction circuit in all inputs.",
    measured="share of instances whose two largest probabilities are at these places in all inputs",
    limit=Limit(0.75, "lower end ≥ {}", "three starts of four, whatever 32 instances leave open"),
    false=Limit(0.25, "upper end with permuted answers ≤ {}", "the same distance from none"),
)
def induction_forms(tables, limit, false):
    found, control = map(formed(tables), (SMALL, FALSE))
    forms, not_so = {"in the share asked of all starts": limit(found)}, {"not with answers at random": false(control)}
    return Reading(*found, forms, not_so)


@CLAIMS.add(
    short="what decides whether it forms",
    statement="A large start nearly prevents the circuit. It forms less often with a layer below as fast as the top, "
    "and with a third of the inputs.",
    measured="share of instances that form it, from a start times 16",
    limit=Limit(0.25, "upper end ≤ {}", "as `induction_forms` asks of its control"),
)
def induction_decides(tables, limit):
    """Starts times 0.25 against 16; a norm for each layer, steps 1:10 against 1:1; all inputs against 24."""
    at = formed(tables)
    pairs = {
        "less often from a large start": (SMALL, LARGE),
        "less often with a layer below as fast as the top": (SLOW, FAST),
        "less often with a third of the inputs": (TASK, FEW),
    }
    found = {words: (at(a), at(b)) for words, (a, b) in pairs.items()}
    parts = {words: b.high < a.low for words, (a, b) in found.items()}
    lost = found["less often from a large start"][1]
    return Reading(*lost, parts | {"hardly ever from a large start": limit(lost)})


GROWN, RIVALS = "growth, needed", ("answer's row", "moved")
CLAIMS.declare(
    "induction_layers",
    end(run=(TASK, SLOW), quantity=("top", GROWN), text="1 − correlation of W_2, and of what W_1 grows by").must(
        "upper end ≤ 0.01",
        "a correlation of .99; each rival must have an interval above the law's",
        "{run}, {quantity}: upper end inside the limit",
    ),
    *(
        end(run=run, quantity=f"growth, {rival}").above(end(run=run, quantity=GROWN), f"{run}, {rival}: farther")
        for run in (TASK, SLOW)
        for rival in RIVALS
    ),
    short="each layer goes to its SVM",
    statement="In the circuit W_2 goes to the SVM of the answer's place, and W_1 grows along the SVM of the rows "
    "that widen it.",
)

CLAIMS.declare(
    "induction_logarithm",
    end(run=TASK, quantity="pace", text="growth of W_1 while ‖W‖ doubles, over log 2 · ‖its SVM‖").must(
        "distance of both ends from 2 ≤ 0.25",
        "a quarter of the way to the law of held rows, 1",
        "the whole interval within the limit of 2",
        around=2.0,
    ),
    end(run=SLOW, quantity="pace").must(
        "pace with a norm for each layer ≥ 4", "twice the logarithm's", "with a norm for each layer it is no logarithm"
    ),
    short="a layer for keys grows like 2 log R",
    statement="Divided by one norm, the layer below grows as 2 log‖W‖ times its SVM: its smaller probabilities fall "
    "as ‖W‖^−2.",
)

CLAIMS.declare(
    "induction_force",
    end(run=TASK, quantity="force", text="‖W‖² Σ F p/(2‖U‖²)").must(
        "distance of both ends from 1 ≤ 0.25",
        "as `induction_logarithm` asks",
        "the whole interval within the limit of 1",
        around=1.0,
    ),
    end(run=SLOW, quantity="force").must(
        "upper end with a norm for each layer ≤ 0.5", "beyond that limit", "not with a norm for each layer"
    ),
    short="the gradient's size has no parameter",
    statement="Divided by one norm, the probabilities p below and what the top gains by them, F, obey ‖W‖² Σ F p → "
    "2‖U‖².",
)

task = end(run=TASK)
CLAIMS.declare(
    "induction_rows",
    (
        task(quantity="part, answer's row", text="part of the tokens at the answer's row that count").must(
            "lower end ≥ 1", "all tokens, in at least half of the instances", "the answer's row, against all tokens"
        ),
        task(quantity="part, query's row").must(
            "part of the tokens of the query's row ≥ 0.5", "most of them", "the query's row"
        ),
        task(quantity="part, other rows, first place").must(
            "part of other rows at the first place > 0", "those behind it", "another row, against the first place"
        ),
        task(quantity="part, other rows, other tokens").must(
            "part of the other tokens of other rows ≤ 0", "none of them", "another row, against other tokens: never"
        ),
    ),
    short="which rows count at which query",
    statement="The top's margin gains by the answer's row against all tokens, by the query's row, and by others "
    "against the first place alone.",
)
