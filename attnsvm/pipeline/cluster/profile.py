"""A profile for one's own cluster: into how many blocks every experiment is cut, from measured times.

A stage of a block takes a fixed start, the least time that any job of the stage took, and work in proportion to its
seeds; the stages of a block are one job. docs/cluster.md says how much work a job is worth.
"""

import re
from pathlib import Path

from attnsvm.pipeline.blocks import MEASURED_TOGETHER, MOST
from attnsvm.pipeline.cluster.costs import BLOCK_STAGES, Cost, costs
from attnsvm.system.errors import require
from attnsvm.system.writing import save_text

MODEL = Path("profiles/slurm/config.yaml")


def write(folder: Path, times: Path, cores: int, seconds: float, scale: float) -> str:
    """Write `folder`/config.yaml, the SLURM profile with blocks of about that length; say how to use it.

    Args:
        times: a file with the time of every stage, see `costs`.
        cores: that run jobs at once.
        seconds: of work in a block.
        scale: how many times more instances than there were then.

    Raises:
        UserError: no times, no profile to start from, or a folder that is there already.
    """
    for name, value in (("--cores", cores), ("--seconds", seconds), ("--scale", scale)):
        require(1e-6 < value < 1e6, f"{name}: expected a number above 0 and below a million, got {value:g}")
    require(MODEL.is_file(), f"there is no {MODEL} here: run this in the folder of the repository")
    target = folder / "config.yaml"
    require(not target.exists(), f"{target} already exists: choose another folder")
    blocks = cut(costs(times), scale, seconds)
    text = MODEL.read_text("utf-8")
    text = re.sub(r"^jobs: \d+", f"jobs: {cores}", text, flags=re.MULTILINE)
    text = re.sub(r"^set-scatter:\n(  .*\n)*", "", text, flags=re.MULTILINE)
    text += "set-scatter:\n" + "".join(f"  {name}: {count}\n" for name, count in sorted(blocks.items()))
    save_text(target, text, checksum=False)
    larger = "" if scale == 1 else f", with {scale:g} times the instances, which config/config.yaml must ask for"
    return f"{target}: {sum(blocks.values())} blocks{larger}\nsnakemake figures/all --profile {folder}"


def cut(measured: dict[str, Cost], scale: float, target: float) -> dict[str, int]:
    """How many blocks every experiment has with about `target` seconds of work in each, `scale` times larger."""
    taken: dict[str, list[float]] = {}
    for cost in measured.values():
        for stage, (seconds, jobs) in cost.stages.items():
            taken.setdefault(stage, []).append(seconds / jobs)
    found = {}
    for name, cost in measured.items():
        seeds = max(round(cost.seeds * scale), 1) if cost.seeds > 1 else 1
        work = {
            stage: (seconds - jobs * min(taken[stage])) * seeds / cost.seeds
            for stage, (seconds, jobs) in cost.stages.items()
        }
        together = sum(work.get(stage, 0.0) for stage in BLOCK_STAGES)
        # Above a few blocks the measuring is shared too.
        least = MEASURED_TOGETHER + 1 if work["measures"] > target else 1
        found[name] = min(max(round(together / target), least), seeds, MOST)
    return found
