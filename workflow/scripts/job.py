"""What a job calls: the function of the package that runs the jobs of its rule."""

import sys

before = {*sys.modules}

from attnsvm.pipeline.running.reporting import reporting  # noqa: E402

with reporting(snakemake.log[0]):
    from attnsvm.pipeline import job_records

    job_records.run(snakemake, before)
