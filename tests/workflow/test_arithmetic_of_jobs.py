"""The workflow chooses the arithmetic of its jobs, whatever the environment of the user says."""

import os

import pytest
from harness import FEW, as_typed, copy_repository

from attnsvm.pipeline.running import arithmetic

PROBE = 'include: "Snakefile"\nimport os\nprint("the jobs have", sorted(set(NAMES) & set(os.environ)))\n'


@pytest.mark.skipif(not arithmetic.supported(), reason="this processor has no x86-64-v3")
def test_the_jobs_have_portable_arithmetic_unless_native_is_asked_for(tmp_path, monkeypatch):
    folder = copy_repository(tmp_path / "clone", FEW)
    (folder / "probe.smk").write_text(PROBE.replace("NAMES", repr([*arithmetic.PORTABLE])))
    for name in arithmetic.PORTABLE:
        monkeypatch.delenv(name, raising=False)
    target = ("-n", "--quiet", "-s", "probe.smk", "figures/cone", "--config", "scale=smoke")
    assert not {*arithmetic.PORTABLE} & {*os.environ}
    for asked, wanted in (("portable", sorted(arithmetic.PORTABLE)), ("native", [])):
        run = as_typed(folder, *target, f"arithmetic={asked}")
        assert run.returncode == 0, run.stdout
        assert f"the jobs have {wanted}" in run.stdout
