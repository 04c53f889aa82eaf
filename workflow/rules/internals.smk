"""Where this workflow reaches into Snakemake's own workings, for what it has no word for.

`workflow.dag.forcefiles` (all of Snakemake 9): files to build anew, whatever their dates say. `workflow.dag.update_needrun` (seen in
9.27): where Snakemake first reads them, after it has found all jobs.
`workflow.modifier` (seen in 9.27): whether this is a module of another workflow, and under which prefix it writes.
`workflow.scheduler.running` and `.failed`, `workflow.dag.needrun_jobs`, the event of a log record (seen in 9.27): how far the run is.
`.snakemake/metadata` (all of Snakemake 9): Snakemake's records of what made each file, one small file per output.
`.snakemake/incomplete` (seen in 9.27): a file for each output that a job has begun to write.
`workflow.persistence.has_metadata`, `.has_outdated_metadata`, `workflow.dag.jobs` (seen in 9.27): which outputs have no
record, or one of a Snakemake that is no more.
`workflow.dag.check_output_mtime` (seen in 9.27): it fails a job whose inputs have a later date than the clock says.
`rule.priority` (all of Snakemake 9), which may be a function of the wildcards: which jobs begin first.
`snakemake.benchmark.BenchmarkTimer` (seen in 9.27): how often the processor time of a job is looked at.
`_benchmark`, `cache` (seen in 9.27) of what `rules.svm` stands for: that its files may come from the cache, and so have no
benchmark.
`workflow.scheduling_settings.max_jobs_per_timespan` (seen in 9.27): None for no limit, which its command line has no word for.
`workflow.dag.reason(job).params_changed` (seen in 9.27): whether a job runs since its code or settings are other ones.
`event`, `reason`, `input` and `priority` of a log record of a job, `workflow.output_settings.verbose` (seen in 9.27): what is said of a job.
`rule.resources`, its `is_evaluable` (in attnsvm/pipeline/cluster/growing.py, seen in 9.27): what memory a job gets.
`workflow._rules`, `_localrules` (seen in 9.27): what `snakemake --list` prints.
Params that are functions of `output` (in common.smk, seen in 9.27): Snakemake derives them, and does not compare them.
`workflow.resource_settings.overwrite_scatter` (in common.smk), `workflow.local_exec`, `docstring` of a rule
(all of Snakemake 9): what --set-scatter asks for; whether jobs run on this machine; what `snakemake --list` prints.

tests/workflow/test_internals.py, test_first_use.py, test_embedding.py and test_cache.py check them on the installed
version; the first names the versions they hold for.
"""

import gc
import logging
import math
import os
import sys
import time
from functools import cache
from pathlib import Path

from snakemake import benchmark
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from attnsvm.pipeline import changed, provenance, records, terse
from attnsvm.pipeline.cluster import outlook
from attnsvm.pipeline.first_use import preflight
from attnsvm.checksums import DIFFERS, Search, forget_the_gone

RECORDS, STARTED, TRAVELLING = Path(records.OWN), Path(records.STARTED), Path(f"{AT}{records.TRAVELLING}")
# The folders of the outputs, with the prefix of a module; a bucket has no such folders.
FOLDERS = [workflow.modifier.path_modifier.replace_prefix(f"{AT}{folder}") for folder in ("results", "figures")]


gc.freeze()  # Snakemake's own modules: no collection looks through them again
SEARCH = Search(FOLDERS) if workflow.is_main_process else None


@cache
def rebuild_damaged_files():
    """Name every file that is not what its stage wrote, and have it built anew: once per run, while jobs are found.

    The search for them began with the first line of these rules. Its end is waited for when Snakemake has found all
    jobs, and is to decide which of them run.
    """
    if SEARCH:
        decide = workflow.dag.update_needrun

        async def decide_when_searched(*given, **named):
            force_damaged_files()
            force_unrecorded_files()
            return await decide(*given, **named)

        workflow.dag.update_needrun = decide_when_searched
        choose_jobs_when_one_ends()
    let_dates_be()


@cache
def force_damaged_files():
    found = SEARCH.found
    for path in found:
        logger.warning(f"{path}: damaged ({DIFFERS}); it is built anew before anything is made from it")
    workflow.dag.forcefiles.update(found)
    if config["intermediates"] == "drop" and not workflow.dryrun:
        forget_the_gone(FOLDERS)


@cache
def force_unrecorded_files():
    """Snakemake takes a file without a record for one that the code made as it is: no edit would be seen any more."""
    if workflow.storage_settings.default_storage_provider:
        return  # the records of a bucket's files stay on the machine that made them
    known, unrecorded = workflow.persistence, []
    own = tuple(f"{folder}/" for folder in FOLDERS)
    for job in workflow.dag.jobs:
        there = [path for path in job.output if os.path.exists(path) and (ALONE or path.startswith(own))]
        if there and workflow.dag.forcefiles.isdisjoint(there):
            if not known.has_metadata(job) or known.has_outdated_metadata(job):
                unrecorded += there
    if unrecorded:
        others = f" and {len(unrecorded) - 1} other files" if unrecorded[1:] else ""
        logger.warning(f"{unrecorded[0]}{others}: there is no record of what made them; they are built anew")
    workflow.dag.forcefiles.update(unrecorded)


def let_dates_be():
    """Files dated in the future, as by a clock that was wrong, fail no job: their bytes are compared, not their dates."""

    async def accept(*_):
        pass

    if ALONE:
        workflow.dag.check_output_mtime = accept


def choose_jobs_when_one_ends():
    """On one machine, no limit of jobs per second.

    It makes Snakemake choose again every second, once more for each job that has ended: a tenth of the time of a long run,
    and up to a second of waiting at the end of every run.
    """
    # There are no settings where there are no jobs: --delete-temp-output and its like.
    if ALONE and workflow.scheduling_settings and not workflow.dryrun and workflow.local_exec:
        workflow.scheduling_settings.max_jobs_per_timespan = None


def begin_the_longest_first(rules):
    """Give every job its priority; called when all rules are known. In another workflow it is that one's to say."""
    times = outlook.known(BESIDE / "profiles/times.json")

    def of_block(rule):
        return lambda wildcards: outlook.priority(
            times, rule, wildcards.experiment, len(plan.blocks(wildcards.experiment))
        )

    for known in rules if ALONE else ():
        known.priority = of_block(known.name) if known.name in outlook.BLOCK_STAGES else outlook.FINISHING


class OftenLookedAt(benchmark.BenchmarkTimer):
    """Twice a second to the end. Snakemake looks every half a minute after 15 s, and does not count what comes after."""

    def __init__(self, pid, record, interval):
        super().__init__(pid, record, math.inf)


benchmark.BenchmarkTimer = OftenLookedAt


# What a user may change; `config` has captions too.
SETTINGS = {name: config[name] for name in ("scale", "figures", "experiments")}


class SaysHowFar(logging.Handler):
    """After a job has ended, at most every few seconds: how far the run is, and how long the rest will take."""

    EVERY = 5.0  # seconds

    def __init__(self):
        super().__init__()
        self.began, self.said, self.kinds = time.monotonic(), 0.0, None

    def emit(self, record):
        event = getattr(record, "event", None)
        if event == LogEvent.RUN_INFO and self.kinds is None:
            self.begin()
        elif event == LogEvent.PROGRESS and time.monotonic() - self.said >= self.EVERY:
            self.go_on(record)

    def begin(self):
        """Before the first job: how long all will take, where that is long and they run on this machine."""
        self.kinds = {job: self.kind(job) for job in workflow.dag.needrun_jobs(exclude_finished=False)}
        cores = workflow.resource_settings.cores or workflow.resource_settings.nodes or 1
        self.outlook = outlook.Outlook(self.kinds.values(), cores, BESIDE / "profiles/times.json")
        if any(workflow.dag.reason(job).params_changed for job in self.kinds) and (said := changed.sentence(SETTINGS)):
            logger.info(said)
        if workflow.local_exec and config["scale"] == "paper" and self.outlook.whole() > outlook.LONG:
            self.outlook.pace, self.outlook.before, how = preflight.pace(sys.executable, cores)
            logger.info(f"{len(self.kinds)} jobs, expected to take {preflight.between(self.outlook.whole())}: {how}.")
        self.began = time.monotonic()

    def go_on(self, record):
        now = time.monotonic()
        if self.kinds is None:
            self.begin()
        waiting = set(workflow.dag.needrun_jobs())
        done = [kind for job, kind in self.kinds.items() if job not in waiting]
        left = self.outlook.left(done, now - self.began)
        running, failed = (sum(map(len, jobs)) for jobs in (workflow.scheduler.running, workflow.scheduler.failed))
        self.said = now
        logger.info(outlook.line(record.done, record.total, running, failed, left))

    @staticmethod
    def kind(job):
        return job.rule.name, dict(job.wildcards.items()).get("experiment", "")


if workflow.is_main_process and not workflow.dryrun and not workflow.output_settings.quiet:
    logger.addHandler(SaysHowFar())


class SaysLess(logging.Filter):
    """Reasons and lists of files in few words, no priorities; of a dry run of many jobs, how many they are."""

    count = None

    def filter(self, record):
        if getattr(record, "event", None) != LogEvent.JOB_INFO:
            return True
        first, self.count = self.count is None, self.count or len([*workflow.dag.needrun_jobs(exclude_finished=False)])
        if workflow.dryrun and self.count > terse.LISTED:
            if first:
                logger.info(terse.unlisted(self.count))
            return False
        record.reason, record.input = terse.reason(str(record.reason)), terse.files([*record.input])
        record.priority = 0  # which is not said
        return True


if workflow.is_main_process and not workflow.output_settings.verbose:
    logger.addFilter(SaysLess())


# The records travel with the results: copied into a fresh clone, or put there by `attnsvm unbundle`, they say what is up
# to date, and so they do where Snakemake's own are lost. Those of a workflow that takes this one as a module are its own.
if workflow.modifier.is_main_snakefile() and workflow.is_main_process:
    or_end(records.restore, RECORDS, TRAVELLING)


# The jobs that this process starts on this machine read the command there.
if workflow.is_main_process:
    os.environ[provenance.COMMAND] = provenance.as_typed(sys.argv)


ALONE = workflow.modifier.is_main_snakefile()
# The process that a user started checks; the jobs that it starts do not check again.
SCATTER = plan.scatter if workflow.is_main_process else {}


def trains_here():
    """Whether jobs run on this machine: None if a dry run does not tell."""
    return None if workflow.dryrun else workflow.is_main_process and workflow.local_exec


def describe_rules(descriptions, others):
    """Say of each rule what it is; `snakemake --list` prints it, of the targets alone. Called when all rules are known."""
    for known in workflow.modifier.rules if ALONE else ():
        known.docstring = descriptions.get(known.name, others)
    if ALONE and workflow.is_main_process and {"--list", "-l", "--list-rules"} & {*sys.argv}:  # and nothing runs
        workflow._rules = {name: known for name, known in workflow._rules.items() if name in descriptions}
        workflow._localrules &= {*workflow._rules}


def pack_records():
    """Put the records of this run beside the results they are about."""
    if TRAVELLING.parent.is_dir():
        try:
            records.pack(RECORDS, STARTED, TRAVELLING)
        except OSError as error:
            logger.warning(f"{TRAVELLING}: cannot be written ({error.strerror}); {RECORDS} has all records")


def leave():
    """What is done when a run ends."""
    pack_records()
    if config["intermediates"] == "drop":
        forget_the_gone(FOLDERS)


def from_cache(proxy):
    """Let the files of a rule come from the cache between workflows; no benchmark is allowed beside them."""
    from snakemake.caching.rule import CacheFlag

    proxy.rule._benchmark = None
    proxy.rule.cache.flag |= CacheFlag.output


onstart:
    records.forget(TRAVELLING, [path for job in workflow.dag.needrun_jobs() for path in job.output])


onsuccess:
    leave()
    changed.remember(SETTINGS)


onerror:
    leave()
