"""What does not come with this package: a model that maps the atoms of reactions."""

from attnsvm.errors import UserError, require
from attnsvm.inspect.packaged import CONFIG, located, require_readers

PACKAGE = "rxnmapper"
FILES = CONFIG, "pytorch_model.bin", "vocab.txt"


def files(settings):
    return of_a_figure("known_answers", settings)


def of_a_figure(figure: str, settings: dict) -> dict:
    """{name: path}, for the settings of the problems of a figure; a UserError names the figure."""
    where = f"(experiments.{figure}.problems.model)"
    try:
        require_readers()
        folder = located(settings["model"], PACKAGE)
    except UserError as error:
        raise UserError(f"figures/{figure}: {error} {where}") from error
    for name in FILES:
        require((folder / name).is_file(), f"figures/{figure}: {folder}: there is no {name} in it {where}")
    return {name: folder / name for name in FILES}
