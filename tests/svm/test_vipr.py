"""Exported certificates prove what the answers prove, to readers of our own and to `viprchk` where it is installed."""

import os
import re
import shutil
import subprocess

import lean_reader
import numpy as np
import pytest
from svm_references import conflict, gaussian
from vipr_reader import check

from attnsvm import command
from attnsvm.svm import certificate

SETS = np.arange(5) < np.array([1, 2, 1, 3, 1, 1, 2])[:, None]
LINEAR = [("l1", None), ("linf", None), ("l1", SETS), ("linf", SETS)]
NAMES = ["l1", "linf", "l1 of sets", "linf of sets"]
viprchk = pytest.mark.skipif(
    shutil.which("viprchk") is None and "ATTNSVM_REQUIRE_VIPR" not in os.environ,
    reason="viprchk, of github.com/scipopt/vipr, is not on PATH",
)


def exported(folder, norm, tokens, queries, selected):
    problem, answer, out = (folder / name for name in ("tokens.npz", "answer.npz", "answer.vipr"))
    np.savez(problem, tokens=tokens, queries=queries, selected=selected)
    assert command.main(["solve", str(problem), "--norm", norm, "--out", str(answer)]) == 0
    assert command.main(["export", str(answer), "--vipr", str(out)]) == 0
    return out


def as_lean(folder):
    out = folder / "answer.lean"
    assert command.main(["export", str(folder / "answer.npz"), "--lean", str(out)]) == 0
    return out


def optimum(folder, norm, sets):
    tokens, queries, selected = gaussian(0, 7, 5, 6, 4)
    return exported(folder, norm, tokens, queries, selected if sets is None else sets)


def refutations():
    rng = np.random.default_rng(3)
    many = rng.normal(size=(12, 5, 3)), rng.normal(size=(12, 3)), np.arange(12) % 5
    return {"two inputs alike": conflict(), "more inputs than dimensions": many}


def accepted(path) -> bool:
    return subprocess.run(["viprchk", path], capture_output=True, timeout=60).returncode == 0


@pytest.mark.parametrize(("norm", "sets"), LINEAR, ids=NAMES)
def test_an_optimum_lies_in_the_range_of_its_certificate(norm, sets, tmp_path):
    low, high = check(optimum(tmp_path, norm, sets))
    assert 0 < low <= high
    assert (high - low) / high <= 1e-7
    W = dict(certificate.load(tmp_path / "answer.npz"))["W"]
    assert float(high) == pytest.approx(np.abs(W).sum() if norm == "l1" else np.abs(W).max(), rel=1e-9)


@pytest.mark.parametrize("which", refutations())
def test_a_refutation_of_any_norm_is_one_of_a_linear_system(which, tmp_path):
    assert check(exported(tmp_path, "nuc", *refutations()[which])) == "infeas"


@pytest.mark.parametrize(("norm", "sets"), LINEAR, ids=NAMES)
def test_lean_is_told_of_both_ends_of_an_optimum(norm, sets, tmp_path):
    low, high = check(optimum(tmp_path, norm, sets))
    out = as_lean(tmp_path)
    said = lean_reader.check(out)
    (least,), (found,) = (re.findall(r"norm of (\S+) or less", said[name]) for name in ("least", "found"))
    assert float(low) * (1 - 1e-11) < float(least) <= low <= high <= float(found) < float(high) * (1 + 1e-11)
    for pattern, by in ((r"rowLower := #v\[(.*), ", r"rowLower := #v[\1, 1"), (r"some #v\[", "some #v[1")):
        changed = re.sub(pattern, by, out.read_text(), count=1)
        assert changed != out.read_text()
        (tmp_path / "changed.lean").write_text(changed)
        with pytest.raises(AssertionError, match=r"a sign|a row is broken"):
            lean_reader.check(tmp_path / "changed.lean")


@pytest.mark.parametrize("which", refutations())
def test_lean_is_told_of_a_refutation(which, tmp_path):
    exported(tmp_path, "nuc", *refutations()[which])
    assert lean_reader.check(as_lean(tmp_path)) == {"refuted": "no W separates the tokens"}


@viprchk
@pytest.mark.parametrize(("norm", "sets"), LINEAR, ids=NAMES)
def test_viprchk_accepts_an_optimum_and_refuses_a_better_one(norm, sets, tmp_path):
    out = optimum(tmp_path, norm, sets)
    assert accepted(out)
    out.write_text(re.sub(r"RTP range (\S+)", r"RTP range 1\1", out.read_text()))
    assert not accepted(out)


@viprchk
@pytest.mark.parametrize("which", refutations())
def test_viprchk_accepts_a_refutation_and_refuses_a_changed_one(which, tmp_path):
    out = exported(tmp_path, "fro", *refutations()[which])
    assert accepted(out)
    out.write_text(re.sub(r"lin (\d+) (\d+) (\S+)", r"lin \1 \2 1\3", out.read_text()))
    assert not accepted(out)


@pytest.mark.parametrize(
    ("pattern", "by", "reason"),
    [
        (r"RTP range (\S+)", r"RTP range 1\1", "below the range"),
        (r"(RTP range \S+) \d", r"\1 0", "no solution is within the range"),
        (r"(best \d+ \d+) ", r"\1 7", "a solution breaks a constraint"),
        (r"lin (\d+) (\d+) (\S+)", r"lin \1 \2 -\3", "a multiplier has the wrong sign"),
        (r"lin (\d+) (\d+) (\S+)", r"lin \1 \2 1\3", "the combination is another row"),
        (r"bound G (\S+)", r"bound G 1\1", "the combination reaches less"),
    ],
)
def test_the_reader_refuses_a_changed_optimum(pattern, by, reason, tmp_path):
    out = optimum(tmp_path, "l1", None)
    changed = re.sub(pattern, by, out.read_text())
    assert changed != out.read_text()
    out.write_text(changed)
    with pytest.raises(AssertionError, match=reason):
        check(out)


def test_what_is_no_linear_program_is_said(tmp_path, capsys):
    problem, answer = tmp_path / "tokens.npz", tmp_path / "answer.npz"
    np.savez(problem, **dict(zip(("tokens", "queries", "selected"), gaussian(0), strict=True)))
    assert command.main(["solve", str(problem), "--out", str(answer)]) == 0
    assert command.main(["export", str(answer), "--vipr", str(tmp_path / "out.vipr")]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"error: {answer}: solved in the norm fro is no linear program: refutations and optima in l1 and linf are"
    )
    assert not (tmp_path / "out.vipr").exists()


def test_an_answer_that_does_not_hold_is_not_exported(tmp_path, capsys):
    optimum(tmp_path, "l1", None)
    given = dict(certificate.load(tmp_path / "answer.npz"))
    np.savez(tmp_path / "answer.npz", **(given | {"dual": 0 * given["dual"]}))
    assert command.main(["export", str(tmp_path / "answer.npz"), "--vipr", str(tmp_path / "other.vipr")]) == 1
    assert "does not hold" in capsys.readouterr().err
    assert not (tmp_path / "other.vipr").exists()


@pytest.mark.parametrize("name", ["answer.npz", "tokens.npz"])
def test_an_export_overwrites_nothing_that_it_reads(name, tmp_path, capsys):
    optimum(tmp_path, "l1", None)
    before = (tmp_path / name).read_bytes()
    assert command.main(["export", str(tmp_path / "answer.npz"), "--vipr", str(tmp_path / name)]) == 1
    assert "would overwrite" in capsys.readouterr().err
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("norm", ["l1", "linf"])
@pytest.mark.parametrize("tokens", [1, 3])
def test_where_nothing_is_asked_of_W_the_least_norm_is_zero(norm, tokens, tmp_path):
    """One token alone for each input, or all of them selected."""
    X = np.random.default_rng(0).normal(size=(2, tokens, 3))
    out = exported(tmp_path, norm, X, np.ones((2, 2)), np.ones((2, tokens), dtype=bool))
    assert check(out) == (0, 0)
