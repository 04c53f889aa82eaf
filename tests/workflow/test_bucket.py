"""No shared file system: results in an S3 bucket, every job in a folder that sees nothing but the bucket."""

import json
import os
import subprocess
import sys
from pathlib import Path

import boto3
import pytest
from bucket import hides
from harness import BUILT, clone, jobs, snakemake
from moto.server import ThreadedMotoServer

CLUSTER = f"{sys.executable} {Path(__file__).with_name('bucket.py')}"
FIGURE = "trajectories"
TARGETS = [f"{BUILT}/figures/{FIGURE}.{kind}" for kind in ("png", "json")]


class Bucket:
    """A bucket on a server of this process, and the files in it."""

    def __init__(self, url):
        self.url, self.secrets = url, {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        self.client = boto3.client("s3", endpoint_url=url, region_name="us-east-1", **self.secrets)
        self.client.create_bucket(Bucket="attnsvm")

    def names(self):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="attnsvm")
        return {found["Key"] for page in pages for found in page.get("Contents", [])}

    def read(self, name):
        return self.client.get_object(Bucket="attnsvm", Key=name)["Body"].read()


@pytest.fixture(scope="module")
def bucket():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield Bucket("http://{}:{}".format(*server.get_host_and_port()))
    server.stop()


@pytest.fixture(scope="module")
def main(built, tmp_path_factory):
    """A clone, as the machine that runs Snakemake has it: jobs are given what git knows."""
    folder = clone(built, tmp_path_factory.mktemp("main") / "clone")
    subprocess.run("git init -q . && git add .", shell=True, cwd=folder, check=True)
    (folder.parent / "workers").mkdir()
    return folder


def run(main, bucket, *arguments, **options):
    """Run Snakemake with nothing on a shared disk."""
    environment = os.environ | {
        "SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": bucket.url,
        "SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "test",
        "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "test",
        "WORKERS": str(main.parent / "workers"),
        "MAIN": str(main),
    }
    given = ["--default-storage-provider", "s3", "--default-storage-prefix", "s3://attnsvm/runs"]
    given += ["--shared-fs-usage", "none", "--job-deploy-sources", "--executor", "cluster-generic", "--jobs", "4"]
    given += ["--cluster-generic-submit-cmd", f"{CLUSTER} submit", "--cluster-generic-status-cmd", f"{CLUSTER} status"]
    given += ["--seconds-between-status-checks", "1"]
    return snakemake(main, *arguments, *given, environment=environment, **options)


@pytest.fixture(scope="module")
def done(main, bucket):
    """One figure, built through the bucket."""
    ended = run(main, bucket, *TARGETS)
    logs = [path.read_text() for path in (main.parent / "workers").glob("*/log")]
    assert ended.returncode == 0, "\n".join([ended.stdout, *logs])
    return ended


def test_the_figure_is_the_one_that_a_shared_disk_gives(done, bucket, built):
    for kind in ("png", "pdf", "svg", "csv"):
        name = f"{BUILT}/figures/{FIGURE}.{kind}"
        assert bucket.read(f"runs/{name}") == (built / name).read_bytes()


def test_results_lie_in_the_bucket_and_nowhere_else(done, bucket, main):
    assert f"runs/{BUILT}/results/{FIGURE}/seeds-1-1/svm.npz" in bucket.names()
    assert not (main / BUILT).exists()


def test_every_stage_ran_where_nothing_but_the_bucket_is(done, main):
    workers = main.parent / "workers"
    folders = sorted(workers.iterdir())
    assert len(folders) >= 3  # problems, descent, svm; what is a local rule runs beside Snakemake
    for folder in folders:
        assert str(main) not in (folder / "job.sh").read_text()
        assert (folder / "hidden").exists() == hides()


def test_checksums_stay_out_of_the_bucket_and_of_its_local_copies(done, bucket, main):
    assert not [name for name in bucket.names() if name.endswith(".sha256")]
    assert not list(main.rglob(".*.sha256"))


def test_provenance_says_where_the_figure_comes_from(done, bucket):
    said = json.loads(bucket.read(f"runs/{BUILT}/figures/{FIGURE}.json"))
    assert said["experiments"][FIGURE]["instances_tried"] == 1
    assert said["experiments"][FIGURE]["cost"]["descent"] is None  # times stay where the job ran


def test_a_block_is_one_job_where_a_profile_groups_its_stages(done, main, bucket, built):
    """As profiles/kubernetes does; the two blocks of another experiment."""
    before = len(list((main.parent / "workers").iterdir()))
    name = f"{BUILT}/results/feasibility/measures.parquet"
    ended = run(main, bucket, name, "--set-scatter", "feasibility=2", "--groups", "problems=block", "svm=block")
    assert ended.returncode == 0, ended.stdout
    assert len(list((main.parent / "workers").iterdir())) - before == 2
    assert bucket.read(f"runs/{name}") == (built / name).read_bytes()


def test_a_second_run_has_nothing_to_do(done, main, bucket):
    assert "Nothing to be done" in run(main, bucket, *TARGETS, "-n").stdout


def test_a_changed_setting_runs_its_stage_and_what_follows(done, main, bucket):
    changed = {"experiments": {FIGURE: {"descent": {"learning_rate": 0.2}}}}
    planned = run(main, bucket, *TARGETS, "-n", extra=changed)
    assert set(jobs(planned)) == {"descent", "svm", "measures", "figure", "provenance"}, planned.stdout
