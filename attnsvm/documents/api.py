"""What docs/api.md lists: the public names of the package, with their arguments and their first sentence."""

import importlib
import inspect
from collections.abc import Iterable
from enum import Enum

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


def reference() -> list[dict]:
    """Per module: its name, its first sentence, and its public names as {"call", "text"}."""
    return [_module(name) for name in MODULES]


def public(module) -> list[str]:
    """`__all__`, or the functions and classes that the module itself defines, sorted, without a leading underscore."""
    own = (
        name
        for name, value in vars(module).items()
        if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__
    )
    names = getattr(module, "__all__", own)
    return sorted((name for name in names if not name.startswith("_")), key=str.lower)


def first_sentence(thing) -> str:
    """Of its docstring; "" without one."""
    text = " ".join((inspect.cleandoc(thing.__doc__) if thing.__doc__ else "").split("\n\n")[0].split())
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _module(name: str) -> dict:
    module = importlib.import_module(name)
    members = []
    for member in public(module):
        value = getattr(module, member)
        members.append({"call": _call(member, value), "text": first_sentence(value)})
    return {"name": name, "text": first_sentence(module), "members": members}


def _call(name: str, value) -> str:
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception | Enum)):
        return name
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return name
    return f"{name}({', '.join(_names(parameters))})"


def _names(parameters: Iterable[inspect.Parameter]) -> Iterable[str]:
    marked = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not marked:
            marked = True
            yield "*"
        if parameter.kind is parameter.VAR_POSITIONAL:
            marked = True
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        yield stars + parameter.name
