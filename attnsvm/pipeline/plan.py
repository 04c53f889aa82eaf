"""What every job of a run is given: its params and its input files, by its rule and that rule's wildcards.

What a job's output follows from is hashed into one word, `Plan.made`: its rule and wildcards, its params (settings,
code), and the same of the jobs whose files it reads. A job notes it beside what it has written, and a run builds anew
what has another (workflow/rules/internals.smk). Arguments are called as the wildcards are.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

from attnsvm.pipeline import blocks, cards, elsewhere, modules, targets
from attnsvm.pipeline.configuration import block_settings, outside, stage_settings, variants
from attnsvm.pipeline.job_records import hash_of, origin_of
from attnsvm.system.errors import UserError, require

Param = Callable[..., object]  # of the wildcards of a rule
Inputs = Callable[..., Mapping[str, str | list[str]]]  # the same: the input files of a job by name
TABLES = ("measures.parquet", "instances.parquet", "outcomes.csv", "cells.csv", "certificates.csv")
_VARIANT = rf"{cards.ELSEWHERE}/\w+/\w+"
# {pattern of the files that a rule's jobs write, with its wildcards: the rule; "": the stage}
OUTPUTS = {
    rf"results/(?P<experiment>{_VARIANT})/(?P<block>[^/]+)/\w+\.npz": "variant",
    r"results/(?P<experiment>\w+)/(?P<block>[^/]+)/(?P<stage>problems|descent|svm)\.npz": "",
    r"results/(?P<experiment>\w+)/(?P<block>[^/]+)/measures\.npz": "measures_of_block",
    rf"results/{cards.ELSEWHERE}/(?P<matrixed>\w+)/cells(_certificates)?\.csv": "cells",
    rf"results/{cards.ELSEWHERE}/(?P<matrixed>\w+)/(matrix\.(csv|html)|certificates\.csv)": "matrix",
    rf"results/audit/{cards.ELSEWHERE}(\.csv|\.html|_certificates\.csv)": "matrices",
    r"results/audit/(claims\.csv|audit\.html)": "claims",
    r"results/audit/(?P<claimed>\w+)\.(csv|html)": "claims_of",
    r"results/paper/numbers\.json": "paper_numbers",
    r"(results/paper/manuscript\.html|paper/attnsvm\.pdf)": "typeset",
    r"site": "site",
    rf"results/(?P<experiment>\w+)/({'|'.join(map(re.escape, TABLES))})": "measures",
    r"figures/audit\.(pdf|png|svg)": "audit_figure",
    r"figures/(?P<figure>\w+)\.(pdf|png|svg|csv)": "figure",
    r"figures/(?P<pictured>\w+)\.json": "provenance",
}
CELLS = {"cells": "matrix", "certificates": "certificates"}  # {input of the matrices: csv of a matrix}
FAILS = "fails"  # see attnsvm.audit.evaluation, which needs more than Snakemake brings


def folder(resolved: dict) -> str:
    """Where a build has its folders: a named run, a variation, and smoke numbers stay out of the paper's."""
    named = f"runs/{resolved['run']}/" if resolved["run"] else ""
    return named if resolved["scale"] == "paper" else f"{named}{resolved['scale']}/"


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
        self.blocks, self.made_by = cache(self._blocks), cache(self._made_by)
        self.variants, self.made = cache(self._variants), cache(self._made)
        self.further: dict[str, tuple[dict[str, Param], Inputs]] = {}  # params and inputs of rules that others know

    def params(self, rule: str) -> dict[str, Param]:
        """The params of a rule's jobs by name, as functions of its wildcards.

        `settings` are those of the configuration, and `code` is what a job runs, see `modules.code`.

        Raises:
            ValueError: there is no such rule.
        """
        if rule in self.further:
            return self.further[rule][0]
        code: dict[str, Param] = {"code": lambda block="", pictured="", **of: modules.code(rule, *of.values())}
        figures: dict[str, Param] = {"settings": lambda **_: self.resolved["figures"]}
        numeric: dict[str, Param] = {"arithmetic": lambda **_: self.resolved["arithmetic"]}
        match rule:
            case "problems" | "descent" | "svm" | "measures" | "measures_of_block":
                stage = "measures" if rule == "measures_of_block" else rule
                drawn: dict[str, Param] = {"parts": self.parts} if rule == "problems" else {}
                return {"settings": partial(self.settings, stage)} | code | numeric | drawn
            case "variant":
                return {"settings": self.settings_of_stages, "parts": self.parts} | code | numeric
            case "figure":
                whole = {"scale": self.resolved["scale"]}
                return code | {
                    "settings": lambda figure: self.resolved["figures"] | whole | {"title": cards.read(figure).title},
                    "cards": lambda figure: self.said([figure]),
                }
            case "claims" | "claims_of":
                left_out = lambda claimed="": [] if claimed else [card.name for card in cards.optional()]  # noqa: E731
                return code | {
                    "claiming": lambda claimed="": targets.claiming(claimed),
                    "cards": lambda claimed="": self.said([*targets.claiming(claimed), *left_out(claimed)]),
                }
            case "audit_figure":
                return figures | code
            case "matrices":
                of_all = {"variants": dict, "tables": dict}  # they are those of the matrices
                return code | of_all | {"cards": lambda: self.said(targets.tried())}
            case "cells" | "matrix":
                return code | {
                    "variants": self.words,
                    "tables": partial(self.settings_of_tables, rule == "matrix"),
                    "cards": lambda matrixed: self.said([matrixed]),
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

    def inputs(self, rule: str) -> Inputs:
        """The input files of a rule's jobs by name, as a function of its wildcards; but for those that a checkpoint
        decides on.
        """
        if rule in self.further:
            return self.further[rule][1]
        match rule:
            case "problems" | "variant":
                return lambda **_: {}
            case "descent" | "svm" | "measures_of_block":
                return partial(self.block_files, "measures" if rule == "measures_of_block" else rule)
            case "measures":
                return self.gathered_files
            case "figure":
                return self._drawn_of
            case "claims" | "claims_of":
                return self._claimed_files
            case "audit_figure":
                return lambda **_: {"claims": f"{self.at}results/audit/claims.csv"}
            case "cells":
                return lambda matrixed: {"measured": self.measured_elsewhere(matrixed)}
            case "matrix":
                return self._cells_of
            case "matrices":
                return lambda **_: {name: self.matrices(file) for name, file in CELLS.items()}
            case "provenance":
                return self._described_files
        raise ValueError(f"no rule {rule!r}")

    def _made_by(self, rule: str, **wildcards: str) -> tuple[str, str]:
        """What a job notes as made, and the hash of what those have noted whose files it reads: "made", "origin"."""
        given = {name: function(**wildcards) for name, function in self.params(rule).items()}
        files = self.inputs(rule)(**wildcards).values()
        before = {self.made(path) for found in files for path in ([found] if isinstance(found, str) else found)}
        origin = origin_of(before)
        return hash_of(rule, sorted(wildcards.items()), given, origin), origin

    def _made(self, path: str) -> str:
        """What the job notes as made that writes a file."""
        rule, wildcards = job_of(path, self.at)
        return self.made_by(rule, **wildcards)[0]

    def settings(self, stage: str, experiment: str, block: str = "") -> dict:
        """What the configuration says of a stage; of the first also what it reads from outside."""
        card = cards.read(experiment)
        if not block:
            return stage_settings(card, self.resolved, stage)
        chosen = block_settings(card, self.resolved, stage)
        read = outside(card, self.resolved) if stage == "problems" else {}
        return chosen | {"outside": read} if read else chosen

    def said(self, names: Iterable[str]) -> str:
        """A hash of what jobs that read claims or draw a figure take from cards."""
        read = [cards.read(name) for name in names]
        values = [sorted((key, one["value"]) for key, one in card.settings["problems"].items()) for card in read]
        words = [(card.name, card.title, card.section, card.on, card.optional, card.draws) for card in read]
        return hash_of(words, values, [sorted(card.columns) for card in read])

    def settings_of_stages(self, experiment: str, block: str) -> dict[str, dict]:
        """The settings of every stage of a variant, whose stages are one job."""
        return {stage: self.settings(stage, experiment, block) for stage in cards.read(experiment).stages}

    def parts(self, experiment: str, block: str) -> list[list]:
        """The parts of cells of which a block is made, as lists: what a job is given has no class of ours."""
        return [list(part) for part in self._known(experiment, block)[block]]

    def all_outside(self, pictured: str) -> dict[str, dict[str, str]]:
        """The checksums of the files from outside by experiment, for those behind a figure that read any."""
        read = {name: outside(cards.read(name), self.resolved) for name in targets.behind(pictured)}
        return {name: files for name, files in read.items() if files}

    def block_files(self, stage: str, experiment: str, block: str) -> dict[str, str]:
        """The files of the earlier stages from one block, by stage."""
        self._known(experiment, block)
        base = f"{self.at}results/{experiment}/{block}"
        return {name: f"{base}/{name}.npz" for name in earlier(cards.read(experiment), stage)}

    def _known(self, experiment: str, block: str) -> dict[str, list[blocks.Part]]:
        """The blocks of an experiment; `UserError` where this one is not among them."""
        known = self.blocks(experiment)
        more = ", ..." if len(known) > 4 else ""
        sentence = f"{experiment} has no block {block}: its blocks are {', '.join([*known][:4])}{more}"
        require(block in known, sentence)
        return known

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

    def _claimed_files(self, claimed: str = "") -> dict[str, str | list[str]]:
        shown = targets.shown(claimed) if claimed else targets.figures()
        certificates = [f"{self.at}results/{name}/certificates.csv" for name in targets.measured(claimed)]
        return {"figures": self.figure_files(*shown, kinds=["csv"]), "certificates": certificates}

    def _cells_of(self, matrixed: str) -> dict[str, str | list[str]]:
        base = f"{self.at}results/{cards.ELSEWHERE}/{matrixed}"
        return {"cells": f"{base}/cells.csv", "certificates": f"{base}/cells_certificates.csv"}

    def _drawn_of(self, figure: str) -> dict[str, str | list[str]]:
        return {**self.tables(figure), "certificates": self.counted("certificates", figure)}

    def _described_files(self, pictured: str) -> dict[str, str | list[str]]:
        counted = {table: self.counted(table, pictured) for table in ("cells", "outcomes", "certificates")}
        return {"figure": self.drawn_files(pictured), **counted}


def job_of(path: str, at: str) -> tuple[str, dict[str, str]]:
    """The rule that makes a file, and its wildcards.

    Args:
        at: the folder of the build, see `folder`.

    Raises:
        UserError: it is no output of this workflow.
    """
    for pattern, rule in OUTPUTS.items():
        if match := re.fullmatch(pattern, path.removeprefix(at)):
            wildcards = match.groupdict()
            return rule or wildcards.pop("stage"), wildcards
    raise UserError(f"{path}: this is not a file of this workflow")
