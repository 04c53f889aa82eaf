"""Several models beside each other: which share of their heads passes which control, by depth, on one page."""

from collections.abc import Mapping

import pandas as pd

from attnsvm.inspect import page, summary

PARTS = 6  # of the depth of a model: columns of the page
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
            for norm in summary.NAMES:
                for what, *columns in controls(table, norm):
                    passed, of = summary.beaten(heads, *columns)
                    rows.append((model, layer, int(layer) * PARTS // depth, norm, what, passed, of))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def controls(table: pd.DataFrame, norm: str) -> list[tuple[str, str, str]]:
    """(what a head does where it passes, column, the column that it is compared with)."""
    aligned = [(f"aligned better than {what}", *of) for what, *of in summary.alignments(table, norm)]
    return aligned + [(f"predicted better than {what}", *of) for what, *of in summary.predictions(table, norm)]


def sentence(rows: pd.DataFrame) -> str:
    """What the page says first: the shares of all heads, and where prediction passes most and least often."""
    norm = "fro" if (rows["norm"] == "fro").any() else "nuc"
    mine = rows[rows["norm"] == norm]
    models = rows["model"].nunique()
    said = [f"{what} are {_of(one)}" for what, one in mine.groupby("control", sort=False)]
    parts = mine[mine["control"].str.startswith("predicted")].groupby("part")[["passed", "heads"]].sum()
    parts = parts[parts["heads"] > 0]
    where = ""
    if len(parts) > 1:
        shares = parts["passed"] / parts["heads"]
        most, least = int(shares.idxmax()), int(shares.idxmin())
        where = f"; prediction passes most often in {_part(most)} of the depth ({_of(parts.loc[[most]])}) and least in "
        where += f"{_part(least)} ({_of(parts.loc[[least]])})"
    in_models = f"In {models} models, {summary.NAMES[norm]} norm: " if models > 1 else f"{summary.NAMES[norm]} norm: "
    return f"{in_models}{summary.joined(said)} heads{where}."


def render(rows: pd.DataFrame, tables: Mapping[str, pd.DataFrame], made: Mapping[str, str]) -> str:
    """The page, one file that loads nothing; arguments as `counted` gives and takes them, `made` as `origin.made`."""
    names = list(tables)
    panels = []
    for (norm, what), mine in rows.groupby(["norm", "control"], sort=False):
        head = "".join(f'<th scope="col">{_part(k)}</th>' for k in range(PARTS))
        body = "".join(_row(name, mine[mine["model"] == name]) for name in names if (mine["model"] == name).any())
        panels.append(
            f'<h2>{what[0].upper()}{what[1:]}, {summary.NAMES[norm]} norm</h2>\n<div class="scroll"><table>'
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


def _part(k: int) -> str:
    return ("the first sixth", "the second", "the third", "the fourth", "the fifth", "the last sixth")[k]
