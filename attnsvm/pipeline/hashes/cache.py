"""What was worked out from the bytes of files, remembered from one run of Snakemake to the next.

The memo is a file among the compiled modules. Its keys are hashes of all that an answer follows from, the code that
worked it out included, so that no date and no other version can mislead it. If nobody may write to that folder, every
run works its answers out again.
"""

import atexit
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from attnsvm.system.errors import UserError
from attnsvm.system.untrusted import json_file
from attnsvm.system.writing import save_text

MOST = 10_000  # answers that are kept, the newest


def recall(contents: tuple[bytes, ...], work_out: Callable[[], Any]) -> Any:
    """The answer that follows from these contents in this order; worked out if no run has done so."""
    return MEMO.recall(key_of(*contents), work_out)


def key_of(*contents: bytes) -> str:
    """A name for these contents in this order."""
    return hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()


class Memo:
    """Answers by key, in a JSON file; read when first asked, written when the process ends.

    Each is a text in JSON behind its hash: one that is damaged, or of another kind, is worked out again.
    """

    def __init__(self, path: Path):
        self.path, self.changed = path, False

    def recall(self, key: str, work_out: Callable[[], Any]) -> Any:
        """The answer for `key`; worked out if it is not known, and then remembered if JSON gives it back the same."""
        kept = self.known.get(key)
        if isinstance(kept, str) and kept == _with_hash(key, kept[64:]):
            return json.loads(kept[64:])
        answer = work_out()
        with suppress(TypeError, ValueError):
            text = json.dumps(answer)
            if json.loads(text) == answer:
                self.known[key] = _with_hash(key, text)
                self._write_at_the_end()
        return answer

    @cached_property
    def known(self) -> dict[str, Any]:
        """All answers by key, those of former runs first."""
        known = None
        with suppress(UserError):
            known = json_file(self.path)
        return known if isinstance(known, dict) else {}

    def _write_at_the_end(self) -> None:
        if not self.changed:
            self.changed = True
            atexit.register(self._write)

    def _write(self) -> None:
        with suppress(UserError):
            save_text(self.path, json.dumps(dict([*self.known.items()][-MOST:])), checksum=False)


def _with_hash(key: str, text: str) -> str:
    return f"{hashlib.sha256(f'{key} {text}'.encode('utf-8', 'surrogatepass')).hexdigest()}{text}"


MEMO = Memo(Path(__file__).parent / "__pycache__" / "memo.json")
