"""Intermediate files that are gone: what was made from others of them is not taken for up to date."""

from harness import BUILT, build, clone, dry, jobs, snapshot

OTHER = {"experiments": {"trajectories": {"problems": {"T": 4}}}}
BLOCK = f"{BUILT}/results/trajectories/seeds-1-1"
TARGET = "figures/trajectories"


def test_a_figure_is_drawn_anew_though_the_new_intermediates_are_gone(built, tmp_path):
    """A run with other problems is killed when it trains, the problems it drew are deleted: found by the soak."""
    folder = clone(built, tmp_path / "gone", f"{BUILT}/results", f"{BUILT}/figures", ".snakemake")
    old = snapshot(folder, f"{BUILT}/figures/trajectories.csv")
    build(folder, f"{BLOCK}/problems.npz", extra=OTHER)
    for stage in ("problems", "descent"):
        (folder / f"{BLOCK}/{stage}.npz").unlink()
    build(folder, TARGET, extra=OTHER)
    assert snapshot(folder, f"{BUILT}/figures/trajectories.csv") != old


def test_without_a_change_what_is_gone_is_not_missed(built, tmp_path):
    folder = clone(built, tmp_path / "gone", f"{BUILT}/results", f"{BUILT}/figures", ".snakemake")
    for stage in ("problems", "descent"):
        (folder / f"{BLOCK}/{stage}.npz").unlink()
    assert jobs(dry(folder, TARGET)) == {}
