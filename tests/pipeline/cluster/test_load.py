"""Many short jobs through profiles/slurm: none lost, none done twice, and what each costs beyond its work.

A workflow of its own, whose one rule is called as one of ours is, so that the profile treats its jobs as our blocks.
"""

import logging
import shutil
import time
from collections import Counter

import pytest
from harness import ROOT
from slurm_cluster import NODES
from through_slurm import finish, submit

pytestmark = pytest.mark.cluster

WORKFLOW = """
COUNT = int(config["count"])

rule gathered:
    input:
        [f"done/{number}" for number in range(COUNT)],
    default_target: True
    localrule: True

rule problems:
    output:
        "done/{number}",
    resources:
        mem_mb=int(config["mb"]),
        runtime=5,
    shell:
        "sleep 1 && echo {wildcards.number} >> record && touch {output}"
"""


# By day a job takes more than half of a node's memory: two run at once, and two wait.
@pytest.mark.parametrize(("count", "mb", "at_once"), [(4, 6000, 2), pytest.param(500, 500, 4, marks=pytest.mark.slow)])
def test_no_job_is_lost_and_none_is_done_twice(cluster, tmp_path, count, mb, at_once):
    """Every job adds its line to one file; SLURM's own log of finished jobs says the same."""
    (tmp_path / "Snakefile").write_text(WORKFLOW)
    shutil.copytree(ROOT / "profiles/slurm", tmp_path / "profiles/slurm")
    before, began = len(cluster.finished()), time.monotonic()
    status, output = finish(submit(cluster, tmp_path, extra={"count": count, "mb": mb}), tmp_path, 60 + 6 * count)
    seconds = time.monotonic() - began
    assert status == 0, output
    assert Counter((tmp_path / "record").read_text().split()) == Counter(map(str, range(count)))
    ended = cluster.finished()[before:]
    assert Counter(job["JobState"] for job in ended) == {"COMPLETED": count}
    assert {job["NodeList"] for job in ended} == set(NODES)
    beyond = seconds * at_once / count - 1
    logging.info("%d jobs of 1 s in %.0f s: %.2f s of a core each beyond it", count, seconds, beyond)
