"""The distance of every layer at three steps, and what 1/steps² says of the third."""

from attnsvm.experiments.beyond.layers.deep_stacks.figure import drawn


def draw(table, settings):
    """Draw from rows (depth, layer, rule, seed, step, value)."""
    return drawn(table, settings, lambda own: own.iloc[:, 1].median() * (own.columns[1] / own.columns[2]) ** 2)
