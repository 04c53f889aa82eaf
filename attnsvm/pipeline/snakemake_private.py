"""All that this workflow takes from Snakemake beyond its documentation: these names, each reached for here alone.

How they are counted: one for each attribute of Snakemake's objects that begins with an underscore, for each attribute
of `workflow` that Snakemake's documentation does not name (`workflow.source_path` and `workflow.cores` it names), and
for each import from a module of Snakemake that it does not name (`snakemake.utils` it names). An attribute of an
attribute is one name.

A name that is gone from a later Snakemake costs what it was for, and a line that says so. Those that decide which files
are built anew end the run with one sentence instead: without them an edit or a damaged file could go unseen.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from attnsvm.pipeline.run_errors import end

DECIDING = {"workflow.dag.forcefiles": "files to build anew, whatever their dates and records say"}
CONVENIENT = {
    "workflow.is_main_process": "every job checks anew what the run has checked",
    "workflow.storage_settings.default_storage_provider": "checksums lie beside the local copies of a bucket's files",
}
NAMES = (*DECIDING, *CONVENIENT)


def forced(workflow: Any) -> set[str]:
    """The files that Snakemake builds anew; it is there while jobs are found."""
    found = _deciding("workflow.dag.forcefiles", workflow)
    return found if isinstance(found, set) else _ended("workflow.dag.forcefiles")


def is_main_process(workflow: Any) -> bool:
    """Whether this is the process that a user started, and not one of its jobs."""
    return bool(_convenient("workflow.is_main_process", workflow, True))


def in_bucket(workflow: Any) -> bool:
    """Whether files lie in a bucket if nothing else is said."""
    return bool(_convenient("workflow.storage_settings.default_storage_provider", workflow, None))


def look_up(name: str, workflow: Any = None) -> Any:
    """What Snakemake has under a name; raises `AttributeError` or `ImportError` where it is gone."""
    first, *attributes = name.split(".")
    if first != "workflow":
        return getattr(import_module(name.rpartition(".")[0]), attributes[-1])
    for attribute in attributes:
        workflow = getattr(workflow, attribute)
    return workflow


def _deciding(name: str, workflow: Any = None) -> Any:
    try:
        return look_up(name, workflow)
    except (AttributeError, ImportError):
        return _ended(name)


def _ended(name: str) -> Any:
    end(
        f"this Snakemake has no {name} ({DECIDING[name]}), so an edit or a damaged file could go unseen: "
        "install a Snakemake that attnsvm names"
    )


def _convenient(name: str, workflow: Any, otherwise: Any, say: Callable[..., object] = print) -> Any:
    try:
        return look_up(name, workflow)
    except (AttributeError, ImportError):
        say(f"this Snakemake has no {name}: {CONVENIENT[name]}", file=sys.stderr)
        return otherwise
