"""What does not come with this package: a model that maps the atoms of reactions."""

from attnsvm.errors import UserError, require
from attnsvm.inspect.packaged import CONFIG, located, require_readers

PACKAGE = "rxnmapper"
FILES = CONFIG, "pytorch_model.bin", "vocab.txt"


def files(settings):
    where = "(experiments.known_answers.problems.model)"
    try:
        require_readers()
        folder = located(settings["model"], PACKAGE)
    except UserError as error:
        raise UserError(f"figures/known_answers: {error} {where}") from error
    for name in FILES:
        require((folder / name).is_file(), f"figures/known_answers: {folder}: there is no {name} in it {where}")
    return {name: folder / name for name in FILES}
