"""What does not come with this package: the files of a pretrained encoder."""

from attnsvm.inspect.packaged import deciding_files
from attnsvm.system.errors import UserError


def files(settings):
    try:
        return deciding_files(settings["model"])
    except UserError as error:
        raise UserError(f"figures/pretrained: {error} (experiments.pretrained.problems.model)") from error
