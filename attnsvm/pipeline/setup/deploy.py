"""`attnsvm deploy FOLDER`: a working copy of the pipeline, from the installed package and without a clone.

The wheel carries Snakefile, workflow/, config/ and profiles/ as data (pyproject.toml); beside an editable installation
they lie in the repository. The package itself stays where it is installed.
"""

import shutil
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from attnsvm.system.errors import require
from attnsvm.system.writing import filling

ROOT = Path(__file__).resolve().parents[3]
SHARED = "share/attnsvm/"  # of an environment: where a wheel puts its data
CARRIED = ("Snakefile", "environment*.yml", "config/**/*", "profiles/**/*", "workflow/**/*")


def deploy(folder: Path) -> list[Path]:
    """Write the working copy into a new or empty folder; the paths of its files.

    Raises:
        UserError: there is something in the folder, it cannot be written, or the installed package lacks the files.
    """
    found = carried()
    require(
        bool(found), "this installation of attnsvm has no Snakefile: install a wheel of it, or clone the repository"
    )
    braces = {"{", "}"} & {*str(folder.resolve())}
    require(not braces, f"{folder}: Snakemake takes braces in a path for wildcards: choose another folder")
    with filling(folder, last="Snakefile") as made:
        for name, source in found.items():
            target = made / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    return [folder / name for name in found]


def carried() -> dict[str, Path]:
    """What a working copy is made of, by its path in it: of the repository, or of the installed wheel."""
    if (ROOT / "Snakefile").is_file():
        paths = sorted(path for pattern in CARRIED for path in ROOT.glob(pattern) if path.is_file())
        return {str(path.relative_to(ROOT)): path for path in paths if "__pycache__" not in path.parts}
    try:
        listed = files("attnsvm") or []
    except PackageNotFoundError:
        listed = []
    # pip has compiled the scripts, and lists that too.
    shared = (one for one in listed if SHARED in one.as_posix() and "__pycache__" not in one.parts)
    return {one.as_posix().partition(SHARED)[2]: Path(str(one.locate())) for one in shared}
