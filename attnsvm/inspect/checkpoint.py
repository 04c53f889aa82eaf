"""The weights of a model on disk: which file has which, and the weights themselves, read when they are asked for."""

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError, safe_open

from attnsvm.inspect.packaged import INDEX, PICKLED, one_file, shards
from attnsvm.system.errors import UserError, first_line, require
from attnsvm.system.untrusted import start

PLAIN = ("F64", "F32", "F16", "BF16")  # what else there is needs more than one tensor to make a weight
STORED = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}


class Checkpoint:
    """A folder with model.safetensors or its shards, or with a pickle of plain tensors.

    Nothing but headers is read until weights are asked for; a pickle of the oldest kind is read whole.

    Attributes:
        named_by: the file that says which weights there are.
        files: {name: the file that has the weight}.
        shapes: {name: (...,)}. kinds: {name: how its numbers are stored, as safetensors calls it}.

    Raises:
        UserError: there are no weights, a shard is missing or damaged, or the index names what is not there.
    """

    def __init__(self, folder: Path):
        index = shards(folder)
        self.named_by = folder / INDEX if index else one_file(folder)
        self.files: dict[str, Path] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.kinds: dict[str, str] = {}
        self._pickled = _unpickled(self.named_by) if self.named_by.name == PICKLED else {}
        for name, tensor in self._pickled.items():
            self.files[name], self.shapes[name] = self.named_by, tuple(tensor.shape)
            self.kinds[name] = STORED.get(tensor.dtype, str(tensor.dtype))
        for path in sorted({*index.values()}) or ([] if self._pickled else [self.named_by]):
            with _opened(path) as file:
                for name in file.keys():  # noqa: SIM118 (it is no dictionary)
                    tensor = file.get_slice(name)
                    self.files[name], self.shapes[name] = path, tuple(tensor.get_shape())
                    self.kinds[name] = tensor.get_dtype()
        for name, path in index.items():
            there = self.files.get(name) == path
            require(there, f"{path}: the weights {name} are not in it, where {INDEX} says they are; fetch it again")

    @property
    def read(self) -> set[Path]:
        """The files that have the weights, and the one that says which they are."""
        return {self.named_by, *self.files.values()}

    @contextmanager
    def tensors(self, names: Iterable[str]) -> Iterator[dict[str, Any]]:
        """{name: the weight, read where it is sliced}; [...] is all of it. Files are open inside."""
        if self._pickled:
            yield {name: self._pickled[name] for name in names}
            return
        with ExitStack() as stack:
            opened: dict[Path, Any] = {}
            for name in names:
                path = self.files[name]
                if path not in opened:
                    opened[path] = stack.enter_context(_opened(path))
            yield {name: opened[self.files[name]].get_slice(name) for name in names}


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    start(path, 1)
    try:
        file = safe_open(path, "pt")
    except (SafetensorError, OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read ({first_line(error)})") from error
    with file as opened:
        yield opened


def _unpickled(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a pickle, mapped from the file; no code in it is run."""
    start(path, 1)
    sentence = f"{path}: is a pickle of more than plain tensors, which is not read; save the model as model.safetensors"
    try:
        try:
            found = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # of the oldest kind, which cannot be mapped
            found = torch.load(path, map_location="cpu", weights_only=True)
        plain = isinstance(found, dict) and bool(found) and all(_plain(name, one) for name, one in found.items())
        require(not plain or _whole(path, found), f"{path}: its weights are longer than the places of their numbers")
    except UserError:
        raise
    except UnpicklingError as error:
        raise UserError(sentence) from error
    except Exception as error:  # a damaged pickle fails in any way
        why = str(error).strip().splitlines() or ["it ends too early"]
        raise UserError(f"{path}: cannot be read ({why[0].rstrip('.:')})") from error
    require(plain, sentence)
    return found


def _plain(name: Any, weight: Any) -> bool:
    """Whether this is a weight with its name; not one without numbers, or with a few of them again and again."""
    if not (isinstance(name, str) and isinstance(weight, torch.Tensor) and weight.layout == torch.strided):
        return False
    if weight.device.type != "cpu":  # that of a shape alone is "meta"
        return False
    return weight.numel() * weight.element_size() <= weight.untyped_storage().nbytes()


def _whole(path: Path, weights: dict[str, torch.Tensor]) -> bool:
    """Whether the numbers of all weights lie in the archive as they are, and end where their places end.

    What is mapped and longer would show the bytes behind its place.
    """
    if not zipfile.is_zipfile(path):
        return True
    with zipfile.ZipFile(path) as archive:
        stored = [one for one in archive.infolist() if one.compress_type == zipfile.ZIP_STORED]
        once = len({one.filename for one in stored}) == len(archive.infolist())
    storages = (weight.untyped_storage() for weight in weights.values())
    sizes = {one.data_ptr(): one.nbytes() for one in storages if one.nbytes()}
    return once and not Counter(sizes.values()) - Counter(one.file_size for one in stored)
