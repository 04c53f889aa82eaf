"""Where this workflow reaches into Snakemake's own workings: three things that it has no word for.

`workflow.dag.forcefiles` (all of Snakemake 9): files to build anew, whatever their dates say.
`workflow.modifier` (all of Snakemake 9): whether this is a module of another workflow, and under which prefix it writes.
`.snakemake/metadata` (all of Snakemake 9): Snakemake's records of what made each file, one small file per output.

tests/workflow/test_internals.py checks both on the installed version, and names the versions they hold for.
"""

import shutil
from functools import cache
from pathlib import Path

from snakemake.logging import logger

from attnsvm.files.checksums import DIFFERS, damaged

RECORDS, TRAVELLING = Path(".snakemake/metadata"), Path(f"{AT}results/.metadata")
# As the outputs are called, with the prefix of a module; in a bucket there are no such folders.
FOLDERS = [workflow.modifier.path_modifier.replace_prefix(f"{AT}{folder}") for folder in ("results", "figures")]


@cache
def rebuild_damaged_files():
    """Name every file that is not what its stage wrote, and have it built anew: once per run, while jobs are found."""
    if workflow.is_main_process:
        found = damaged(FOLDERS)
        for path in found:
            logger.warning(f"{path}: damaged ({DIFFERS}); it is built anew before anything is made from it")
        workflow.dag.forcefiles.update(found)


# The records travel with the results: copied into a fresh clone, they say what is up to date. Those of a workflow that
# takes this one as a module are its own.
if workflow.modifier.is_main_snakefile() and TRAVELLING.is_dir() and not (RECORDS.is_dir() and any(RECORDS.iterdir())):
    shutil.copytree(TRAVELLING, RECORDS, dirs_exist_ok=True)


def pack_records():
    """Put the records of this run beside the results they are about."""
    if RECORDS.is_dir() and TRAVELLING.parent.is_dir():
        shutil.copytree(RECORDS, TRAVELLING, dirs_exist_ok=True)


onsuccess:
    pack_records()


onerror:
    pack_records()
