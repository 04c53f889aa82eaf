"""The experiments: one file each says its grid, what is trained, what is solved and what is measured."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from attnsvm.errors import UserError

if TYPE_CHECKING:
    from attnsvm.experiments.base import Experiment

EXPERIMENTS = (
    "trajectories",
    "hyperplanes",
    "local_convergence",
    "normalisation",
    "svm_rank",
    "multi_token",
    "convergence_types",
    "token_count",
    "self_local_convergence",
    "self_convergence_types",
    "feasibility",
    "penalised_head",
    "regularisation_path",
    "norm_growth",
    "sequence",
    "cone",
    "positional",
)


def get(name: str, config: dict) -> Experiment:
    """The experiment `name` with its section of the configuration."""
    if name not in EXPERIMENTS:
        raise UserError(f"unknown experiment {name!r}: known are {', '.join(EXPERIMENTS)}")
    return importlib.import_module(f"attnsvm.experiments.{name}").EXPERIMENT(config)
