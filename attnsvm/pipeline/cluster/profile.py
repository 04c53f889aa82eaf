"""A profile for one's own cluster: into how many blocks every experiment is cut, from measured times."""

import re
from pathlib import Path

from attnsvm.errors import require
from attnsvm.pipeline.cluster.costs import costs, cut
from attnsvm.writing import save_text

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
