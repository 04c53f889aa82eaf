"""All texts pass one layer of a model, from what they have become in the one before."""

import pickle

import torch

from attnsvm.inspect.models import Reading
from attnsvm.inspect.texts import lines, sentences
from attnsvm.writing import replacing


def passed(
    folder: str, number: int, texts: str | None, settings: dict, before: str | None, become: str, layer: str
) -> None:
    """Read one layer of a model, and write what its attention is given, for `measuring`.

    Args:
        number: of the layer, from 0.
        texts: a file with one text per line; None: those of the package.
        settings: see `several.Asked`.
        before: the file with what the texts have become in the layer before; None for the first layer.
        become, layer: the files to write; the first is for the next layer.
    """
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
