"""What a head whose right answers are known says of max-margin solutions, and the controls that could kill it."""

from attnsvm.audit.conditions import number
from attnsvm.audit.numbers import Limit, each, estimate, exact, largest
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import one, where

NULLS = ("random", "permuted", "mismatched")
RULES = ("position", "same token", "string")
ABOVE = "the whole interval over held-out templates above zero"
lead = number(part="heads", mapping=1, quantity="lead", missing="prediction to compare with {kind}")
CLAIMS = Claims(group="beyond")


def mapping(tables, quantity):
    """Rows of the head that the makers read."""
    return some(where(tables.own(part="heads"), mapping=1, quantity=quantity), f"{quantity} of the head that is read")


def fitted(tables, quantity):
    """Rows of the fits of right answers at the layer of that head, sorted by their numbers of reactions."""
    (layer,) = mapping(tables, "predicted")["layer"].unique()
    rows = where(tables.own(part="answers"), layer=layer, quantity=quantity)
    return some(rows, f"{quantity} of right answers at the layer of that head").sort_values("inputs")


@CLAIMS.add(
    short="a head that maps atoms",
    statement="One head of a model of reactions selects, for an atom of the product, the atom of the reactants that it "
    "was, on templates and molecules made by us.",
    check="share of held-out queries with the right atom, mean over held-out templates and its 95 % interval; the "
    "largest share of another head of the layer",
    measured="share of right atoms",
    limit=Limit(0.9, "> {}", "nine atoms in ten, of which some twenty could be named"),
    others=Limit(0.6, "largest share of another head ≤ {}", "well below: it is the head, not the layer"),
)
def answers_maps(tables, limit, others):
    rows = where(tables.own(part="heads"), quantity="right")
    own = estimate(one(where(rows, mapping=1), "head that is read"))
    (layer,) = where(rows, mapping=1)["layer"]
    rest = some(where(rows, mapping=0, layer=layer), "other head of that layer")
    most = largest(estimate(row) for _, row in rest.iterrows())
    alone = {f"no other head of its layer does (at most {most.value:.2f})": others(most.value)}
    return Reading(*own, {"the head selects the right atom": limit(own)}, alone)


@CLAIMS.add(
    short="the mapping head: alignment",
    statement="That head is aligned with the max-margin solution of what it selects more than any null model of a head "
    "of its layer is with that of what it selects.",
    check="cosine on the span of the constraints, less the largest of the null models of each kind, of all heads of "
    "the layer",
    measured="least lead over the largest of a kind of null models",
    limit=Limit(0.0, "lead > {}", "above all of them; a null model exceeds a head like itself in half of the cases"),
    unsharpened="Its audit is that of an optional figure.",
)
def answers_alignment(tables, limit):
    own = one(mapping(tables, "alignment"), "alignment of the head itself", kind="head")
    rows = where(tables.own(part="heads"), layer=own["layer"], quantity="alignment")
    parts, leads = {}, []
    for kind in NULLS:
        most = some(where(rows, kind=kind), f"alignment of {kind} heads")["high"].max()
        leads.append(own["value"] - most)
        parts[f"above the largest of {kind} heads ({most:.3f})"] = limit(leads[-1])
    draws = where(rows, kind=NULLS[0])["instances"].sum()
    return Reading(*exact(min(leads), draws), parts)


CLAIMS.declare(
    "answers_nulls",
    lead(kind=NULLS).must("> 0", ABOVE, "over {kind} ({value:+.3f})"),
    short="the mapping head: nulls predict less",
    statement="The max-margin solution of what that head selects predicts its selections on other templates and "
    "molecules better than the solutions of null models predict theirs, those of mismatched heads among them.",
    check="share of held-out selections less that of the control, template by template, mean and 95 % interval",
    measured="least lead over a null model",
    unsharpened="Its audit is that of an optional figure.",
)

CLAIMS.declare(
    "answers_rules",
    lead(kind=RULES).must("> 0", ABOVE, "over {kind} ({value:+.3f})"),
    short="the mapping head: rules predict less",
    statement="No rule that does without the model, of position, of equal tokens or of equal strings, predicts what "
    "that head selects as well as the max-margin solution does.",
    check="share of held-out selections, less that of the rule, template by template, mean and its 95 % interval; the "
    "offset of the rule of position is the best one for the fitted queries",
    measured="least lead over a rule",
    unsharpened="Its audit is that of an optional figure.",
)


@CLAIMS.add(
    short="right answers: as good as the head",
    statement="Fitted to the right answers of the largest number of reactions, the max-margin solution maps other "
    "molecules by other templates nearly as well as the head that the model learned.",
    check="share of right atoms, less that of the head, template by template; mean and its 95 % interval",
    measured="lead over the head, share of right atoms",
    limit=Limit(-0.05, "> {}", "one atom in twenty, about one for each reaction"),
    unsharpened="Its audit is that of an optional figure.",
)
def answers_as_good(tables, limit):
    rows = where(fitted(tables, "lead"), kind="head")
    last = estimate(some(rows, "fit to compare with the head").iloc[-1])
    return Reading(*last, {"within the limit of the head": limit(last)})


@CLAIMS.add(
    short="right answers: margin beats softmax",
    statement="The max-margin solution of the right answers maps other molecules by other templates better than "
    "softmax regression on the same reactions does.",
    check="share of right atoms, less that of softmax regression, for each ridge and each number of reactions, "
    "template by template, mean and its 95 % interval",
    measured="least lead over softmax regression",
    limit=Limit(0.0, "> {}", ABOVE),
    unsharpened="Its audit is that of an optional figure.",
)
def answers_softmax(tables, limit):
    rows = fitted(tables, "lead")
    rows = some(rows[rows["kind"].str.startswith("softmax")], "softmax regression to compare with")
    found = {
        f"{kind} at {row['inputs']:.0f}": estimate(row)
        for kind, own in rows.groupby("kind", sort=False)
        for _, row in own.iterrows()
    }
    return Reading(*limit.worst(found), each(found, "over {} ({.value:+.3f})", limit))


@CLAIMS.add(
    short="right answers: what the tokens know",
    statement="The tokens of the trained model carry the mapping: random answers in the place of right ones, or tokens "
    "of a model with random weights, leave little of it.",
    check="share of right atoms of the max-margin solution at the layer of the head, mean over held-out templates and "
    "its 95 % interval",
    measured="largest share with random answers",
    limit=Limit(0.15, "≤ {}", "three times what a guess among twenty atoms gives"),
    untrained=Limit(0.5, "share on a model with random weights ≤ {}", "half of the atoms"),
)
def answers_controls(tables, limit, untrained):
    rows = fitted(tables, "right")
    random = some(where(rows, kind="random answers"), "fit of random answers")
    chance = largest(estimate(row) for _, row in random.iterrows())
    bare = estimate(one(rows, "model with random weights", kind="untrained svm"))
    words = f"the same fit on a model with random weights ({bare.value:.2f})"
    return Reading(*chance, {"random answers": limit(chance), words: untrained(bare)})


@CLAIMS.add(
    short="right answers: not at the first layer",
    statement="At the first layer no W gives the right answers of some dozens of reactions, which is certified; at "
    "every later layer one does.",
    check="whether a solution exists, of all fits of right answers",
    measured="share of separable fits at the first layer",
    limit=Limit(0.0, "≤ {}", "one that is separable refutes it"),
    later=Limit(1.0, "least share at a later layer ≥ {}", "one that is not separable refutes it"),
    unsharpened="Its audit is that of an optional figure.",
)
def answers_layers(tables, limit, later):
    rows = where(tables.own(part="answers"), quantity="separable", kind="svm")
    first = where(rows, layer=rows["layer"].min())
    rest = some(rows[rows["layer"] > rows["layer"].min()], "fit at a later layer")
    parts = {
        "no fit at the first layer is separable": limit(first["value"].max()),
        "at later layers all are": later(rest["value"].min()),
    }
    return Reading(*exact(first["value"].mean(), len(first)), parts)
