"""The audit as a page to read."""

import re
from importlib.resources import files

import numpy as np
import pandas as pd

from attnsvm.audit.evaluation import FAILS, GROUPS, HOLDS, IN_PART, UNTESTABLE, by_kind, counts, is_sharper
from attnsvm.svm.verdict import COUNTS


def html(
    claims: pd.DataFrame,
    certificates: pd.DataFrame,
    left_out: dict[str, str] | None = None,
    where: dict[str, str] | None = None,
    tiny: bool = False,
    retired: pd.DataFrame | None = None,
) -> str:
    """A self-contained page; its links to figures are relative to results/audit/.

    Args:
        left_out: title of the optional figures by name, whose claims have pages of their own.
        where: under which other settings a claim holds, by key, see `attnsvm.audit.elsewhere.where`.
        tiny: whether the numbers are those of a smoke run, which the page then says.
        retired: claims that are asked no more, see `attnsvm.audit.retired.claims`.
    """
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {
        "number": number,
        "interval": interval,
        "measured": measured,
        "wanted": wanted,
        "sharper": sharper,
        "unmet": unmet,
    }
    groups = [(title, claims[claims["group"] == group].to_dict("records")) for group, title in GROUPS.items()]
    groups = [(title, rows) for title, rows in groups if rows]
    first_asked = claims[~is_sharper(claims)]
    totals = certificates[["checked", *COUNTS]].sum()
    return environment.from_string(files("attnsvm.audit").joinpath("page.html.j2").read_text("utf-8")).render(
        groups=groups,
        left_out=left_out or {},
        where=where or {},
        tiny=tiny,
        retired=[] if retired is None else retired.to_dict("records"),
        verdicts={"all": counts(first_asked)} | by_kind(first_asked),
        unexplained=unexplained(claims),
        certificates=certificates.to_dict("records"),
        totals=totals.astype(int).to_dict(),
    )


def number(value: float) -> str:
    """Three significant digits; a dash for what there is not."""
    if pd.isna(value):
        return "–"
    return f"{value:.3g}" if value == 0 or 1e-3 <= abs(value) < 1e4 else f"{value:.1e}"


def interval(row) -> str:
    return f"[{number(row['low'])}, {number(row['high'])}]" if np.isfinite(row["low"]) else ""


def measured(row) -> str:
    """What was measured: the words, the number, its interval; of a claim about print, the published number too."""
    if row["verdict"] == UNTESTABLE:
        return "–"
    text = " ".join(filter(None, [_of(row["measured"]) + number(row["value"]), interval(row)]))
    if row["verdict"] == HOLDS and pd.notna(row.get("missed")):
        text += f"; that more than a share of {number(row['missed'])} does otherwise is excluded"
    if pd.isna(row["published"]):
        return text
    words = row["printed"] if isinstance(row["printed"], str) else ""
    return f"{text}; in print{', ' * bool(words)}{words}: {number(row['published'])}"


def wanted(row) -> str:
    """What is asked of the number, such as "≤ 0"; a dash where there is no threshold."""
    if pd.isna(row["threshold"]):
        return "–"
    return row["wanted"].format(number(row["threshold"]))


def unmet(row) -> list[str]:
    """The conditions of a row that are not met, the main ones first."""
    return [said for of in ("main", "further") for met, said in conditions(row[of]) if not met]


def conditions(text) -> list[tuple[bool, str]]:
    """The conditions of a row, its "main" or "further" ones, and whether each is met; other than text: none."""
    parts = re.split("; (?=yes: |no: )", text) if isinstance(text, str) and text else []
    return [(part.startswith("yes: "), part.split(": ", 1)[1]) for part in parts]


def sharper(row) -> str:
    """What stands before a claim that sharpens another: which one, and the seeds it is judged on; "" for any other."""
    if not isinstance(row["sharpens"], str) or not row["sharpens"]:
        return ""
    return f"What holds of {row['sharpens']}, on new seeds ({row['seeds']})"


def unexplained(claims: pd.DataFrame) -> dict[str, list[dict]]:
    """The claims as first asked that hold in part or fail, as rows: "all"; "said", those with a reason why nothing
    sharpens them; "open", those with neither."""
    found = claims[claims["verdict"].isin([IN_PART, FAILS]) & ~is_sharper(claims)]
    found = found.assign(unsharpened=found["unsharpened"].fillna(""))
    without = found[~found["key"].isin(claims.loc[is_sharper(claims), "sharpens"])]
    reason = without["unsharpened"] != ""
    parts = {"all": found, "said": without[reason], "open": without[~reason]}
    return {name: rows.to_dict("records") for name, rows in parts.items()}


def _of(words) -> str:
    return f"{words}: " if isinstance(words, str) and words else ""
