"""The heads of one layer of a model are measured."""

import json
from pathlib import Path

import numpy as np

from attnsvm.inspect import shown
from attnsvm.inspect.layers import unpickled
from attnsvm.inspect.measures import Bench, Plan, measured, offered
from attnsvm.writing import save_text

PLANNED = ("norms", "inputs", "nuclear_inputs", "held_out", "draws", "seed")  # the settings of a `Plan`


def written(name: str, layer: str, settings: dict, out: str) -> None:
    """Measure every head of a layer, and write what was found as JSON.

    Args:
        name: of the model. layer: the file from `passing`. settings: see `several.Asked`.
    """
    given = unpickled(Path(layer).read_bytes())
    plan = offered(Plan(**{key: settings[key] for key in PLANNED}), given, name)
    found = {
        "norms": list(plan.norms),
        "lifted": bool(given.every),
        "shown": shown.inputs(Bench(given, plan)),
        "heads": list(measured([given], plan)),
    }
    save_text(out, json.dumps(found, default=np.generic.item, ensure_ascii=False))
