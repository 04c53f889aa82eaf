"""The pages of the API: every public name with its docstring, written by Sphinx."""

import importlib
import inspect
from types import ModuleType

# Modules in the order in which somebody meets them.
MODULES = (
    "attnsvm",
    "attnsvm.svm",
    "attnsvm.training",
    "attnsvm.training.stack",
    "attnsvm.inspect",
    "attnsvm.data.problems",
    "attnsvm.data.cells",
    "attnsvm.data.draws",
    "attnsvm.data.inputs",
    "attnsvm.analysis.selection",
    "attnsvm.analysis.directions",
    "attnsvm.geometry",
    "attnsvm.analysis.margins",
    "attnsvm.analysis.measured",
    "attnsvm.analysis.statistics",
    "attnsvm.plots.style",
    "attnsvm.audit",
    "attnsvm.errors",
)


def public(module: ModuleType) -> list[str]:
    """`__all__`, or the functions and classes that the module itself defines, sorted, without a leading underscore."""
    defined = (
        name
        for name, value in vars(module).items()
        if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__
    )
    names = getattr(module, "__all__", defined)
    return sorted((name for name in names if not name.startswith("_")), key=str.lower)


def module_page(name: str) -> str:
    """The public names of a module, with their docstrings as they are."""
    module = importlib.import_module(name)
    lines = [
        "---",
        "orphan: true",
        "---",
        f"# `{name}`",
        "",
        "[All modules](../api.md)",
        "",
        "```{eval-rst}",
        f".. automodule:: {name}",
        "   :no-members:",
        "",
    ]
    for member in public(module):
        value = getattr(module, member)
        kind = "class" if inspect.isclass(value) else "function" if callable(value) else "data"
        lines.append(f".. auto{kind}:: {name}.{member}")
        lines += ["   :members:", "   :member-order: bysource"] if kind == "class" else []
        lines += ["   :no-value:"] if kind == "data" else []
        lines.append("")
    return "\n".join([*lines, "```", ""])
