"""The tests themselves: one harness starts Snakemake, nothing is printed, every marker is needed."""

import ast
import re

from harness import ROOT

FILES = sorted((ROOT / "tests").rglob("*.py"))


def prints(text):
    nodes = ast.walk(ast.parse(text)) if "print(" in text else ()
    return any(isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print" for node in nodes)


def test_a_test_prints_nothing():
    """A number worth seeing is worth an assertion; what starts a cluster by hand may say how to use it."""
    assert [path.name for path in FILES if prints(path.read_text("utf-8"))] == ["slurm_cluster.py"]


def test_only_the_harness_starts_snakemake():
    starting = [path for path in FILES if re.search(r'"-m", "snakemake"|\["snakemake"', path.read_text("utf-8"))]
    assert [str(path.relative_to(ROOT)) for path in starting if path.name != "test_style_of_the_tests.py"] == [
        "tests/harness.py"
    ]


def test_no_two_files_of_tests_have_the_same_name():
    """pytest imports them by it."""
    names = [path.name for path in FILES if path.name != "conftest.py"]
    assert len(set(names)) == len(names)


def test_no_test_imports_from_a_conftest():
    """There are several: which one comes first, and so whether a part of the suite is collected, is chance."""
    importing = [
        path for path in FILES if re.search(r"^\s*(from|import) conftest\b", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert not importing
