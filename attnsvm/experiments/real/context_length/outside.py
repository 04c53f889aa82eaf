"""What does not come with this package: a pretrained model."""

from attnsvm.errors import UserError
from attnsvm.inspect.known import deciding_files


def files(settings):
    try:
        return deciding_files(settings["models"])
    except UserError as error:
        raise UserError(f"figures/context_length: {error} (experiments.context_length.problems.models)") from error
