"""One HTML file to look at: a grid of heads, each of which opens its sentences. The file loads nothing else."""

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd

from attnsvm.inspect import summary
from attnsvm.inspect.columns import NORMS, columns
from attnsvm.system import checksums

# What colours the grid: column, its name, and what it is compared with.
SHOWN = (
    ("alignment_fro", "Alignment, Frobenius", "alignment_random_fro", "random heads"),
    ("alignment_nuc", "Alignment, nuclear", "alignment_random_nuc", "random heads"),
    ("predicted_fro", "Held-out prediction, Frobenius", "predicted_random_fro", "random heads"),
    ("predicted_nuc", "Held-out prediction, nuclear", "predicted_random_nuc", "random heads"),
    ("alignment_fro", "Alignment, beside mismatched heads", "alignment_mismatched_fro", "mismatched heads"),
    ("predicted_fro", "Held-out prediction, beside mismatched heads", "predicted_mismatched_fro", "mismatched heads"),
    ("rule_predicted", "Held-out prediction of the best rule without tokens", "chance", "chance"),
    ("margin_fro", "Margin", "margin_random_fro", "random heads"),
    ("changed_fro", "Selections changed without the certified direction", "changed_random_fro", "turned at random"),
    ("margin_ratio_fro", "Margin of the head, relative to the largest", None, ""),
    ("loss_added_fro", "Loss of the model, added without that direction", "loss_added_random_fro", "turned at random"),
    ("delimiter_selected", "Delimiters among the selected", None, ""),
    ("half_length_predicted", "Length at half weight, predicted", "half_length_measured", "measured, on longer inputs"),
    ("rank_nuc", "Certified rank, nuclear", "rank_head", "the head itself"),
)


def render(
    name: str, made: dict[str, str], shown: dict, said: list[str], table: pd.DataFrame, marks: list[dict]
) -> str:
    """The page as text.

    Args:
        name: of the model.
        made: where the inspection comes from, see `origin`.
        shown: see `measures.shown`, of the first layer; words and places are the same in the other layers.
        said: the first sentences.
        table: one row per head; marks: what `measures.measure` says of each head.
    """
    meanings = columns(NORMS, lifted=True)
    quantities = [
        {"column": column, "name": title, "means": meanings[column], "beside": beside, "besideName": what}
        for column, title, beside, what in SHOWN
        if column in table and table[column].notna().any() and (beside is None or beside in table)
    ]
    data = {
        "model": name,
        "made": made,
        "summary": said,
        "shown": quantities,
        "heads": [
            _plain(row) | {name: getattr(summary, name)(row) for name in ("matters", "not_decided")}
            for row in table.to_dict("records")
        ],
        "marks": marks,
        **shown,
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Inside a script element only "<" could end the data: the words of a text may hold anything.
    text = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    named = name.replace("&", "&amp;").replace("<", "&lt;").replace("{", "&#123;")
    return (
        files("attnsvm.inspect")
        .joinpath("page.html")
        .read_text("utf-8")
        .replace("{{title}}", named)
        .replace("{{data}}", text)
    )


def _plain(row: dict) -> dict:
    """JSON has no NaN: such a number is null."""
    return {name: None if isinstance(value, float) and not np.isfinite(value) else value for name, value in row.items()}


def origin(model: str | os.PathLike, seed: int, command: str, read: Sequence[str | os.PathLike]) -> dict[str, str]:
    """What the page says of itself, in its order; `read`: the files that were.

    `command`: what was typed, "" where nobody typed one. The date is that of SOURCE_DATE_EPOCH where this is set.
    """
    from attnsvm.system.version import __version__

    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(int(seconds), UTC)
    said = {
        "model": str(model),
        "SHA-256": ", ".join(f"{checksums.of(path)} {Path(path).name}" for path in read),
        "command": command,
        "seed": str(seed),
        "release": f"attnsvm {__version__}",
        "date": now.isoformat(" ", "seconds").replace("+00:00", " UTC"),
    }
    return {name: text for name, text in said.items() if text}
