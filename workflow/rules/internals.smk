"""Where this workflow reaches into Snakemake's own workings, for what it has no word for.

`workflow.dag.forcefiles` (all of Snakemake 9): files to build anew, whatever their dates say.
`.snakemake/metadata` (all of Snakemake 9): Snakemake's records of what made each file, one small file per output.

`workflow.modifier.is_main_snakefile`, `workflow.resource_settings.overwrite_scatter`, `workflow.local_exec`, `docstring` of a rule
(all of Snakemake 9): whether these rules are no part of another workflow; what --set-scatter asks for; whether jobs run on this
machine; what `snakemake --list` prints.

tests/workflow/test_internals.py and test_first_use.py check them on the installed version, and names the versions they hold for.
"""

import shutil
from functools import cache
from pathlib import Path

from snakemake.logging import logger

from attnsvm.files.checksums import DIFFERS, damaged

RECORDS, TRAVELLING = Path(".snakemake/metadata"), Path(f"{AT}results/.metadata")


@cache
def rebuild_damaged_files():
    """Name every file that is not what its stage wrote, and have it built anew: once per run, while jobs are found."""
    if workflow.is_main_process:
        found = damaged([f"{AT}results", f"{AT}figures"])
        for path in found:
            logger.warning(f"{path}: damaged ({DIFFERS}); it is built anew before anything is made from it")
        workflow.dag.forcefiles.update(found)


# The records travel with the results: copied into a fresh clone, they say what is up to date.
if TRAVELLING.is_dir() and not (RECORDS.is_dir() and any(RECORDS.iterdir())):
    shutil.copytree(TRAVELLING, RECORDS, dirs_exist_ok=True)


ALONE = workflow.modifier.is_main_snakefile()
# In the process that a user started; the jobs that it starts do not ask again.
BLOCKS_ASKED_FOR = workflow.resource_settings.overwrite_scatter if workflow.is_main_process else {}


def trains_here():
    """Whether jobs run on this machine: None if a dry run does not tell."""
    return None if workflow.dryrun else workflow.is_main_process and workflow.local_exec


def describe_rules(descriptions, others):
    """Say of each rule what `snakemake --list` is to print; called when all rules are known."""
    for known in workflow.modifier.rules if ALONE else ():
        known.docstring = descriptions.get(known.name, others)


def pack_records():
    """Put the records of this run beside the results they are about."""
    if RECORDS.is_dir() and TRAVELLING.parent.is_dir():
        shutil.copytree(RECORDS, TRAVELLING, dirs_exist_ok=True)


onsuccess:
    pack_records()


onerror:
    pack_records()
