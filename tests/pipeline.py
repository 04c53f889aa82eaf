"""Run the smoke pipeline in a copy of the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
# What is the same to the byte in every rebuild; figures/<name>.json holds times.
DRAWN = tuple(f"figures/{name}" for kind in ("csv", "png", "pdf") for name in (f"*.{kind}", f".*.{kind}.sha256"))
PRODUCTS = (*DRAWN, "results/**/*.npz", "results/**/*.parquet", "results/**/*.csv", "results/**/*.sha256")


def copy_repository(target):
    for name in ("Snakefile", "attnsvm", "config", "profiles", "workflow", "environment.yml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / name)
    return target


def start(folder, *arguments, extra=None, **options):
    """Start Snakemake with the smoke configuration, and `extra` laid over it; stdout and stderr in one pipe."""
    files = ["config/smoke.yaml"]
    if extra is not None:
        (folder / "extra.yaml").write_text(yaml.safe_dump(extra))
        files.append("extra.yaml")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    environment["PYTHONPATH"] = str(folder)
    command = [sys.executable, "-m", "snakemake", "--configfile", *files, "--cores", "2", *arguments]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, **options)


def snakemake(folder, *arguments, extra=None, **options):
    """Run Snakemake to its end; stdout and stderr in one text."""
    with start(folder, *arguments, extra=extra, **options) as process:
        output, _ = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, output)


def jobs(dry_run):
    """The table 'Job stats' of a dry run: {rule: count}."""
    lines = dry_run.stdout.split("Job stats:")[-1].splitlines()
    rows = [line.split() for line in lines]
    return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit() and row[0] != "total"}


def snapshot(folder, *patterns):
    """{path: bytes} of the files that match."""
    found = (path for pattern in patterns for path in folder.glob(pattern))
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found)}
