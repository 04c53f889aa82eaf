"""The jobs for many models: texts pass a layer, its heads are measured, all are gathered, models are compared."""

import itertools
import json
import os
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from attnsvm.inspect import lines, page, running, sentences
from attnsvm.inspect.columns import NORMS
from attnsvm.inspect.layers import unpickled
from attnsvm.inspect.measures import Bench, Plan, measured, offered, shown
from attnsvm.inspect.several import COMMAND
from attnsvm.inspect.summary import alignments, beaten, predictions
from attnsvm.system import store
from attnsvm.system.writing import replacing, save_text

PARTS = 6  # of the depth of a model
COMPARED = ("model", "layer", "part", "norm", "control", "passed", "heads")


def pass_texts(
    folder: str, number: int, texts: str | None, settings: dict, before: str | None, become: str, layer: str
) -> None:
    """Read one layer of a model, and write what its attention is given, for `measure`.

    Args:
        number: of the layer, from 0.
        texts: a file with one text per line; None: those of the package.
        settings: see `several.Asked`.
        before: the file with what the texts have become in the layer before; None for the first layer.
        become, layer: the files to write; the first is for the next layer.
    """
    import torch

    from attnsvm.inspect.models import Reading

    given = sentences() if texts is None else lines(texts)
    options = {"position": settings["query"], "longest": settings["longest"], "seed": settings["seed"]}
    reading = Reading(folder, given, [number], **options)
    reading.require_memory(1)
    if before is not None:
        reading.walk.become = torch.load(before, weights_only=True)
    found = reading.layer(number)
    with replacing(become, checksum=False) as path:
        torch.save(reading.walk.become, path)
    with replacing(layer, checksum=False) as path, open(path, "wb") as file:
        pickle.dump(found, file)


def measure(name: str, layer: str, settings: dict, out: str) -> None:
    """Measure every head of a layer, and write what was found as JSON.

    Args:
        name: of the model. layer: the file from `pass_texts`. settings: see `several.Asked`.
    """
    given = unpickled(Path(layer).read_bytes())
    plan = offered(Plan(**{key: settings[key] for key in Plan.__match_args__}), given)
    found = {
        "norms": plan.norms,
        "lifted": bool(given.every),
        "files": given.files,
        "shown": shown(Bench(given, plan)),
        "heads": list(measured([given], plan)),
    }
    save_text(out, json.dumps(found, default=np.generic.item, ensure_ascii=False))


def gather(name: str, folder: str, layers: Sequence[str], settings: dict, out: str) -> None:
    """Write heads.parquet, heads.csv and heads.html of a model into a folder, given the files of all its layers."""
    found = [json.loads(Path(path).read_text("utf-8")) for path in layers]
    heads = [(row, marks) for one in found for row, marks in one["heads"]]
    first = found[0]
    made = page.origin(folder, settings["seed"], os.environ.get(COMMAND, ""), first["files"])
    running.gathered(name, made, first["shown"], heads, first["norms"], first["lifted"]).save(out)


def compare(tables: dict[str, str], csv: str) -> None:
    """Write how many heads of each layer pass which control, of how many, given {name: its heads.parquet}.

    The column `part` says in which sixth of the depth of its model a layer is, from 0.
    """
    rows = []
    for model, path in tables.items():
        table = store.load_table(path)
        depth = int(table["layer"].max()) + 1
        for (layer, heads), norm in itertools.product(table.groupby("layer"), NORMS):
            pairs = [(f"aligned with their SVM better than {what}", *of) for what, *of in alignments(table, norm)]
            pairs += [
                ("predicted by their SVM better than by the best rule", *of) for _, *of in predictions(table, norm)
            ]
            for what, *of in pairs:
                rows.append((model, layer, int(layer) * PARTS // depth, norm, what, *beaten(heads, *of)))
    store.save_csv(csv, store.as_text(pd.DataFrame(rows, columns=list(COMPARED))))


def _pass_texts(job) -> None:
    before, texts = (next(iter(job.inputs.get(name, [])), None) for name in ("before", "texts"))
    given = job.params.folder, int(job.wildcards.layer), texts, job.params.settings
    pass_texts(*given, before, job.outputs["become"], job.outputs["layer"])


def _gather(job) -> None:
    gather(
        job.name, job.params.folder, list(job.inputs["layers"]), job.params.settings, job.output[0].rpartition("/")[0]
    )


def _compare(job) -> None:
    compare(dict(zip(job.params.models, job.inputs["tables"], strict=True)), job.outputs["csv"])


JOBS = {
    "pass_texts": _pass_texts,
    "measure": lambda job: measure(job.name, job.inputs["layer"], job.params.settings, job.output[0]),
    "gather": _gather,
    "compare": _compare,
}
