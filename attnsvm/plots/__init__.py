"""One module per figure: a tidy table in, a matplotlib Figure out. Neither torch nor cvxpy in sight."""

from importlib import import_module

from attnsvm.errors import UserError

# The experiments whose tables a figure draws; of several, the rows follow one another, with a column `experiment`.
FIGURES = {
    "trajectories": ("trajectories",),
    "hyperplanes": ("hyperplanes",),
    "local_convergence": ("local_convergence",),
    "normalisation": ("normalisation",),
    "svm_rank": ("svm_rank",),
    "multi_token": ("multi_token",),
    "convergence_types": ("convergence_types",),
    "token_count": ("token_count",),
    "self_attention": ("self_local_convergence", "self_convergence_types"),
    "feasibility": ("feasibility",),
    "penalised_head": ("penalised_head",),
    "regularisation_path": ("regularisation_path",),
    "norm_growth": ("norm_growth",),
    "sequence": ("sequence",),
    "cone": ("cone",),
    "positional": ("positional",),
}


def draw(name: str, table, settings: dict):
    """Draw the figure `name` from its table.

    Args:
        name: a key of `FIGURES`.
        table: pandas DataFrame, the numbers to draw; the columns are the figure's own.
        settings: "width" in inches (default 6.75), "font_size" in points (default 8).

    Raises:
        UserError: there is no such figure.
    """
    if name not in FIGURES:
        raise UserError(f"There is no figure {name!r}: choose one of {', '.join(FIGURES)}.")
    return import_module(f"attnsvm.plots.{name}").draw(table, settings)
