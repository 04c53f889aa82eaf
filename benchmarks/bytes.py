"""How many bytes a build holds, per experiment and stage, and by calculation a larger one: the tables of cluster.md.

python benchmarks/bytes.py results                 of a build that kept the files of its blocks
python benchmarks/bytes.py results --times 100     and what 100 times more instances would hold

The files of a block grow with its instances, and so do the tables; an experiment of a single instance does not grow.
What a block leaves that is measured by itself is made here, where the build gathered without it: it takes a minute.
"""

import argparse
import json
import tempfile
from pathlib import Path

from attnsvm.pipeline import cards
from attnsvm.pipeline.configuration import resolve, stage_settings
from attnsvm.pipeline.running import tables
from attnsvm.system.store import load_csv

STAGES = ("problems", "descent", "svm")
TABLES = ("measures.parquet", "instances.parquet", "outcomes.csv", "cells.csv", "certificates.csv")


def held(folder: Path, experiment: str, settings: dict) -> dict[str, int]:
    """Bytes by stage, of the blocks' measures and of the tables; how many instances and blocks there are."""
    found = dict.fromkeys((*STAGES, "blocks", "count"), 0)
    for one in [path for path in (folder / experiment).iterdir() if path.is_dir()]:
        files = {path.stem: path for path in one.glob("*.npz")}
        found["count"] += 1
        found["blocks"] += size(files["measures"]) if "measures" in files else made(experiment, settings, files)
        for stage in files.keys() & set(STAGES):
            found[stage] += size(files[stage])
    found["tables"] = sum(size(folder / experiment / name) for name in TABLES)
    found["instances"] = int(load_csv(folder / experiment / "cells.csv").instances.sum())
    return found


def size(path: Path) -> int:
    return path.stat().st_size


def made(experiment: str, settings: dict, files: dict[str, Path]) -> int:
    """How large the measures of a block are that nobody wrote."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measures.npz"
        tables.measures_of_block(experiment, settings, {stage: str(file) for stage, file in files.items()}, str(path))
        return size(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="the folder of a build")
    parser.add_argument("--times", type=float, nargs="*", default=[100.0], help="how many times more instances")
    parser.add_argument("--config", type=json.loads, default={}, help="what was configured, as JSON")
    given = parser.parse_args()
    config = resolve(given.config)
    every = {
        card.name: held(given.results, card.name, stage_settings(card, config, "measures"))
        for card in cards.experiments()
        if (given.results / card.name / "cells.csv").exists()
    }
    print("Bytes per instance:\n")
    print(
        "| experiment | instances | problems | descent | svm | measured in a block | tables | kept of it with `drop` |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, one in sorted(every.items(), key=lambda item: -sum(item[1][stage] for stage in STAGES)):
        each = [one[key] / one["instances"] for key in (*STAGES, "blocks", "tables")]
        left = (one["blocks"] + one["tables"]) / sum(one[key] for key in (*STAGES, "blocks", "tables"))
        print(f"| `{name}` | {one['instances']:,} | {' | '.join(f'{value:,.0f}' for value in each)} | {left:.1%} |")
    print("\n| times more instances | with `keep` | with `drop` | of it tables |")
    print("|---|---|---|---|")
    for times in [1.0, *given.times]:
        grown = {name: 1.0 if one["instances"] == 1 else times for name, one in every.items()}
        total = {
            key: sum(grown[name] * one[key] for name, one in every.items()) for key in (*STAGES, "blocks", "tables")
        }
        left = total["blocks"] + total["tables"]
        print(f"| {times:g} | {gb(sum(total.values()))} | {gb(left)} | {gb(total['tables'])} |")
    block, name = max((sum(one[stage] for stage in STAGES) / one["count"], name) for name, one in every.items())
    print(f"\nWith `drop` also a block per core at work: here {block / 1e6:.0f} MB at most (`{name}`).")


def gb(value: float) -> str:
    return f"{value / 1e9:.2f} GB"


if __name__ == "__main__":
    main()
