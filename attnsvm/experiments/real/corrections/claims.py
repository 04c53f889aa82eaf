"""What a certified change of a head does that gradient descent does not, and what could kill it."""

from functools import partial

from attnsvm.audit.conditions import number
from attnsvm.audit.numbers import Limit, each, estimate, exact
from attnsvm.audit.reading import Claims, Reading, some
from attnsvm.audit.rows import where

LEAST = "least change"
CORRECTS = Limit(0.9, "share of the named mistakes that come right ≥ {}", "one that leaves them wrong is no correction")
CHECK = "template by template, mean and its 95 % interval; against every weight with which gradient descent corrects"
CLAIMS = Claims(group="beyond")


def means(tables, part, quantity):
    """Rows of the means over templates."""
    rows = where(tables.own(), part=part, quantity=quantity)
    return some(rows[rows["template"].isna()], f"mean of {quantity}")


def beside(quantity, words, tables, limit, corrects):
    """The lead of the certified change over gradient descent that corrects what is named, by its kind."""
    named = means(tables, "change", "named")
    able = {row["kind"] for _, row in named.iterrows() if row["kind"] != LEAST and corrects(row["value"])}
    rows = means(tables, "lead", quantity)
    rows = some(rows[rows["kind"].isin(able)], "gradient descent that corrects what is named")
    found = {row["kind"]: estimate(row) for _, row in rows.iterrows()}
    return Reading(*limit.worst(found), each(found, words, limit))


@CLAIMS.add(
    short="corrections: one exists",
    statement="A change of one head exists that corrects named mistakes and keeps the right mappings of hundreds of "
    "reactions, and the least one is certified.",
    check="share of draws for which a change is certified, of those that are proved or refuted",
    measured="share with a certified change",
    limit=Limit(1.0, "least share of a template ≥ {}", "one that is refuted is enough"),
)
def corrections_exist(tables, limit):
    rows = where(tables.own(), part="change", quantity="exists")
    own = some(rows[rows["template"].notna()], "change that was proved or refuted")
    worst = own["value"].min()
    return Reading(*exact(own["value"].mean(), len(own)), {"for all draws of every template": limit(worst)})


CLAIMS.declare(
    "corrections_carry",
    number(part="change", quantity="same", kind=LEAST, template=None, missing="mean of {quantity}").must(
        "> 0.4",
        "two mistakes in five; without a change none comes right",
        "the same mistake on other molecules",
    ),
    short="corrections: other molecules",
    statement="The least change corrects the same mistake on molecules that it was not told of.",
    check="share of the other mistakes of the template, on held-out molecules, that come right; mean over templates "
    "and its 95 % interval",
    measured="share that come right",
    unsharpened="Its audit is that of an optional figure.",
)

CLAIMS.add(
    key="corrections_as_often",
    short="corrections: as often as gradients",
    statement="It corrects the same mistake on other molecules as often as gradient descent that goes as far.",
    check=f"share of those mistakes, the certified change less gradient descent; {CHECK}",
    measured="least lead over gradient descent",
    limit=Limit(-0.15, "> {}", "about one mistake in seven: a template has seven that are held out"),
    corrects=CORRECTS,
    read=partial(beside, "same", "against {} ({.value:+.2f})"),
    unsharpened="Its audit is that of an optional figure.",
)

CLAIMS.add(
    key="corrections_preserve",
    short="corrections: less is lost",
    statement="On other molecules the least change makes fewer right mappings wrong than gradient descent that goes as "
    "far and corrects the named mistakes.",
    check=f"right mappings that become wrong, the certified change less gradient descent; {CHECK}",
    measured="largest difference from gradient descent, mappings",
    limit=Limit(0.0, "< {}", "the whole interval over templates below zero"),
    corrects=CORRECTS,
    read=partial(beside, "broken", "against {} ({.value:+.1f})"),
    unsharpened="Its audit is that of an optional figure.",
)

CLAIMS.add(
    key="corrections_net",
    short="corrections: more is right",
    statement="On other molecules more mappings are right after the least change than after gradient descent that goes "
    "as far.",
    check=f"right mappings gained less those lost, the certified change less gradient descent; {CHECK}",
    measured="least lead over gradient descent, mappings",
    limit=Limit(0.0, "> {}", "the whole interval over templates above zero"),
    corrects=CORRECTS,
    read=partial(beside, "net", "against {} ({.value:+.1f})"),
    unsharpened="Its audit is that of an optional figure.",
)
