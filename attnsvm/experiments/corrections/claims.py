"""What a certified change of a head does that gradient descent does not, and what could kill it."""

from attnsvm.audit.numbers import Limit, each, estimate, exact, largest, smallest
from attnsvm.audit.reading import Claim, Reading, some
from attnsvm.audit.rows import one, where

LEAST = "least change"


def means(tables, part, quantity):
    """Rows of the means over templates."""
    rows = where(tables.own(), part=part, quantity=quantity)
    return some(rows[rows["template"].isna()], f"mean of {quantity}")


def beside(tables, quantity, corrects):
    """{kind: lead of the certified change}, of gradient descent that corrects what is named."""
    named = means(tables, "change", "named")
    able = {row["kind"] for _, row in named.iterrows() if row["kind"] != LEAST and corrects(row["value"])}
    rows = means(tables, "lead", quantity)
    rows = some(rows[rows["kind"].isin(able)], "gradient descent that corrects what is named")
    return {row["kind"]: estimate(row) for _, row in rows.iterrows()}


def exists(tables, asked):
    rows = where(tables.own(), part="change", quantity="exists")
    own = some(rows[rows["template"].notna()], "change that was proved or refuted")
    worst = own["value"].min()
    return Reading(*exact(own["value"].mean(), len(own)), {"for all draws of every template": asked(worst)})


def carries(tables, asked):
    own = estimate(one(where(means(tables, "change", "same"), kind=LEAST), "certified change"))
    return Reading(*own, {"the same mistake on other molecules": asked(own)})


def as_often(tables, asked, corrects):
    found = beside(tables, "same", corrects)
    return Reading(*smallest(found, by="low"), each(found, "against {} ({.value:+.2f})", asked))


def preserves(tables, asked, corrects):
    found = beside(tables, "broken", corrects)
    return Reading(*largest(found, by="high"), each(found, "against {} ({.value:+.1f})", asked))


def net(tables, asked, corrects):
    found = beside(tables, "net", corrects)
    return Reading(*smallest(found, by="low"), each(found, "against {} ({.value:+.1f})", asked))


CORRECTS = {
    "corrects": Limit(
        0.9, "share of the named mistakes that come right ≥ {}", "one that leaves them wrong is no correction"
    )
}
CHECK = "template by template, mean and its 95 % interval; against every weight with which gradient descent corrects"
CLAIMS = (
    Claim(
        key="corrections_exist",
        group="beyond",
        short="corrections: one exists",
        statement="A change of one head exists that corrects named mistakes and keeps the right mappings of hundreds "
        "of reactions, and the least one is certified.",
        check="share of draws for which a change is certified, of those that are proved or refuted",
        measured="share with a certified change",
        asked=Limit(1.0, "least share of a template ≥ {}", "one that is refuted is enough"),
        read=exists,
    ),
    Claim(
        key="corrections_carry",
        group="beyond",
        short="corrections: other molecules",
        statement="The least change corrects the same mistake on molecules that it was not told of.",
        check="share of the other mistakes of the template, on held-out molecules, that come right; mean over "
        "templates and its 95 % interval",
        measured="share that come right",
        asked=Limit(0.4, "> {}", "two mistakes in five; without a change none comes right"),
        read=carries,
        unsharpened="Its audit is that of an optional figure.",
    ),
    Claim(
        key="corrections_as_often",
        group="beyond",
        short="corrections: as often as gradients",
        statement="It corrects the same mistake on other molecules as often as gradient descent that goes as far.",
        check=f"share of those mistakes, the certified change less gradient descent; {CHECK}",
        measured="least lead over gradient descent",
        asked=Limit(-0.15, "> {}", "about one mistake in seven: a template has seven that are held out"),
        also=CORRECTS,
        read=as_often,
        unsharpened="Its audit is that of an optional figure.",
    ),
    Claim(
        key="corrections_preserve",
        group="beyond",
        short="corrections: less is lost",
        statement="On other molecules the least change makes fewer right mappings wrong than gradient descent that "
        "goes as far and corrects the named mistakes.",
        check=f"right mappings that become wrong, the certified change less gradient descent; {CHECK}",
        measured="largest difference from gradient descent, mappings",
        asked=Limit(0.0, "< {}", "the whole interval over templates below zero"),
        also=CORRECTS,
        read=preserves,
        unsharpened="Its audit is that of an optional figure.",
    ),
    Claim(
        key="corrections_net",
        group="beyond",
        short="corrections: more is right",
        statement="On other molecules more mappings are right after the least change than after gradient descent that "
        "goes as far.",
        check=f"right mappings gained less those lost, the certified change less gradient descent; {CHECK}",
        measured="least lead over gradient descent, mappings",
        asked=Limit(0.0, "> {}", "the whole interval over templates above zero"),
        also=CORRECTS,
        read=net,
        unsharpened="Its audit is that of an optional figure.",
    ),
)
