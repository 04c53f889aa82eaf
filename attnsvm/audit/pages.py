"""The audit as a page to read, in HTML and in Markdown."""

from importlib.resources import files

import pandas as pd

from attnsvm.audit.reading import GROUPS, VERDICTS
from attnsvm.statuses import STATUSES


def html(claims: pd.DataFrame, certificates: pd.DataFrame) -> str:
    """A self-contained page; its links to figures are relative to results/audit/."""
    return _render("page.html.j2", claims, certificates, autoescape=True)


def markdown(claims: pd.DataFrame, certificates: pd.DataFrame) -> str:
    """The same in Markdown."""
    return _render("page.md.j2", claims, certificates, autoescape=False)


def number(value: float) -> str:
    """Three significant digits; a dash for what there is not."""
    if pd.isna(value):
        return "–"
    return f"{value:.3g}" if value == 0 or 1e-3 <= abs(value) < 1e4 else f"{value:.1e}"


def interval(row) -> str:
    return "" if pd.isna(row["low"]) else f"[{number(row['low'])}, {number(row['high'])}]"


def _render(template: str, claims, certificates, autoescape: bool) -> str:
    import jinja2

    environment = jinja2.Environment(
        autoescape=autoescape, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["number"] = number
    groups = [(title, claims[claims["group"] == group].to_dict("records")) for group, title in GROUPS.items()]
    groups = [(title, rows) for title, rows in groups if rows]
    totals = certificates[["checked", *STATUSES]].sum()
    return environment.from_string(files("attnsvm.audit").joinpath(template).read_text("utf-8")).render(
        groups=groups,
        interval=interval,
        verdicts={verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS},
        certificates=certificates.to_dict("records"),
        totals=totals.astype(int).to_dict(),
    )
