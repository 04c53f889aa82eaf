"""The weights of a model on disk: which file has which, and the weights themselves, read when they are asked for."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from attnsvm.inspect.packaged import GGUF, INDEX, WEIGHTS, shards
from attnsvm.system import extras
from attnsvm.system.errors import UserError, first_line, require
from attnsvm.system.untrusted import start

PLAIN = ("F64", "F32", "F16", "BF16")  # what else there is needs more than one tensor to make a weight


class Checkpoint:
    """A folder with model.safetensors, its shards, or GGUF files: only headers are read until weights are asked for.

    Attributes:
        named_by: the file that says which weights there are.
        files: {name: the file that has the weight}.
        shapes: {name: (...,)}. kinds: {name: how its numbers are stored, as safetensors calls it}.

    Raises:
        UserError: there are no weights, a shard is missing or damaged, or the index names what is not there.
    """

    def __init__(self, folder: Path):
        index = shards(folder)
        self.named_by = folder / (INDEX if index else WEIGHTS)
        self.files: dict[str, Path] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.kinds: dict[str, str] = {}
        self._mapped: dict[Path, Any] = {}
        for path in sorted({*index.values()}) or [self.named_by]:
            with self._opened(path) as file:
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
        with ExitStack() as stack:
            opened: dict[Path, Any] = {}
            for name in names:
                path = self.files[name]
                if path not in opened:
                    opened[path] = stack.enter_context(self._opened(path))
            yield {name: opened[self.files[name]].get_slice(name) for name in names}

    @contextmanager
    def _opened(self, path: Path) -> Iterator[Any]:
        if path not in self._mapped and start(path, len(GGUF)) == GGUF:
            extras.needed("gguf", extra="models")
            from attnsvm.inspect.gguf import Part

            self._mapped[path] = Part(path)  # once: its header holds the vocabulary
        if path in self._mapped:
            yield self._mapped[path]
            return
        try:
            file = safe_open(path, "pt")
        except (SafetensorError, OSError, ValueError) as error:
            raise UserError(f"{path}: cannot be read ({first_line(error)})") from error
        with file as opened:
            yield opened
