"""A build that nobody computed: files of made-up bytes, with the records that Snakemake would have written of them."""

import json
from pathlib import Path

import yaml

from attnsvm.pipeline import job_records, targets
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.exchange import lineage
from attnsvm.system.writing import save_bytes

NAME = "feasibility"  # two blocks of three seeds at the smoke scale; it has problems, svm, measures and a figure
TARGET = f"figures/{NAME}"


class Built:
    """A made-up build of one figure under `folder`.

    Args:
        problems: what the user's configuration says of the problems, such as {"instances": 3}.
        scatter: --set-scatter.
    """

    def __init__(self, folder: Path, problems=None, scatter=None):
        self.folder = folder
        self.given = {"experiments": {NAME: {"problems": problems or {}}}}
        self.plan = Plan(resolve(self.given | {"scale": "smoke"}), scatter or {})
        clone(folder, self.given)
        for path, inputs in self._files().items():
            self.make(path, inputs)
        self.make(f"smoke/figures/{NAME}.json", list(self._figure()), json.dumps(self._origin()).encode())

    def make(self, path, inputs, content=None):
        save_bytes(self.folder / path, content or f"{path} {sorted(inputs)}".encode())
        job_records.put(
            self.folder, "smoke/", path, lineage.job_of(path, "smoke/")[0], lineage.params(path, self.plan), inputs, {}
        )

    def _files(self):
        plan, found = self.plan, {}
        for block in plan.blocks(NAME):
            for stage in ("problems", "svm"):
                path = f"smoke/results/{NAME}/{block}/{stage}.npz"
                found[path] = plan.block_files(stage, NAME, block).values()
        measured = [path for paths in plan.gathered_files(NAME).values() for path in paths]
        found |= {f"smoke/results/{NAME}/{table}": measured for table in lineage.TABLES}
        return found | self._figure()

    def _figure(self):
        return {path: self.plan.tables(NAME).values() for path in self.plan.figure_files(NAME) if path[-4:] != "json"}

    def _origin(self):
        experiments = {name: self.plan.resolved["experiments"][name] for name in targets.behind(NAME)}
        config = {"experiments": experiments, "figures": dict(sorted(self.plan.resolved["figures"].items()))}
        return {"config": config, "machine": {"cpu": "made up"}, "packages": {"python": "3"}}


def clone(folder, given=None):
    """A clone in which nothing is built, with a configuration."""
    (folder / "config").mkdir(parents=True, exist_ok=True)
    (folder / "config/config.yaml").write_text(yaml.safe_dump(given or {}))
    return folder


def results(folder):
    """{path: bytes} of everything in a folder but its configuration and its hidden checksums."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith((".sha256", ".yaml")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
