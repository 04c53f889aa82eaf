"""What every job of a run is given: its params and its input files, by its rule and that rule's wildcards.

Snakemake compares params by value, dates or not, and runs a job again when one of them is another: they name everything
that a job's output follows from. `Plan.params` says what they are, for the rules, for `attnsvm bundle` and for the
tests of reruns. Arguments are called as the wildcards are.
"""

import csv
import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

from attnsvm.pipeline import blocks, cards, elsewhere, modules, targets
from attnsvm.pipeline.configuration import block_settings, outside, stage_settings, variants
from attnsvm.pipeline.hashes.dependencies import digest
from attnsvm.system.errors import UserError, require

Param = Callable[..., object]  # of the wildcards of a rule
FAILS = "fails"  # see attnsvm.audit.evaluation, which needs more than Snakemake brings


def folder(resolved: dict) -> str:
    """Where a scale has its folders: smoke numbers stay out of the paper's."""
    return "" if resolved["scale"] == "paper" else f"{resolved['scale']}/"


def earlier(card: cards.Card, stage: str) -> tuple[str, ...]:
    """The stages whose files a stage of the experiment reads.

    Raises:
        UserError: the experiment does not have the stage.
    """
    require(stage in card.stages, f"{card.name} has no {stage}: its stages are {', '.join(card.stages)}")
    before = card.stages[: card.stages.index(stage)]
    return before[:1] if stage == "descent" else before


class Plan:
    """The params and input files of a run's jobs.

    Every method raises `UserError` for what the user can mend: a file from outside that is missing, a stage or a block
    that an experiment does not have, source that is no Python.

    Args:
        resolved: the whole configuration.
        scatter: how many blocks there are at most, by experiment (--set-scatter).
    """

    def __init__(self, resolved: dict, scatter: Mapping[str, int]):
        self.resolved, self.scatter, self.at = resolved, scatter, folder(resolved)
        self.blocks, self.history = cache(self._blocks), cache(self._history)
        self.variants = cache(self._variants)

    def params(self, rule: str) -> dict[str, Param]:
        """The params of a rule's jobs by name, as functions of its wildcards.

        `settings` are those of the configuration, `code` is a hash of what a job runs, and `origin` says what it starts
        from: see the method of that name.

        Raises:
            ValueError: there is no such rule.
        """
        figures: dict[str, Param] = {"settings": lambda **_: self.resolved["figures"]}
        code: dict[str, Param] = {"code": partial(self.code, rule)}
        drawn: dict[str, Param] = {
            "settings": lambda figure: (
                self.resolved["figures"] | {"scale": self.resolved["scale"], "title": cards.read(figure).title}
            ),
            "code": partial(self.code, "figure"),
        }
        match rule:
            case "problems" | "descent" | "svm" | "measures" | "measures_of_block":
                stage = "measures" if rule == "measures_of_block" else rule
                return {name: partial(getattr(self, name), stage) for name in ("settings", "code", "origin")}
            case "variant":
                return {"settings": self.settings_of_stages, "code": self.codes, "origin": self.parts}
            case "figure":
                return drawn | {"origin": lambda figure: self.histories(targets.behind(figure))}
            case "claims" | "claims_of":
                names: dict[str, Param] = {"claiming": targets.claiming} if rule == "claims" else {}
                return names | code | {"origin": lambda claimed="": self.histories(targets.measured(claimed))}
            case "audit_figure":
                return figures | code
            case "matrices":
                of_all = {"variants": dict, "tables": dict, "origin": str}  # they are those of the matrices
                return code | of_all
            case "cells" | "matrix":
                return {
                    "code": partial(self.code, "matrix"),
                    "variants": self.words,
                    "tables": partial(self.settings_of_tables, rule == "matrix"),
                    "origin": lambda matrixed: self.histories(self.varied(matrixed)),
                }
            case "provenance":
                experiments = self.resolved["experiments"]
                return {
                    **figures,
                    **code,
                    "experiments": lambda pictured: {name: experiments[name] for name in targets.behind(pictured)},
                    "blocks": lambda pictured: {name: list(self.blocks(name)) for name in targets.behind(pictured)},
                    "outside": self.all_outside,
                    "files": modules.files_behind,
                }
        raise ValueError(f"no rule {rule!r}")

    def settings(self, stage: str, experiment: str, block: str = "") -> dict:
        """What the configuration says of a stage; of the first also what it reads from outside."""
        card = cards.read(experiment)
        if not block:
            return stage_settings(card, self.resolved, stage)
        chosen = block_settings(card, self.resolved, stage)
        read = outside(card, self.resolved) if stage == "problems" else {}
        return chosen | {"outside": read} if read else chosen

    def code(
        self, rule: str, experiment: str = "", figure: str = "", claimed: str = "", matrixed: str = "", **_
    ) -> str:
        """The hash of the code that a job runs; of a stage with the arithmetic that it has (running/arithmetic.py)."""
        code = digest(*modules.of(rule, experiment or figure or claimed or matrixed), texts=modules.TEXTS.get(rule, ()))
        return _hash(code, self.resolved["arithmetic"]) if rule in cards.STAGES else code

    def settings_of_stages(self, experiment: str, block: str) -> dict[str, dict]:
        """The settings of every stage of a variant, whose stages are one job."""
        return {stage: self.settings(stage, experiment, block) for stage in cards.read(experiment).stages}

    def codes(self, experiment: str, block: str) -> dict[str, str]:
        """The hash of the code of every stage of a variant."""
        return {stage: self.code(stage, experiment) for stage in cards.read(experiment).stages}

    def origin(self, stage: str, experiment: str, block: str = "") -> object:
        """For the first stage the parts of cells to draw, for a later one a hash of settings and code of those before.

        Snakemake compares the files of those stages, but not what is gone: drawn anew for another seed and then
        deleted, by hand or by a run that was killed, they would leave old figures that pass as up to date.
        """
        if stage == "problems":
            return self.parts(experiment, block)
        return self.history(experiment, earlier(cards.read(experiment), stage), block)

    def parts(self, experiment: str, block: str) -> list[list]:
        """The parts of cells of which a block is made, as lists: what a job is given has no class of ours."""
        return [list(part) for part in self.blocks(experiment)[block]]

    def histories(self, experiments: Iterable[str]) -> str:
        """One hash of the settings and the code of all stages of experiments."""
        whole = [self.history(name, cards.read(name).stages) for name in experiments]
        return hashlib.sha256(repr(whole).encode()).hexdigest()

    def all_outside(self, pictured: str) -> dict[str, dict[str, str]]:
        """The checksums of the files from outside by experiment, for those behind a figure that read any."""
        read = {name: outside(cards.read(name), self.resolved) for name in targets.behind(pictured)}
        return {name: files for name, files in read.items() if files}

    def block_files(self, stage: str, experiment: str, block: str) -> dict[str, str]:
        """The files of the earlier stages from one block, by stage."""
        stages, known = earlier(cards.read(experiment), stage), self.blocks(experiment)
        if block not in known:
            more = ", ..." if len(known) > 4 else ""
            raise UserError(f"{experiment} has no block {block}: its blocks are {', '.join([*known][:4])}{more}")
        base = f"{self.at}results/{experiment}/{block}"
        return {name: f"{base}/{name}.npz" for name in stages}

    def gathered_files(self, experiment: str) -> dict[str, list[str]]:
        """What is measured of every block, or where blocks are few the files of all stages, by stage."""
        base, known = f"{self.at}results/{experiment}", self.blocks(experiment)
        few = len(known) <= blocks.MEASURED_TOGETHER and not cards.read(experiment).variant
        stages = earlier(cards.read(experiment), "measures") if few else ("measures",)
        return {stage: [f"{base}/{block}/{stage}.npz" for block in known] for stage in stages}

    def tables(self, figure: str) -> dict[str, str]:
        """The tables that a figure draws, by experiment."""
        return {name: f"{self.at}results/{name}/measures.parquet" for name in targets.behind(figure)}

    def varied(self, matrixed: str) -> list[str]:
        """The experiments behind a figure under other settings: of each variant those that the figure draws."""
        drawn = cards.read(matrixed).draws
        return [f"{cards.ELSEWHERE}/{name}/{variant}" for variant in self.variants(matrixed) for name in drawn]

    def varied_on(self, matrixed: str, variants: Iterable[str]) -> list[str]:
        """The experiments of some variants of a figure, run on; none where no experiment has more steps."""
        drawn = cards.read(matrixed).draws
        if not any(elsewhere.can_go_on(cards.read(name), self.resolved["experiments"][name]) for name in drawn):
            return []
        return [f"{cards.ELSEWHERE}/{name}/{variant}{elsewhere.LONGER}" for variant in variants for name in drawn]

    def words(self, matrixed: str) -> dict[str, list[str]]:
        """The variants under which a figure's claims are tried: {name: [group, words]}."""
        return {name: [one.group, one.text] for name, one in self.variants(matrixed).items()}

    def settings_of_tables(self, longer: bool, matrixed: str) -> dict[str, dict]:
        """The settings with which the table of every experiment of `varied` is made; `longer`: of those run on too."""
        on = self.varied_on(matrixed, self.variants(matrixed)) if longer else []
        return {name: self.settings("measures", name) for name in (*self.varied(matrixed), *on)}

    def measured_elsewhere(self, matrixed: str) -> list[str]:
        """What is measured of a figure under other settings, block by block."""
        return self._measured(self.varied(matrixed))

    def measured_on(self, matrixed: str, cells: Iterable[Mapping[str, str]]) -> list[str]:
        """What is measured of the variants that are run on, see `elsewhere.gone_on`; of `cells` the csv's rows."""
        drawn = [cards.read(name) for name in cards.read(matrixed).draws]
        failed = [(cell["claim"], cell["variant"]) for cell in cells if cell["verdict"] == FAILS]
        on = elsewhere.gone_on(failed, self.variants(matrixed), drawn, self.resolved["elsewhere"])
        return self._measured(self.varied_on(matrixed, on))

    def run_on(self, matrixed: str, cells: str) -> list[str]:
        """The same of a csv of cells."""
        with open(cells, encoding="utf-8", newline="") as rows:
            return self.measured_on(matrixed, csv.DictReader(rows))

    def _measured(self, experiments: Iterable[str]) -> list[str]:
        return [path for name in experiments for path in self.gathered_files(name)["measures"]]

    def matrices(self, table: str) -> list[str]:
        """The "matrix" of every figure that is tried under other settings, or its "certificates"."""
        tried = [f"{self.at}results/{cards.ELSEWHERE}/{name}" for name in targets.tried() if self.variants(name)]
        return [f"{folder}/{table}.csv" for folder in tried]

    def counted(self, table: str, pictured: str) -> list[str]:
        """A csv of every experiment behind a figure."""
        return [f"{self.at}results/{name}/{table}.csv" for name in targets.behind(pictured)]

    def figure_files(self, *figures: str, kinds: Iterable[str] = targets.KINDS) -> list[str]:
        """The files of figures."""
        return [f"{self.at}figures/{name}.{kind}" for name in figures for kind in kinds]

    def drawn_files(self, pictured: str) -> list[str]:
        """The files that are drawn of a figure, or of the audit."""
        return self.figure_files(pictured, kinds=targets.drawn(pictured))

    def target(self, name: str) -> list[str]:
        """The files of a target, see `targets.of_figures`: figures, with a group or an optional one its claims."""
        of_figures = name.removeprefix("figures/")
        if name == "audit":
            pages = [f"{self.at}results/audit/{file}" for file in ("claims.csv", "audit.html")]
            return [*pages, *self.figure_files("audit", kinds=("png", "json"))]
        if name.startswith(f"{cards.ELSEWHERE}/"):
            return self.matrix_files(name.partition("/")[2])
        if of_figures == "audit":
            return self.figure_files("audit", kinds=(*targets.PICTURES, "json"))
        if of_figures == "all":
            return self.figure_files(*targets.figures())
        alone = (*cards.SECTIONS, *targets.optional())
        claims = self.audit_files(of_figures) if of_figures in alone and of_figures in targets.pages() else []
        return self.figure_files(*targets.shown(of_figures)) + claims

    def matrix_files(self, matrixed: str) -> list[str]:
        """The files of the claims of a figure under other settings; "all": of all figures."""
        if matrixed != "all":
            folder = f"{self.at}results/{cards.ELSEWHERE}/{matrixed}"
            return [f"{folder}/matrix.{kind}" for kind in targets.TABLES]
        return [f"{self.at}results/audit/{cards.ELSEWHERE}.{kind}" for kind in targets.TABLES]

    def audit_files(self, claimed: str) -> list[str]:
        """The pages of the claims of an experiment, or of a group of figures."""
        return [f"{self.at}results/audit/{claimed}.{kind}" for kind in targets.TABLES]

    def _variants(self, figure: str) -> dict[str, elsewhere.Variant]:
        """See `configuration.variants`; without those that a `cells` of problems.py refuses."""
        names = cards.read(figure).draws
        return {
            variant: one
            for variant, one in variants(figure, self.resolved).items()
            if all(self._has_cells(f"{cards.ELSEWHERE}/{name}/{variant}") for name in names)
        }

    def _has_cells(self, experiment: str) -> bool:
        try:
            return bool(self.blocks(experiment))
        except UserError:
            return False

    def _blocks(self, experiment: str) -> dict[str, list[blocks.Part]]:
        return blocks.cut(cards.read(experiment), self.resolved, self.scatter.get(experiment))

    def _history(self, experiment: str, stages: tuple[str, ...], block: str = "") -> str:
        """A hash of the settings and the code of some stages of an experiment, or of one block of it."""
        of, parts = (block_settings, self.parts(experiment, block)) if block else (stage_settings, None)
        card = cards.read(experiment)
        run = [(stage, of(card, self.resolved, stage), self.code(stage, experiment)) for stage in stages]
        return _hash(run, parts)


def _hash(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()
