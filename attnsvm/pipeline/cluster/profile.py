"""A profile for one's own cluster: how many blocks, from measured times, the cores and the wait in the queue."""

import re
from pathlib import Path

from attnsvm.errors import require
from attnsvm.pipeline.cluster.makespan import Cluster, best, costs
from attnsvm.writing import save_text

MODEL = Path("profiles/slurm/config.yaml")
GATHERED = "  # measures: figure\n  # figure: figure\n"


def write(folder: Path, times: Path, scale: float, cluster: Cluster) -> str:
    """Write `folder`/config.yaml, the SLURM profile with the fastest number of blocks; say what to expect of it.

    Args:
        times: a file with the time of every stage, see `makespan.costs`.
        scale: how many times more instances than there were then.

    Raises:
        UserError: no times, no profile to start from, or a folder that is there already.
    """
    for name, value in (("--cores", cluster.cores), ("--scale", scale), ("--rate", cluster.rate)):
        require(1e-6 < value < 1e6, f"{name}: expected a number above 0 and below a million, got {value:g}")
    for name, value in (("--wait", cluster.wait), ("--overhead", cluster.overhead), ("--poll", cluster.poll)):
        require(0 <= value < 1e6, f"{name}: expected a number of seconds, got {value:g}")
    require(MODEL.is_file(), f"there is no {MODEL} here: run this in the folder of the repository")
    target = folder / "config.yaml"
    require(not target.exists(), f"{target} already exists: choose another folder")
    seconds, blocks, local = best(costs(times), scale, cluster)
    text = MODEL.read_text("utf-8")
    text = re.sub(r"^jobs: \d+", f"jobs: {cluster.cores}", text, flags=re.MULTILINE)
    text = re.sub(r"^set-scatter:\n(  .*\n)*", "", text, flags=re.MULTILINE)
    if not local:
        require(GATHERED in text, f"{MODEL}: the lines that group measures and figure are missing")
        text = text.replace(GATHERED, "  measures: figure\n  figure: figure\n")
    text += "set-scatter:\n" + "".join(f"  {name}: {count}\n" for name, count in sorted(blocks.items()))
    save_text(target, text, checksum=False)
    where = "on the login node" if local else "on the cluster"
    larger = "" if scale == 1 else f"with {scale:g} times the instances, which config/config.yaml must ask for, "
    return (
        f"{target}: {sum(blocks.values())} blocks, gathered {where}; {larger}about {readable(seconds)}\n"
        f"snakemake figures/all --profile {folder}"
    )


def readable(seconds: float) -> str:
    """Seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
