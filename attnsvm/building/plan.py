"""What every job of a run is given: its params and its input files, by the wildcards of its rule.

Snakemake compares params by value, dates or not: they name everything that a job's output follows from.
"""

from collections.abc import Iterable, Mapping
from functools import cache

from attnsvm.building import blocks, cards, jobs, standalone, targets
from attnsvm.building.configuration import stage_settings
from attnsvm.errors import UserError, require


def folder(resolved: dict) -> str:
    """Where a scale has its folders: smoke numbers stay out of the paper's."""
    return "" if resolved["scale"] == "paper" else f"{resolved['scale']}/"


class Plan:
    """The params and input files of a run's jobs. Arguments are called as the wildcards are.

    Every method raises `UserError` for what the user can mend: a file from outside that is missing, a stage or a block
    that an experiment does not have, source that is no Python.

    Args:
        resolved: the whole configuration.
        asked: how many blocks there are at most, by experiment (--set-scatter).
    """

    def __init__(self, resolved: dict, asked: Mapping[str, int]):
        self.resolved, self.asked, self.at = resolved, asked, folder(resolved)
        self.blocks, self.history = cache(self._blocks), cache(self._history)

    def settings(self, stage: str, experiment: str, block: str | None = None) -> dict:
        """What the configuration says of a stage; of the first also what it reads from outside."""
        if block is None:
            return stage_settings(cards.read(experiment), self.resolved, stage)
        chosen = jobs.block_settings(experiment, stage, self.resolved)
        read = self.outside(experiment) if stage == "problems" else {}
        return chosen | {"outside": read} if read else chosen

    def parts(self, experiment: str, block: str) -> list[list]:
        """The parts of cells of which a block is made, as lists: what a job is given has no class of ours."""
        return [list(part) for part in self.blocks(experiment)[block]]

    def outside(self, experiment: str) -> dict[str, str]:
        """The checksums of the files from outside that an experiment reads."""
        return jobs.outside(experiment, self.resolved)

    def all_outside(self, pictured: str) -> dict[str, dict[str, str]]:
        """The same by experiment, for those behind a figure that read anything."""
        return {name: found for name in jobs.behind(pictured) if (found := self.outside(name))}

    def code(self, stage: str, experiment: str, block: str | None = None) -> str:
        """The hash of the code that a stage runs."""
        return jobs.stage_code(experiment, stage, self.resolved["arithmetic"])

    def before(self, stage: str, experiment: str, block: str | None = None) -> str:
        """A hash of the settings and the code of the earlier stages.

        Snakemake compares the files of those stages, but not what is gone: drawn anew for another seed and then
        deleted, by hand or by a run that was killed, they would leave old figures that pass as up to date.
        """
        return self.history(experiment, stage, block)

    def histories(self, experiments: Iterable[str]) -> list[str]:
        """The hashes of the settings and the code of all stages, by experiment."""
        return [self.history(name) for name in experiments]

    def block_files(self, stage: str, experiment: str, block: str) -> dict[str, str]:
        """The files of the earlier stages from one block, by stage."""
        card = cards.read(experiment)
        require(stage in card.stages, f"{experiment} has no {stage}")
        known = self.blocks(experiment)
        if block not in known:
            more = ", ..." if len(known) > 4 else ""
            raise UserError(f"{experiment} has no block {block}: its blocks are {', '.join([*known][:4])}{more}")
        base = f"{self.at}results/{experiment}/{block}"
        return {name: f"{base}/{name}.npz" for name in jobs.earlier(card, stage)}

    def gathered_files(self, experiment: str) -> dict[str, list[str]]:
        """What is measured of every block, or where blocks are few the files of all stages, by stage."""
        base, known = f"{self.at}results/{experiment}", self.blocks(experiment)
        few = len(known) <= blocks.MEASURED_TOGETHER
        stages = jobs.earlier(cards.read(experiment), "measures") if few else ("measures",)
        return {stage: [f"{base}/{block}/{stage}.npz" for block in known] for stage in stages}

    def tables(self, figure: str) -> dict[str, str]:
        """The tables that a figure draws, by experiment."""
        return {name: f"{self.at}results/{name}/measures.parquet" for name in jobs.behind(figure)}

    def counted(self, table: str, pictured: str) -> list[str]:
        """A csv of every experiment behind a figure."""
        return [f"{self.at}results/{name}/{table}.csv" for name in jobs.behind(pictured)]

    def figure_files(self, *figures: str, kinds: Iterable[str] = targets.KINDS) -> list[str]:
        """The files of figures."""
        return [f"{self.at}figures/{name}.{kind}" for name in figures for kind in kinds]

    def whole_figures(self, *figures: str) -> list[str]:
        """All files of figures, and with `standalone: true` the code that draws each from its csv."""
        scripts = [standalone.ENDING] if self.resolved["standalone"] else []
        return self.figure_files(*figures, kinds=(*targets.KINDS, *scripts))

    def target(self, name: str) -> list[str]:
        """The files of a target, see `targets.of_figures`: figures, with a group or an optional one its claims."""
        asked = name.removeprefix("figures/")
        if name == "audit":
            pages = [f"{self.at}results/audit/{file}" for file in ("claims.csv", "audit.html", "audit.md")]
            return [*pages, *self.figure_files("audit", kinds=("png", "json"))]
        if asked == "audit":
            return self.figure_files("audit", kinds=("pdf", "png", "svg", "json"))
        if asked == "all":
            return self.whole_figures(*targets.figures())
        claims = self.audit_files(asked) if asked in (*targets.SECTIONS, *targets.optional()) else []
        return self.whole_figures(*targets.shown(asked)) + claims

    def audit_files(self, claimed: str) -> list[str]:
        """The pages of the claims of an optional figure, or of a group of figures."""
        return [f"{self.at}results/audit/{claimed}.{kind}" for kind in targets.TABLES]

    def _blocks(self, experiment: str) -> dict[str, list[blocks.Part]]:
        return blocks.cut(cards.read(experiment), self.resolved, self.asked.get(experiment))

    def _history(self, experiment: str, stage: str = "figure", block: str | None = None) -> str:
        """For one experiment, or for one block of it; that of its figure is over all its stages."""
        card = cards.read(experiment)
        stages = card.stages if stage == "figure" else jobs.earlier(card, stage)
        parts = None if block is None else self.parts(experiment, block)
        return jobs.history(experiment, stages, self.resolved, parts)
