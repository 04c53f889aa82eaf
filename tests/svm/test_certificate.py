"""An answer in a file proves itself with its tokens at hand, and with nothing else; whatever is changed is found."""

import re
import shutil
import signal
import sys

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm import command
from attnsvm.svm import certificate, ragged, solve
from attnsvm.system.errors import UserError


def write(path, **change):
    arrays = dict(zip(("tokens", "queries", "selected"), gaussian(0, 7, 5, 6, 4), strict=True)) | change
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def solved(folder, norm="fro", **change):
    problem = write(folder / "tokens.npz", **change)
    assert command.main(["solve", str(problem), "--norm", norm, "--out", str(folder / "answer.npz")]) == 0
    return folder / "answer.npz"


SETS = np.arange(5) < np.array([1, 2, 1, 3, 1, 1, 2])[:, None]


@pytest.mark.parametrize(
    "change",
    [{}, {"lengths": np.array([5, 2, 1, 5, 4, 3, 5]), "selected": np.zeros(7, dtype=int)}, {"selected": SETS}],
    ids=["equal", "ragged", "sets"],
)
def test_the_matrices_that_are_checked_are_those_that_are_solved(change, tmp_path):
    """Built twice, by two ways: input by input here, from row numbers there."""
    inputs = certificate.read(write(tmp_path / "tokens.npz", **change))
    c = ragged(inputs)
    (tokens, queries, winner, loser, query), bound, equality = certificate.matrices(inputs)
    np.testing.assert_array_equal(tokens[winner] - tokens[loser], c.left)
    np.testing.assert_array_equal(queries[query], c.right)
    np.testing.assert_array_equal(bound, c.bound)
    np.testing.assert_array_equal(equality, c.equality)


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_an_answer_is_verified_elsewhere_from_two_files(norm, tmp_path, capsys):
    solved(tmp_path, norm, selected=SETS)
    shutil.move(tmp_path / "answer.npz", tmp_path / "sent.npz")
    (tmp_path / "other").mkdir()
    shutil.move(tmp_path / "tokens.npz", tmp_path / "other" / "renamed.npz")
    capsys.readouterr()
    tokens = ["--tokens", str(tmp_path / "other" / "renamed.npz")]
    assert command.main(["verify", str(tmp_path / "sent.npz"), *tokens]) == 0
    said, counted = capsys.readouterr().out.splitlines()
    assert f"in the norm {norm}: the least norm lies between " in said
    assert said.endswith(": verified")
    assert counted == "0 files compared, 1 answer file judged: nothing wrong."
    low, high = (float(number) for number in re.search("between (.*) and (.*), relative", said).groups())
    value = solve(ragged(certificate.read(tokens[1])), norm)
    size = {"fro": np.linalg.norm, "nuc": lambda W: np.linalg.norm(W, "nuc"), "l1": lambda W: np.abs(W).sum()}[norm]
    assert low * (1 - 1e-9) <= size(value.W) <= high * (1 + 1e-9)
    assert high - low <= 1e-7 * high


def test_an_answer_without_its_tokens_says_how_to_name_them(tmp_path):
    answer = solved(tmp_path)
    (tmp_path / "tokens.npz").unlink()
    with pytest.raises(UserError, match=r"there is no file .*tokens.npz with its tokens: name the file with --tokens$"):
        certificate.verify(answer)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tokens": None}, "the array tokens is missing, (n, T, d)"),
        ({"queries": None}, "the array queries is missing, (n, e)"),
        ({"selected": None}, "the array selected is missing, (n,) int or (n, T) bool"),
        ({"tokens": np.full((7, 5, 6), np.nan)}, "tokens: expected finite numbers in shape (n, T, d)"),
        ({"selected": np.full(7, 5)}, "selected of input 0: expected a token number from 0 to 4, got 5"),
        ({"selected": np.zeros((7, 5), dtype=bool)}, "selected of input 0: expected a token in the set, got none"),
        (
            {"selected": np.zeros(7)},
            "selected: expected integers of shape (7,) or booleans of shape (7, 5), got float64",
        ),
        ({"lengths": np.full(7, 6)}, "lengths: expected 7 integers from 1 to 5, one per input"),
        ({"lengths": np.full(7, 2.0)}, "lengths: expected 7 integers from 1 to 5, one per input"),
        ({"tokens": np.zeros((7, 5)), "lengths": np.full(7, 5)}, "tokens: expected shape (n, T, d), got (7, 5)"),
    ],
)
def test_a_problem_that_is_not_as_described_is_one_sentence(change, sentence, tmp_path, capsys):
    problem = write(tmp_path / "tokens.npz", **change)
    assert command.main(["solve", str(problem), "--out", str(tmp_path / "answer.npz")]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"error: {problem}: {sentence}")
    assert not (tmp_path / "answer.npz").exists()


@pytest.mark.parametrize("padding", [np.nan, np.inf, 1e300])
def test_padding_does_not_count_whatever_it_is(padding, tmp_path, capsys):
    """Behind `lengths`; a NaN before them does count."""
    lengths, arrays = np.array([5, 2, 1, 5, 4, 3, 5]), gaussian(0, 7, 5, 6, 4)
    padded = np.where((np.arange(5) >= lengths[:, None])[..., None], padding, arrays[0])
    given = {"lengths": lengths, "selected": np.zeros(7, dtype=int)}
    first = certificate.read(write(tmp_path / "tokens.npz", **given, tokens=padded))
    assert [len(X) for X, _, _ in first] == lengths.tolist()
    assert certificate.digest(first) == certificate.digest(certificate.read(write(tmp_path / "plain.npz", **given)))
    assert command.main(["solve", str(tmp_path / "tokens.npz"), "--out", str(tmp_path / "answer.npz")]) == 0
    assert capsys.readouterr().out.endswith(": verified\n")
    padded[1, 1] = np.nan
    with pytest.raises(ValueError, match=r"tokens: expected finite numbers .* the first at \(1, 1, 0\)"):
        certificate.read(write(tmp_path / "tokens.npz", **given, tokens=padded))


def test_a_file_that_is_something_else_is_named(tmp_path):
    np.savez(tmp_path / "others.npz", x=np.zeros(3))
    with pytest.raises(UserError, match=r"others\.npz: is no certificate: the array status is missing"):
        certificate.verify(tmp_path / "others.npz")


def test_an_answer_does_not_overwrite_the_tokens(tmp_path, capsys):
    """Nor by another name of the same file; it is refused before anything is solved."""
    problem = write(tmp_path / "tokens.npz")
    before = problem.read_bytes()
    (tmp_path / "link.npz").symlink_to(problem)
    for out in ("tokens.npz", "link.npz"):
        assert command.main(["solve", str(problem), "--out", str(tmp_path / out)]) == 1
        assert f"--out: {tmp_path / out} would overwrite what is read from {problem}" in capsys.readouterr().err
    assert problem.read_bytes() == before


def test_an_answer_that_cannot_be_written_is_said(tmp_path, capsys):
    problem = write(tmp_path / "tokens.npz")
    assert command.main(["solve", str(problem), "--out", str(problem / "answer.npz")]) == 1
    assert "answer.npz: cannot be written (" in capsys.readouterr().err


def test_inputs_of_one_token_are_said_to_ask_nothing(tmp_path, capsys):
    path = solved(tmp_path, tokens=np.ones((7, 1, 6)), selected=np.zeros(7, dtype=int))
    assert capsys.readouterr().out == (
        f"{path}: W = 0 solves {tmp_path / 'tokens.npz'}, which asks nothing of W: every input has one token alone\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--norm", "nuk"], "error: norm: expected one of"),
        (["--tol", "nan"], "error: --tol: expected a relative gap above 0"),
        (["--norm", "spectral"], "error: cvxpy is not installed: pip install '/"),
    ],
)
def test_a_wrong_question_is_refused_before_the_file_is_read(arguments, sentence, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    assert command.main(["solve", str(tmp_path / "missing.npz"), *arguments]) == 1
    said = capsys.readouterr().err
    assert said.startswith(sentence)
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "ended by SIGTERM"), ("SIGHUP", 129, "ended by SIGHUP")],
)
def test_what_ends_a_command_is_a_line_and_its_status(name, status, said, tmp_path, capsys, monkeypatch):
    number, before = getattr(signal, name), signal.getsignal(getattr(signal, name))
    monkeypatch.setattr(certificate, "read", lambda path: signal.raise_signal(number))
    assert command.main(["solve", str(tmp_path / "tokens.npz")]) == status
    assert capsys.readouterr().err == f"{said}\n"
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_ends_nothing(tmp_path, capsys, monkeypatch):
    """As nohup has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        monkeypatch.setattr(certificate, "read", lambda path: signal.raise_signal(signal.SIGHUP) or _raise())
        assert command.main(["solve", str(tmp_path / "tokens.npz")]) == 1
    finally:
        signal.signal(signal.SIGHUP, before)
    assert capsys.readouterr().err == "error: went on\n"


def _raise():
    raise ValueError("went on")


def test_the_version_is_said(capsys):
    with pytest.raises(SystemExit, match="0"):
        command.main(["--version"])
    assert capsys.readouterr().out.startswith("attnsvm ")


def test_of_an_exact_copy_the_refutation_is_the_row_itself(tmp_path, capsys):
    X = np.random.default_rng(0).normal(size=(3, 4, 5))
    X[1, 2] = X[1, 0]
    answer = solved(tmp_path, tokens=X, queries=np.ones((3, 2)), selected=np.zeros(3, dtype=int))
    assert capsys.readouterr().out.endswith("tokens.npz: verified exactly\n")
    assert (np.load(answer)["farkas"] != "0").sum() == 1
