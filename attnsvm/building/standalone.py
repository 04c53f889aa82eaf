"""A figure's script without this package: its module and what that takes from others, as one file of plain matplotlib.

What is taken along is the code as it stands, comments and all, without what the figure does not use. A name that two
modules define, or that is taken as module.name, is given the name of its module in all but the figure's own.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill

from attnsvm.building import cards
from attnsvm.errors import require
from attnsvm.files.writing import save_text
from attnsvm.hashes.dependencies import ROOT, file_of

STYLE = "attnsvm.plots.style"
ENDING = "plot.py"  # of figures/<name>.plot.py
Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign

HEAD = '''"""{title}

{about}
"""

import os
'''
TAIL = """

SETTINGS = {settings!r}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    figure = draw(pd.read_csv(os.path.join(here, "{name}.csv")), SETTINGS)
    with open(os.path.join(here, "{name}.redrawn.png"), "wb") as file:
        file.write({rendered}(figure, "png", SETTINGS["dpi"]))


if __name__ == "__main__":
    main()
"""


@dataclass
class Module:
    """A module that goes into the script.

    Attributes:
        name: dotted.
        lines: of its source, in bytes, as `ast` counts columns.
        defined: what it defines, by name.
        local: what it calls the things of other modules of ours: (module, name), or (module, "") for a module.
        outside: its imports of other libraries: the statement by the name that it binds.
    """

    name: str
    lines: list[bytes]
    defined: dict[str, Definition]
    local: dict[str, tuple[str, str]]
    outside: dict[str, str]

    @property
    def stem(self) -> str:
        """How its names are told from equal names of others: the last part of its name that says something."""
        parts = self.name.split(".")
        return parts[-2] if parts[-1] == "figure" else parts[-1]


def write(name: str, settings: dict, output: str) -> None:
    """Write the script of a figure.

    Args:
        settings: those of all figures, see figures.yaml.
        output: the path of the script; its csv lies beside it.
    """
    save_text(output, text(name, settings))


def text(name: str, settings: dict) -> str:
    """The script of a figure, which draws figures/`name`.redrawn.png from the csv beside it."""
    card = cards.read(name)
    own = card.modules["figure"]
    modules = _closure(own)
    used = _used(modules, [(own, "draw"), (STYLE, "rendered")])
    called = _called(modules, used, own)
    outside = {"pd": "import pandas as pd"}
    for module, names in used.items():
        outside |= {bound: modules[module].outside[bound] for bound in _outside(modules[module], names)}
    about = fill(
        f"Draws {name}.redrawn.png from {name}.csv beside this file. It needs matplotlib, NumPy and pandas, and "
        "nothing of attnsvm, which wrote it: change it as you like.",
        110,
    )
    title = card.title[0].upper() + card.title[1:] + ("" if card.title[-1] in "?.!" else ".")
    parts = [HEAD.format(title=title, about=about), "\n".join(sorted(set(outside.values()))), "\n\n"]
    for module in sorted(used, key=list(modules).index):
        parts += [
            _rewritten(modules[module], definition, called) for definition in _in_order(modules[module], used[module])
        ]
    return "".join(parts) + TAIL.format(settings=settings, name=name, rendered=called[STYLE, "rendered"])


def _closure(own: str) -> dict[str, Module]:
    """The figure's module and those of ours that it takes from, each behind all that it takes from."""
    found: dict[str, Module] = {}

    def visit(name: str) -> None:
        if name not in found:
            module = _read(name)
            for other, _ in module.local.values():
                visit(other)
            found[name] = module

    visit(own)
    visit(STYLE)
    return found


def _read(name: str) -> Module:
    file = file_of(name)
    require(file is not None, f"{name}: there is no such module")
    source = (ROOT / str(file)).read_bytes()
    defined: dict[str, Definition] = {}
    local: dict[str, tuple[str, str]] = {}
    outside: dict[str, str] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            defined |= {one.id: node for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                where = node.module if isinstance(node, ast.ImportFrom) else None
                if not (where or alias.name).startswith("attnsvm"):
                    alone = ast.Import([alias]) if where is None else ast.ImportFrom(where, [alias], 0)
                    outside[bound] = ast.unparse(alone)
                elif file_of(f"{where}.{alias.name}"):
                    local[bound] = (f"{where}.{alias.name}", "")
                else:
                    local[bound] = (str(where), alias.name)
    return Module(name, source.splitlines(keepends=True), defined, local, outside)


def _names(module: Module, definition: Definition) -> Iterator[tuple[ast.expr, str, str]]:
    """The places of a definition that speak of a top-level name of ours: (node, module, name).

    A name that a function takes as an argument is the argument there.
    """

    def walk(node: ast.AST, hidden: frozenset[str]) -> Iterator[tuple[ast.expr, str, str]]:
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            arguments = node.args
            given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            hidden = hidden | {one.arg for one in given if one}
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in hidden:
            other, name = module.local.get(node.value.id, ("", "x"))
            if other and not name:
                yield node, other, node.attr
                return
        if isinstance(node, ast.Name) and node.id not in hidden:
            if node.id in module.defined:
                yield node, module.name, node.id
            elif node.id in module.local:
                yield node, *module.local[node.id]
        for child in ast.iter_child_nodes(node):
            yield from walk(child, hidden)

    yield from walk(definition, frozenset())


def _used(modules: dict[str, Module], wanted: list[tuple[str, str]]) -> dict[str, set[str]]:
    """By module, the names that some names need, these included."""
    found: dict[str, set[str]] = {}
    todo = list(wanted)
    while todo:
        name, one = todo.pop()
        if one in found.setdefault(name, set()):
            continue
        module = modules[name]
        if one in module.local:  # taken through a module that only imported it
            todo.append(module.local[one])
            continue
        found[name].add(one)
        todo += [(other, needed) for _, other, needed in _names(module, module.defined[one])]
    return {name: names for name, names in found.items() if names}


def _called(modules: dict[str, Module], used: dict[str, set[str]], own: str) -> dict[tuple[str, str], str]:
    """What every name is called in the script."""
    everywhere = [name for names in used.values() for name in names]
    dotted = {  # "plane.tokens": beside it something else may be called tokens
        (other, name)
        for module, names in used.items()
        for one in names
        for node, other, name in _names(modules[module], modules[module].defined[one])
        if isinstance(node, ast.Attribute)
    }
    found = {
        (module, name): name
        if module == own or (everywhere.count(name) == 1 and (module, name) not in dotted)
        else f"{name}_of_{modules[module].stem}"
        for module, names in used.items()
        for name in names
    }
    for module in modules.values():  # a name may be taken through another module
        for bound, (other, name) in module.local.items():
            if (other, name) in found:
                found.setdefault((module.name, bound), found[other, name])
    return found


def _outside(module: Module, names: set[str]) -> set[str]:
    """The names of other libraries that some definitions of a module use."""
    nodes = (node for name in names for node in ast.walk(module.defined[name]))
    return {node.id for node in nodes if isinstance(node, ast.Name)} & set(module.outside)


def _in_order(module: Module, names: set[str]) -> list[Definition]:
    found = {id(module.defined[name]): module.defined[name] for name in names}
    return sorted(found.values(), key=lambda node: node.lineno)


def _rewritten(module: Module, definition: Definition, called: dict[tuple[str, str], str]) -> str:
    """The source of a definition, with the names of the script; an assignment stands close to the one before it."""
    named = definition if isinstance(definition, ast.FunctionDef | ast.ClassDef) else None
    first = min([definition.lineno, *(one.lineno for one in named.decorator_list)] if named else [definition.lineno])
    while first > 1 and module.lines[first - 2].startswith(b"#"):  # what is said of it
        first -= 1
    lines = module.lines[: definition.end_lineno]
    edits = {
        (node.lineno, node.col_offset, node.end_col_offset, called.get((other, name), name))
        for node, other, name in _names(module, definition)
    }
    for line, start, end, new in sorted(edits, reverse=True):
        lines[line - 1] = lines[line - 1][:start] + new.encode() + lines[line - 1][end:]
    if named:
        keyword = b"class " if isinstance(named, ast.ClassDef) else b"def "
        old, given = named.name.encode(), called[module.name, named.name].encode()
        at = named.lineno - 1
        lines[at] = lines[at].replace(keyword + old, keyword + given, 1)
    return ("\n\n" if named else "") + b"".join(lines[first - 1 :]).decode()
