"""Edits, and the jobs whose params they change: asked of the plan, from which the rules take a job's params."""

import re
from functools import cache

import pytest
import yaml
from harness import ROOT, edited

from attnsvm.data.cells import COUNTED
from attnsvm.pipeline import cards, configuration, modules
from attnsvm.pipeline.hashes import dependencies
from attnsvm.pipeline.plan import Plan, earlier

CARDS = {card.name: card for card in cards.every()}
EXPERIMENTS = [card.name for card in cards.experiments()]
FIGURES = [card.name for card in cards.figures()]
ALL = {
    "figure": {("figure", name) for name in FIGURES},
    "claims": {("claims", "claim")},
    "audit_figure": {("audit_figure", "audit")},
    "provenance": {("provenance", name) for name in [*FIGURES, "audit"]},
}


def append(text):
    return lambda old: f"{old}\n{text}\n"


def change(old, new):
    def changed(text):
        assert old in text, f"{old!r} is not there to be edited"
        return text.replace(old, new, 1)

    return changed


CODE = append("_EDITED = 1")
COMMENT = append("# edited")


class Repository:
    """A copy of the repository whose params this process computes, as if it were our own."""

    def __init__(self, folder):
        self.folder = folder
        with self:
            self.before = self.params()

    def __enter__(self):
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(cards, "HERE", self.folder / "attnsvm/pipeline")
        self.patch.setattr(cards, "FOLDER", self.folder / "attnsvm/experiments")
        self.patch.setattr(cards, "OWN", self.folder / "experiments")
        self.patch.setattr(dependencies, "ROOT", self.folder)

    def __exit__(self, *_):
        self.patch.undo()
        forget()

    def params(self):
        """{(rule, name): what a job of it has among its params}, at smoke scale."""
        forget()
        plan = Plan(configuration.resolve({"scale": "smoke"}), {})
        found = {}
        for card in cards.experiments():
            for stage in card.stages[:-1]:
                found[stage, card.name] = own(plan, stage, experiment=card.name, block="any")
            found["measures", card.name] = own(plan, "measures", experiment=card.name)
            # A block's parts of the grid follow from these, and from code; the copy's cannot be imported.
            whole = configuration.stage_settings(card, plan.resolved, "problems")
            parts = card.blocks, {key: value for key, value in whole.items() if key in COUNTED}
            found["problems", card.name] += f" {parts}"
        for card in cards.figures():
            found["figure", card.name] = own(plan, "figure", figure=card.name)
        found["claims", "claim"] = own(plan, "claims")
        found["audit_figure", "audit"] = own(plan, "audit_figure")
        for name in [*(card.name for card in cards.figures()), "audit"]:
            found["provenance", name] = own(plan, "provenance", pictured=name)
        return found

    def changed(self, changes):
        """The jobs whose params an edit changes."""
        with self, edited(self.folder, changes):
            after = self.params()
        return {job for job in {*self.before, *after} if self.before.get(job) != after.get(job)}


def own(plan, rule, **wildcards):
    """The params of a job, as Snakemake compares them, but for what follows from earlier jobs or from the grid."""
    params = plan.params(rule)
    return repr({name: params[name](**wildcards) for name in params if name not in ("parts", "blocks")})


def forget():
    for module in (cards, dependencies):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def following(changed):
    """The jobs of `changed` and all that read what they make."""
    found, todo = set(), set(changed)
    while todo:
        found |= todo
        todo = {after for job in todo for after in readers(*job)} - found
    return found


def readers(rule, name):
    """The jobs that read what a job makes."""
    if rule == "provenance":
        return set()
    if rule in ("claims", "audit_figure"):
        return {("provenance", "audit")} | (ALL["audit_figure"] if rule == "claims" else set())
    if rule == "figure":
        return {("provenance", name), *ALL["claims"]}
    if rule != "measures":
        card = CARDS[name]
        return {(stage, name) for stage in card.stages if stage != rule and rule in earlier(card, stage)}
    figures = {figure for figure in FIGURES if name in CARDS[figure].draws}
    return {(rule, figure) for figure in figures for rule in ("figure", "provenance")} | {
        *ALL["claims"],
        ("provenance", "audit"),
    }


STATEMENT = re.compile(r"^\s*(?:from (attnsvm[\w.]*) import (\([^)]*\)|.*)|import (attnsvm[\w.]*))", re.MULTILINE)


@cache
def text(module):
    """The text of a module; "" where there is none."""
    base = ROOT.joinpath(*module.split("."))
    files = [path for path in (base.with_suffix(".py"), base / "__init__.py") if path.exists()]
    return files[0].read_text() if files else ""


@cache
def imported(module):
    """The modules that the import statements in the text of a module say, and the packages above them and it.

    A norm names the functions of its compiled direction in full, as `batch.singular.polar`.
    """
    found = {module}
    for package, names, plain in STATEMENT.findall(text(module).partition("if TYPE_CHECKING:")[0]):
        found |= {plain or package} | {f"{package}.{name}" for name in re.findall(r"\w+", names) if package}
    if "attnsvm.batch" in found:
        found |= {f"attnsvm.batch.{name}" for name in re.findall(r"\bbatch\.(\w+)\.", text(module))}
    parts = [name.split(".") for name in found]
    return {".".join(name[:k]) for name in parts for k in range(1, len(name) + 1) if text(".".join(name[:k]))}


@cache
def behind(*modules):
    """All that `modules` run, by the text of their import statements, and the norms that their experiments name."""
    found, todo = set(), set(modules)
    while todo:
        found |= todo
        todo = {name for module in todo for name in imported(module)} - found
        if "attnsvm.geometry" in found and not todo:
            experiments = {module.split(".")[-2] for module in found if "attnsvm.experiments." in module}
            todo = norms(experiments & set(cards.folders())) - found
    return found


def norms(experiments):
    """The files of norms, and others beside them, whose names stand in quotes in the stages of experiments."""
    todo = {
        f"{cards.place(name).replace('/', '.')}.{path.stem}"
        for name in experiments
        for path in cards.folders()[name].glob("*.py")
        if path.stem not in ("figure", "claims")
    }
    texts = [text("attnsvm.geometry")]
    while todo:
        module = todo.pop()
        texts.append(text(module))
        todo |= {name for name in imported(module) if "attnsvm.experiments." in name and text(name) not in texts}
    files = {path.stem for path in (ROOT / "attnsvm/geometry").glob("*.py")}
    return {f"attnsvm.geometry.{name}" for name in files if re.search(rf'["\'.]{name}["\']', "\n".join(texts))}


def users(*edited, parts=cards.STAGES):
    """What runs one of the edited modules: {(stage, name)} of the stages, figures, claims in `parts` of every run."""

    def run(card, part):
        claims = [card.modules["claims"]] if part == "figure" and "claims" in card.modules else []
        return card.modules[part], modules.RUNNERS[part], *modules.FIRST, *claims

    return {
        (part, card.name)
        for card in cards.every()
        if not card.optional
        for part in parts
        if part in card.modules and behind(*run(card, part)) & {*edited}
    }


def with_setting(stage, key, **changes):
    def changed(text):
        card = yaml.safe_load(text)
        card["settings"][stage][key] |= changes
        return yaml.safe_dump(card, sort_keys=False, allow_unicode=True)

    return changed


def with_keys(**changes):
    return lambda text: yaml.safe_dump(yaml.safe_load(text) | changes, sort_keys=False, allow_unicode=True)


LOCAL, RANK = "attnsvm/experiments/paper/local_convergence/card.yaml", "attnsvm/experiments/paper/svm_rank/card.yaml"
