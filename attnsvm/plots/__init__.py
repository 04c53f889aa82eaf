"""One module per figure: a tidy table in, a matplotlib Figure out. Neither torch nor cvxpy in sight."""

from importlib import import_module

from attnsvm.errors import UserError

FIGURES = ("trajectories", "hyperplanes", "local_convergence", "normalisation", "svm_rank", "multi_token")


def draw(name: str, table, settings: dict):
    """Draw the figure `name` from its table.

    Args:
        name: one of `FIGURES`.
        table: pandas DataFrame, the numbers to draw; the columns are the figure's own.
        settings: "width" in inches (default 6.75), "font_size" in points (default 8).

    Raises:
        UserError: there is no such figure.
    """
    if name not in FIGURES:
        raise UserError(f"There is no figure {name!r}: choose one of {', '.join(FIGURES)}.")
    return import_module(f"attnsvm.plots.{name}").draw(table, settings)
