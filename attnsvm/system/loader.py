"""How the modules of this package are imported: compiled code is taken by the content of its source, never by a date.

Left alone, Python takes the bytecode of a source that has the date and the size of the one that was compiled, and an
edit can keep both. The files are Python's own, of the kind that PEP 552 calls checked, so that every other import of
them compares contents too.

What a process has hashed to say which code runs (`fix`) is what it has loaded, and what it will load.
"""

import hashlib
import importlib.util
import marshal
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType

PACKAGE = __name__.partition(".")[0]
CHECKED = (0b11).to_bytes(4, "little")  # the flags of PEP 552: by a hash of the source, which is to be compared
HEAD = 16  # bytes before the code

_loaded: dict[str, bytes] = {}  # {file: SHA-256 of the source that was loaded last}
_fixed: dict[str, bytes] = {}  # {file: that of the one source that may be loaded}


class Edited(ImportError):
    """A file has other bytes than this process has seen in it before."""

    def __init__(self, file: str):
        super().__init__(f"{file}: was edited while this process ran; run the same command again", path=file)


def fix(path: Path) -> bytes:
    """The bytes of a source file; from now on this process loads no other ones.

    Raises:
        Edited: it has loaded, or fixed, others.
        OSError: the file cannot be read.
    """
    content, file = path.read_bytes(), os.path.realpath(path)
    sha256 = hashlib.sha256(content).digest()
    if _loaded.get(file, sha256) != sha256 or _fixed.setdefault(file, sha256) != sha256:
        raise Edited(file)
    return content


class Loader(SourceFileLoader):
    """Loads a module from its source, or from bytecode that was made of these very bytes."""

    def get_code(self, fullname: str) -> CodeType:
        """The code of the module; raises `Edited` and what Python raises."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        file, sha256 = os.path.realpath(path), hashlib.sha256(source).digest()
        if _fixed.get(file, sha256) != sha256:
            raise Edited(file)
        _loaded[file] = sha256
        kept = importlib.util.cache_from_source(path)
        head = importlib.util.MAGIC_NUMBER + CHECKED + importlib.util.source_hash(source)
        with suppress(OSError, EOFError, ValueError, TypeError):
            found = self.get_data(kept)
            if found[:HEAD] == head:
                return marshal.loads(found[HEAD:])
        code = self.source_to_code(source, path)
        if not sys.dont_write_bytecode:
            self.set_data(kept, head + marshal.dumps(code))  # at one stroke; nothing where it cannot be written
        return code


class Finder:
    """Finds the modules of this package, and no others, where Python does."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target=None) -> ModuleSpec | None:
        """The module's place with a `Loader`; raises `ImportError` for one that is compiled and has no source."""
        if not name.startswith(f"{PACKAGE}."):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:  # a folder
            return spec
        if not isinstance(spec.loader, SourceFileLoader):
            raise ImportError(f"{spec.origin}: is no source, and {PACKAGE} runs nothing else; remove it", name=name)
        spec.loader = Loader(name, spec.origin)
        return spec


def _install() -> None:
    """Import what is still to come of this package by `Loader`; what is there already gets checked bytecode."""
    others = [one for one in sys.meta_path if getattr(one, "__module__", "") != __name__]
    sys.meta_path[:] = [Finder, *others]
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == PACKAGE and (file := getattr(module, "__file__", None)):
            with suppress(OSError, SyntaxError):
                Loader(name, file).get_code(name)


_install()
