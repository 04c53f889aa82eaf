"""What does not come with this package: pretrained models."""

from attnsvm.errors import UserError
from attnsvm.inspect.known import deciding_files


def files(settings):
    try:
        return deciding_files(settings["models"])
    except UserError as error:
        raise UserError(f"figures/several_models: {error} (experiments.several_models.problems.models)") from error
