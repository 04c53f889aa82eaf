"""Several models beside each other: which share of their heads passes which control, by depth, on one page."""

from collections.abc import Mapping

import pandas as pd

from attnsvm.inspect import page, summary
from attnsvm.inspect.columns import NORMS

PARTS_NAMED = ("the first sixth", "the second", "the third", "the fourth", "the fifth", "the last sixth")
PARTS = len(PARTS_NAMED)  # of the depth of a model: columns of the page
ALIGNED, PREDICTED = "aligned with their SVM better than", "predicted by their SVM better than by the best rule"
MIDDLE, HIGH = 0.515, 0.74  # shares above which a cell needs the other colour of letters, in the dark and in the light
COLUMNS = ("model", "layer", "part", "norm", "control", "passed", "heads")


def counted(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """One row for each layer of each model and each control: how many heads pass, of how many that have both numbers.

    Args:
        tables: those of an inspection, one row per head, by the name of the model.

    Returns:
        Columns as `COLUMNS`; `part`: which of `PARTS` equal parts of the depth the layer is in, from 0.
    """
    rows = []
    for model, table in tables.items():
        depth = int(table["layer"].max()) + 1
        for layer, heads in table.groupby("layer"):
            for norm in NORMS:
                for what, *columns in controls(table, norm):
                    passed, of = summary.beaten(heads, *columns)
                    rows.append((model, layer, int(layer) * PARTS // depth, norm, what, passed, of))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def controls(table: pd.DataFrame, norm: str) -> list[tuple[str, str, str]]:
    """(what is said of heads that pass, column, the column that it is compared with)."""
    aligned = [(f"{ALIGNED} {what}", *of) for what, *of in summary.alignments(table, norm)]
    return aligned + [(PREDICTED, *of) for _, *of in summary.predictions(table, norm)]


def sentence(rows: pd.DataFrame) -> str:
    """What the page says first: the shares of all heads, and where prediction passes most and least often."""
    norm = "fro" if (rows["norm"] == "fro").any() else "nuc"
    said = [f"{_percent(mine)} are {what}" for (of, what), mine in _panels(rows) if of == norm]
    if not said:
        return "No head has a certified solution that could be compared."
    mine = rows[(rows["norm"] == norm) & (rows["control"] == PREDICTED)]
    parts = mine.groupby("part")[["passed", "heads"]].sum().query("heads > 0")
    where = ""
    shares = parts["passed"] / parts["heads"]
    if shares.nunique() > 1:
        most, least = (f"{PARTS_NAMED[k]} ({_of(parts.loc[[k]])})" for k in (shares.idxmax(), shares.idxmin()))
        where = f", most often in {most} and least in {least} of the depth"
    models = rows["model"].nunique()
    heads = f"Of the heads of {models} models" if models > 1 else "Of the heads"
    return f"{heads}, in the {NORMS[norm]} norm, {summary.joined(said)}{where}."


def _panels(rows: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    """The rows of each norm and control, in one order whatever the models have."""
    order = {f"{ALIGNED} {what}": k for k, what in enumerate(summary.CONTROLS.values())}
    found = {(str(norm), str(what)): mine for (norm, what), mine in rows.groupby(["norm", "control"])}
    return sorted(found.items(), key=lambda one: (one[0][0], order.get(one[0][1], len(order))))


def render(rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame], made: Mapping[str, str]) -> str:
    """The page, one file that loads nothing; arguments as `counted` gives and takes them, `made` as `page.made`."""
    names = list(tables)
    panels = []
    for (norm, what), mine in _panels(rows):
        head = "".join(f'<th scope="col">{part}</th>' for part in PARTS_NAMED)
        body = "".join(_row(name, mine[mine["model"] == name]) for name in names if (mine["model"] == name).any())
        panels.append(
            f'<h2>{what[0].upper()}{what[1:]}, {NORMS[norm]} norm</h2>\n<div class="scroll"><table>'
            f'<thead><tr><td class="none"></td>{head}<th scope="col">all</th></tr></thead>'
            f"<tbody>{body}</tbody></table></div>\n"
        )
    few = {name: summary.warning(int(table["inputs_held_out"].min())) for name, table in tables.items()}
    limits = {name: summary.limits(table) for name, table in tables.items()}
    said = [f"{name}: {text}" for name in names for text in (few[name], *limits[name]) if text]
    chance = {summary.by_chance(table, "fro") or summary.by_chance(table, "nuc") for table in tables.values()}
    values = {
        "title": page.escaped(f"{len(names)} models" if len(names) != 1 else names[0]),
        "sentence": page.escaped(sentence(rows)),
        "warnings": "".join(f'<p class="warning" role="note">{page.escaped(text)}</p>\n' for text in said),
        "chance": page.escaped("".join(sorted(chance))),
        "panels": "".join(panels),
        "made": "".join(f"<div><dt>{name}</dt><dd>{page.escaped(text)}</dd></div>\n" for name, text in made.items()),
    }
    text = page.template("atlas.html")
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", value)
    return text


def _row(name: str, rows: pd.DataFrame) -> str:
    cells = "".join(_cell(rows[rows["part"] == k]) for k in range(PARTS)) + _cell(rows, "all ")
    return f'<tr><th scope="row">{page.escaped(name)}</th>{cells}</tr>'


def _cell(rows: pd.DataFrame, kind: str = "") -> str:
    passed, heads = int(rows["passed"].sum()), int(rows["heads"].sum())
    if heads == 0:
        return f'<td class="{kind}none">–</td>'
    share = passed / heads
    kind += "high" if share > HIGH else "middle" if share > MIDDLE else ""
    return f'<td class="{kind}" style="--share: {share:.3f}">{passed} / {heads}</td>'


def _of(rows: pd.DataFrame) -> str:
    return f"{int(rows['passed'].sum())} of {int(rows['heads'].sum())}"


def _percent(rows: pd.DataFrame) -> str:
    heads = int(rows["heads"].sum())
    return f"{100 * rows['passed'].sum() / heads:.0f} % ({_of(rows)})" if heads else f"– ({_of(rows)})"
