"""Which instructions the numbers are made with: what the libraries are told, and that they obey."""

import os
import subprocess
import sys

import pytest
import yaml
from harness import ROOT

from attnsvm.pipeline import configuration
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.pipeline.running import arithmetic

OLD = "flags\t\t: fpu sse2 avx\n"
V3 = f"flags\t\t: fpu {' '.join(sorted(arithmetic.V3))}\n"
on_v3 = pytest.mark.skipif(not arithmetic.supported(), reason="this processor has no x86-64-v3")


@pytest.fixture
def environment(monkeypatch):
    """No variable of the arithmetic, and those that a test sets are gone after it."""
    for name in arithmetic.PORTABLE:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("asked", "flags", "chosen"), [("portable", V3, True), ("portable", OLD, False), ("native", V3, False)]
)
def test_it_is_chosen_where_it_is_asked_for_and_the_processor_has_it(
    environment, tmp_path, monkeypatch, asked, flags, chosen
):
    monkeypatch.setattr(arithmetic.platform, "machine", lambda: "x86_64")
    (tmp_path / "cpuinfo").write_text(f"processor : 0\n{flags}")
    assert arithmetic.choose(asked, tmp_path / "cpuinfo") is chosen
    assert ({*arithmetic.PORTABLE} <= {*os.environ}) is chosen


def test_other_machines_and_systems_are_left_as_they_are(environment, tmp_path, monkeypatch):
    assert not arithmetic.choose("portable", tmp_path / "nowhere")
    (tmp_path / "cpuinfo").write_text(V3)
    monkeypatch.setattr(arithmetic.platform, "machine", lambda: "aarch64")
    assert not arithmetic.choose("portable", tmp_path / "cpuinfo")
    assert not {*arithmetic.PORTABLE} & {*os.environ}


def test_it_is_the_default_and_counts():
    assert resolve({})["arithmetic"] == configuration.CHOICES["arithmetic"][0] == "portable"
    assert yaml.safe_load((ROOT / "config/config.yaml").read_text())["arithmetic"] == "portable"
    plans = [Plan(resolve({"scale": "smoke", "arithmetic": word}), {}) for word in configuration.CHOICES["arithmetic"]]
    assert len({plan.made("smoke/results/cone/measures.parquet") for plan in plans}) == 2


@on_v3
def test_the_libraries_obey_the_variables():
    """Asked of each library itself, in a process that starts with them."""
    program = (
        "import numpy, scipy.linalg, threadpoolctl\n"
        "from numba.core.codegen import get_host_cpu_features\n"
        "from numba.core.registry import cpu_target\n"
        "print({one['architecture'] for one in threadpoolctl.threadpool_info() if one['internal_api'] == 'openblas'})\n"
        "from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__ as found\n"
        "print([name for name in __cpu_dispatch__ if found[name] and ('512' in name or name == 'X86_V4')])\n"
        "print(cpu_target.target_context.codegen().magic_tuple()[1])\n"
    )
    environment = os.environ | arithmetic.PORTABLE
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["{'Haswell'}", "[]", "x86-64-v3"]
    assert not run.stderr
