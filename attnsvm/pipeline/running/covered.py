"""A job runs nothing that its hash does not cover: what no import statement says is found while it runs.

A module chosen by name, as with `importlib`, would escape the hash, and an edit of it would rerun nothing.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from attnsvm.errors import require
from attnsvm.pipeline.hashes.dependencies import file_of, module_files

# How a job is run, what is written of it, and how files are written.
ROOMS = ("pipeline", "publish", "checksums", "store", "writing")
OVER_NO_NUMBER = tuple(f"attnsvm.{room}." for room in ROOMS)


@contextmanager
def covered(*modules: str) -> Iterator[None]:
    """Refuse what the body makes if it imports a module of this package that is not behind `modules`.

    What was imported before counts for nothing: what runs the job, and in one process with others their modules.

    Raises:
        UserError: there is such a module.
    """
    before = {*sys.modules}
    yield
    ours = (name for name in sys.modules.keys() - before if name.startswith("attnsvm."))
    found = {file_of(name): name for name in ours if not f"{name}.".startswith(OVER_NO_NUMBER)}
    unseen = sorted({*found} - {"", *module_files(*modules)} if found else ())
    require(
        not unseen,
        f"{modules[0]} runs {', '.join(found[file] for file in unseen)}, which no import statement behind it names: "
        "an edit of it would rerun nothing; import it by a statement",
    )
