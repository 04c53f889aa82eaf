"""The instances of `real_tokens` whose queries are tokens of the image."""

from attnsvm.experiments.real.real_tokens.problems import cells as every
from attnsvm.experiments.real.real_tokens.problems import problems as problems


def cells(settings):
    return [cell for cell in every(settings) if cell.variant == "digits_position"]
