"""What does not come with this package: the files of a pretrained encoder."""

from attnsvm.errors import UserError
from attnsvm.inspect.packaged import deciding_files


def files(settings):
    try:
        return deciding_files(settings["model"])
    except UserError as error:
        raise UserError(f"figures/pretrained: {error} (experiments.pretrained.problems.model)") from error
