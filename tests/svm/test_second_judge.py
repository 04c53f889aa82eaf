"""The second judge, tools/judge.py, proves what the solver answers, and refuses what is nearly an answer.

Its verdicts are held against the norms of the answers as NumPy computes them; it uses neither NumPy nor this package.
"""

import importlib.util
import subprocess
import sys
import zipfile
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mutators import packed
from svm_references import edit, gaussian, matrix

from attnsvm import geometry
from attnsvm.svm import certificate, ragged, solve
from attnsvm.svm.solution import FactoredSolution
from attnsvm.system.errors import UserError

FILE = Path(__file__).parents[2] / "tools" / "judge.py"
NORMS = (*geometry.NAMES, "l1.1", "l1.75", "l3.0", "l20.0")
SETS = np.arange(5) < np.array([1, 2, 1, 3, 1, 1, 2])[:, None]


def loaded():
    spec = importlib.util.spec_from_file_location("second_judge", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


JUDGE = loaded()


def written(folder, tokens, queries, selected, norm="fro", change=lambda answer: answer, **more):
    """An answer file of the solver's answer, changed, beside its problem."""
    problem = folder / "tokens.npz"
    np.savez(problem, tokens=tokens, queries=queries, selected=selected, **more)
    inputs = certificate.read(problem)
    answer = change(solve(ragged(inputs), norm))
    certificate.save(folder / "answer.npz", answer, norm, geometry.get(norm).tolerance, problem, inputs)
    return folder / "answer.npz"


def solved(folder, norm="fro", sets=False, e=4, **more):
    tokens, queries, selected = gaussian(0, 7, 5, 6, e)
    return written(folder, tokens, queries, SETS if sets else selected, norm, **more)


def ends(said):
    words = said.split()
    return float(words[words.index("from") + 1]), float(words[words.index("to") + 1].rstrip(","))


def refusal(path):
    with pytest.raises((ValueError, KeyError, TypeError, ArithmeticError)) as error:
        JUDGE.judge(path)
    return str(error.value)


def run(*arguments, python=(sys.executable, "-I", "-S")):
    """By a Python that finds no library."""
    return subprocess.run([*python, FILE, *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("sets", [False, True], ids=["one token", "sets"])
@pytest.mark.parametrize("norm", NORMS)
def test_an_answer_in_every_norm_is_proved(norm, sets, tmp_path):
    path = solved(tmp_path, norm, sets)
    low, high = ends(JUDGE.judge(path))
    value = float(geometry.get(norm).value(dict(certificate.load(path))["W"]))
    assert 0 < low <= high
    assert high - low <= geometry.get(norm).tolerance * high
    assert low * (1 - 1e-12) <= value <= high * (1 + 1e-9)


@pytest.mark.parametrize("norm", ["fro", "nuc"])
def test_the_verdict_is_the_same_without_any_library(norm, tmp_path):
    """FLINT multiplies integers faster, to the same products."""
    path = solved(tmp_path, norm, sets=True)
    alone, with_all = run(path), run(path, python=(sys.executable, "-I"))
    assert alone.returncode == with_all.returncode == 0
    assert alone.stdout == with_all.stdout
    assert alone.stdout.startswith(f"{path}: solved: the least {norm} norm is from ")
    assert alone.stdout.count("\n") == 1


def test_single_precision_and_integers_are_read_as_they_are(tmp_path):
    tokens, queries, selected = gaussian(0, 7, 5, 6, 4)
    tokens = np.asfortranarray(tokens[..., :2].astype(np.float32))[:, :, [0, 1]].copy()
    path = written(tmp_path, tokens, np.round(10 * queries).astype(np.int16), selected.astype(np.uint8))
    assert "solved" in JUDGE.judge(path) or "infeasible" in JUDGE.judge(path)


def test_equalities_that_imply_one_another(tmp_path):
    """Twice the same input: its equalities are there twice, and the answer is the same."""
    tokens, queries, _ = gaussian(0, 4, 5, 6)
    sets = np.arange(5) < np.array([3, 1, 2, 1])[:, None]
    once = dict(certificate.load(written(tmp_path, tokens, queries, sets, "l1")))
    twice = [np.concatenate([array, array[:1]]) for array in (tokens, queries, sets)]
    dual = np.append(once["dual"], np.zeros(4))
    assert "solved" in JUDGE.judge(
        written(tmp_path, *twice, "l1", lambda a: replace(a, status="solved", W=once["W"], dual=dual))
    )


def test_a_product_of_factors(tmp_path):
    def factored(answer):
        U, s, Vt = np.linalg.svd(answer.W, full_matrices=False)
        others = {name: getattr(answer, name) for name in answer.__annotations__ if name != "W"}
        return FactoredSolution(**others, left=U * s, right=Vt.T)

    path = solved(tmp_path, "nuc", change=factored)
    assert "W_left" in dict(certificate.load(path))
    assert "solved" in JUDGE.judge(path)
    edit(path, W_right=lambda W: W[:, :-1])
    refusal(path)


def test_a_problem_that_asks_for_no_margin_is_solved_by_zero(tmp_path):
    tokens, queries, _ = gaussian(0, 3, 4, 5)
    path = written(tmp_path, tokens, queries, np.ones((3, 4), dtype=bool))
    assert ends(JUDGE.judge(path))[1] < 1e-300
    edit(path, W=lambda W: W + 1e-300)
    refusal(path)
    edit(path, W=lambda W: 0 * W, status=lambda _: "remote")
    assert refusal(path) == "its multipliers promise nothing"


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1"])
def test_rounded_multipliers_of_a_contradiction_prove_a_distance(norm, tmp_path):
    """It is as large as one over the rounding."""
    rng = np.random.default_rng(3)
    path = written(tmp_path, rng.normal(size=(12, 5, 3)), rng.normal(size=(12, 3)), np.arange(12) % 5, norm)
    assert JUDGE.judge(path).startswith("infeasible: ")
    edit(path, status=lambda _: "remote")
    said = JUDGE.judge(path)
    assert said.startswith(f"remote: no W of {norm} norm below ")
    assert float(said.split()[7]) > 1e6
    edit(path, status=lambda _: "solved")
    refusal(path)


def test_a_refutation_without_an_exact_vector_is_written_as_what_its_multipliers_bound(monkeypatch, tmp_path):
    rng = np.random.default_rng(3)
    monkeypatch.setattr(certificate, "refutation", lambda *_: None)
    path = written(tmp_path, rng.normal(size=(12, 5, 3)), rng.normal(size=(12, 3)), np.arange(12) % 5)
    assert "no W separates" in certificate.verify(path)
    assert JUDGE.judge(path).startswith("remote: no W of fro norm below ")


def test_singular_values_that_take_hours_are_refused_and_sweeps_end_where_nothing_turns():
    with pytest.raises(ValueError, match="its singular values would take more than minutes"):
        JUDGE.upper("nuc", [[1] * 512] * 512)
    assert 180 <= JUDGE.upper("nuc", [[2] * 90] * 90) < 180 + 1e-6


@pytest.mark.parametrize(("digits", "right"), [(200_000, True), (200_001, False)])
def test_a_farkas_vector_has_so_many_digits_at_most(digits, right, tmp_path):
    tokens = np.array([[[1.0, 0.0], [0.0, 1.0]]] * 2)
    path = written(tmp_path, tokens, np.ones((2, 1)), np.array([0, 1]))
    edit(path, farkas=lambda _: np.array(["1" + "0" * (digits - 1)] * 2))
    run = subprocess.run([sys.executable, FILE, path], capture_output=True, text=True, check=False)
    assert ("infeasible: " in run.stdout) == right
    refused = nullcontext() if right else pytest.raises(UserError, match="is not of integers")
    with refused:
        assert "no W separates" in certificate.verify(path)


def test_multipliers_that_combine_to_zero_are_a_refutation_whatever_the_file_calls_them(tmp_path):
    tokens = np.array([[[1.0, 0.0], [0.0, 1.0]]] * 2)
    path = written(tmp_path, tokens, np.ones((2, 1)), np.array([0, 1]))
    arrays = dict(certificate.load(path))
    del arrays["farkas"]
    np.savez(path, **arrays | {"status": "remote", "dual": np.ones(2)})
    assert "no W separates" in certificate.verify(path)
    assert JUDGE.judge(path).startswith("infeasible: ")


def lowered(W):
    """One margin, that of the first input, is short by more than one part in a million."""
    return W + 1e-5 * np.outer(np.ones(len(W)), np.arange(1, 1 + W.shape[1]))


# What else there is: forgeries.py, whose forgeries both judges refuse.
NEAR_MISSES = {
    "W short by one part in a million": {"W": lambda W: W * (1 - 1e-6)},
    "W long by one part in a million": {"W": lambda W: W * (1 + 1e-6)},
    "one margin short": {"W": lowered},
    "one multiplier scaled": {"dual": lambda y: y * np.where(np.arange(len(y)) == y.argmax(), 1.1, 1.0)},
    "multipliers of different scales": {"dual": lambda y: y * np.geomspace(1, 2, len(y))},
    "multipliers of another order": {"dual": lambda y: y[::-1].copy()},
    "a norm in other letters": {"norm": lambda _: "fr\u043e"},
    "a problem elsewhere": {"problem": lambda _: "elsewhere.npz"},
}


@pytest.mark.parametrize("change", NEAR_MISSES)
@pytest.mark.parametrize("norm", NORMS)
def test_what_is_nearly_an_answer_is_refused(norm, change, tmp_path):
    path = solved(tmp_path, norm)
    edit(path, **NEAR_MISSES[change])
    with pytest.raises(Exception):  # noqa: B017, PT011  # `main` says any of them in one sentence
        JUDGE.judge(path)


@pytest.mark.parametrize(("off", "proved"), [(0.0, True), (1e-10, True), (4e-10, True), (3e-9, False), (1e-7, False)])
def test_both_judges_allow_an_equality_as_much(tmp_path, off, proved):
    path = solved(tmp_path, sets=True)
    problem = ragged(certificate.read(tmp_path / "tokens.npz"))
    row = np.outer(problem.left[problem.equality][0], problem.right[problem.equality][0])
    edit(path, W=lambda W: W + off * np.linalg.norm(W) / np.linalg.norm(row) * row)
    if proved:
        assert "solved" in JUDGE.judge(path)
        assert ": verified" in certificate.verify(path)
    else:
        assert "does not meet constraint" in refusal(path)
        with pytest.raises(UserError, match="does not hold"):
            certificate.verify(path)


@pytest.mark.parametrize("norm", ["nuc", "l1", "linf", "hybrid"])
def test_both_judges_refuse_a_W_longer_than_what_meets_the_constraints(norm, tmp_path):
    """Within a millionth of it in the Frobenius norm: the projection onto the tight rows takes away what is added."""
    path = solved(tmp_path, norm, sets=True)
    c = ragged(certificate.read(tmp_path / "tokens.npz"))
    W = certificate.load(path)["W"]
    tight = c.apply(W) < c.bound + 1e-7
    more = np.linalg.lstsq(matrix(c)[tight], np.where(c.equality, 0.0, 1.0)[tight])[0].reshape(c.shape)
    for share, proved in ((0.2, True), (0.99, False)):
        added = share * 2.0**-20 * np.linalg.norm(W) / np.linalg.norm(more) * more
        edit(path, W=lambda _, added=added: W + added)
        if proved:
            assert JUDGE.judge(path).startswith("solved")
            assert "verified" in certificate.verify(path)
        else:
            assert "larger" in refusal(path)
            with pytest.raises(UserError, match="does not hold"):
                certificate.verify(path)


def test_both_judges_refuse_a_W_far_from_what_meets_the_constraints(tmp_path):
    """Rows nearly parallel: a thousandth of W along their difference changes margins by 1e-7, the norm by 5e-7."""
    tokens = np.array([[[0.0, 0.0], [-1.0, -1e-4], [-1.0, 1e-4]]])
    path = written(tmp_path, tokens, np.ones((1, 1)), np.zeros(1, dtype=int))
    assert JUDGE.judge(path).startswith("solved")
    edit(path, W=lambda W: W + np.array([[0.0], [1e-3]]))
    assert "apart" in refusal(path)
    with pytest.raises(UserError, match="does not hold"):
        certificate.verify(path)


def test_both_judges_refuse_a_W_that_only_its_multiple_is_near(tmp_path):
    """A shared row and a long one: it has a thousandth of the least norm, and its margins."""
    tokens, sets = np.array([[[0.0, 0.0], [0.0, -1.0], [-1.0, -1e12]]]), np.array([[True, True, False]])
    path = written(tmp_path, tokens, np.ones((1, 1)), sets)
    edit(
        path,
        status=lambda _: "solved",
        W=lambda _: np.array([[1e-3], [0.999e-12]]),
        dual=lambda _: np.array([-1e12, 1.0]),
    )
    assert "apart" in refusal(path)
    with pytest.raises(UserError, match="does not hold"):
        certificate.verify(path)


@pytest.mark.parametrize("sets", [False, True])
def test_both_judges_allow_a_W_longer_by_half_a_millionth(sets, tmp_path):
    path = solved(tmp_path, "linf", sets)
    edit(path, W=lambda W: W * (1 + 2.0**-21))
    assert JUDGE.judge(path).startswith("solved")
    assert "verified" in certificate.verify(path)


def test_a_proof_does_not_depend_on_the_unit_of_its_multipliers_or_the_order_in_memory(tmp_path):
    path = solved(tmp_path)
    before = JUDGE.judge(path)
    edit(path, dual=lambda y: y * 2.0**-1000, W=np.asfortranarray)
    assert JUDGE.judge(path) == before


def test_padding_is_not_read(tmp_path):
    tokens, queries, _ = gaussian(0, 7, 5, 6, 4)
    lengths = np.array([5, 2, 1, 5, 4, 3, 5])
    path = written(tmp_path, tokens, queries, np.zeros(7, dtype=int), lengths=lengths)
    padding = (np.arange(5) >= lengths[:, None])[..., None]
    edit(tmp_path / "tokens.npz", tokens=lambda X: np.where(padding, np.nan, X))
    assert "solved" in JUDGE.judge(path)


def broken(folder):
    """Files that are no answers, by what is wrong."""
    path = solved(folder)
    data = path.read_bytes()
    files = {"empty": b"", "text": b"no archive", "cut off": data[:-200], "one byte": b"P"}
    damaged = bytearray(data)
    damaged[data.index(b"NUMPY") + 300] ^= 1
    files["damaged"] = bytes(damaged)
    for name, content in files.items():
        (folder / f"{name}.npz").write_bytes(content)
    given = dict(certificate.load(path))
    np.savez(folder / "lacking.npz", **{name: array for name, array in given.items() if name != "dual"})
    with zipfile.ZipFile(folder / "header.npz", "w") as archive:
        archive.writestr("W.npy", b"\x93NUMPY\x01\x00\xff\x00" + b"(" * 255)
    with zipfile.ZipFile(folder / "huge.npz", "w") as archive:
        header = b"{'descr': '<U0', 'fortran_order': False, 'shape': (10000000000000,)}".ljust(118)
        archive.writestr("W.npy", b"\x93NUMPY\x01\x00\x76\x00" + header)
    with zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("W.npy", bytes(2**28))
    return sorted(one for one in folder.glob("*.npz") if one.name not in ("tokens.npz", "answer.npz"))


def test_a_broken_file_is_one_sentence(tmp_path):
    paths = broken(tmp_path)
    assert len(paths) == 9
    for path in [*paths, tmp_path / "missing.npz", tmp_path]:
        done = run(path)
        assert done.returncode == 1, path
        assert done.stdout.startswith(f"{path}: not proved: "), path
        assert done.stdout.count("\n") == 1, path
        assert done.stderr == "", path


def test_a_problem_may_lie_elsewhere(tmp_path):
    path = solved(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tokens.npz").rename(tmp_path / "elsewhere" / "renamed.npz")
    assert run(path).returncode == 1
    assert run("--help").stdout == f"{JUDGE.__doc__}\n"
    assert run(path, tmp_path / "elsewhere" / "renamed.npz").returncode == 0


def test_what_a_projection_leaves_short_is_held_too(tmp_path):
    """On the rows with multipliers alone, W would miss the other one by 5e-5; on all it is optimal to 1e-12."""
    rows = np.array([[1.0, -1e-6, 0.0], [1.0, 1e9, 0.0], [0.0, 0.0, 1.0]])
    tokens = np.concatenate([np.zeros((1, 3)), -rows])[None]
    path = written(tmp_path, tokens, np.ones((1, 1)), np.array([0]))
    edit(path, W=lambda _: np.array([[1 - 5e-8], [1e-16], [1.0]]), dual=lambda _: np.array([1.0, 0.0, 1.0]))
    low, high = ends(JUDGE.judge(path))
    assert 1 - 1e-12 <= low / 2**0.5 <= high / 2**0.5 <= 1 + 1e-12
    assert "verified" in certificate.verify(path)


def member(array, descr=None, order=False, shape=None, more="", version=b"\1\0"):
    """A .npy file, of which the header says this."""
    said = (
        f"{{'descr': '{descr or array.dtype.str}', 'fortran_order': {order}, 'shape': {shape or array.shape}, {more}}}"
    )
    header = b"\x93NUMPY" + version + len(said).to_bytes(2 if version[:1] == b"\1" else 4, "little") + said.encode()
    return header + array.tobytes("F" if order else "C")


def once_more(path, packing=zipfile.ZIP_STORED, before=b"", **change):
    """The archive again, with members made by `change`, or without where it is None."""
    held = {name: member(array) for name, array in certificate.load(path).items()}
    held |= {name: made and made(np.load(path).get(name, np.zeros(2))) for name, made in change.items()}
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in held.items():
            if content is not None:
                archive.writestr(f"{name}.npy", content)
    path.write_bytes(before + path.read_bytes())


BIG, NO = np.full((7, 5, 6), 2**53 + 1), member(np.zeros((6, 0)))
# What the grammar of files in docs/svm.md takes, and what not: the file, and how its members change.
TRICKS = {
    "as NumPy writes it": (True, "answer", {}),
    "deflated": (True, "answer", {"packing": zipfile.ZIP_DEFLATED}),
    "big-endian tokens": (True, "tokens", {"tokens": lambda X: member(X.astype(">f8"))}),
    "a big-endian W": (True, "answer", {"W": lambda W: member(W.astype(">f8"))}),
    "Fortran's order": (True, "tokens", {"tokens": lambda X: member(X, order=True)}),
    "another array of a problem": (True, "tokens", {"more": member}),
    "spaces in a header": (True, "answer", {"dual": lambda y: member(y, more=" " * 900)}),
    "farkas of what is solved": (True, "answer", {"farkas": lambda _: member(np.array(["1"] * 28))}),
    "a line before": (False, "answer", {"before": b"#!/bin/sh\n"}),
    "bzip2": (False, "answer", {"packing": zipfile.ZIP_BZIP2}),
    "lzma": (False, "tokens", {"packing": zipfile.ZIP_LZMA}),
    "version 2.0": (False, "answer", {"W": lambda W: member(W, version=b"\2\0")}),
    "version 7.9": (False, "tokens", {"tokens": lambda X: member(X, version=b"\7\t")}),
    "a key more": (False, "answer", {"W": lambda W: member(W, more="'x': 1")}),
    "a shape in brackets": (False, "answer", {"W": lambda W: member(W, shape=[*W.shape])}),
    "a shape of a truth": (False, "answer", {"format": lambda two: member(two[None], shape="(True,)")}),
    "an order that is a number": (False, "tokens", {"tokens": lambda X: member(X, order=1)}),
    "a long header": (False, "answer", {"dual": lambda y: member(y, more=" " * 10_000)}),
    "the machine's order": (False, "tokens", {"tokens": lambda X: member(X, "=f8")}),
    "float32 W": (False, "answer", {"W": lambda W: member(W.astype("<f4"))}),
    "long doubles": (False, "tokens", {"tokens": lambda X: member(X.astype(np.longdouble))}),
    "format 2.0": (False, "answer", {"format": lambda _: member(np.array(2.0))}),
    "no method": (False, "answer", {"method": None}),
    "a method that is a number": (False, "answer", {"method": lambda _: member(np.array(1))}),
    "a w": (False, "answer", {"w": member}),
    "one factor": (False, "answer", {"W_right": member}),
    "a W in a folder": (False, "answer", {"../W": member}),
    "factors without columns": (False, "answer", {"W": None} | dict.fromkeys(("W_left", "W_right"), lambda _: NO)),
    "farkas of numbers": (False, "answer", {"farkas": lambda _: member(np.zeros(28))}),
    "integers beyond 2**53": (False, "tokens", {"tokens": lambda _: member(BIG)}),
    "tokens of 1e60": (False, "tokens", {"tokens": lambda X: member(1e60 * X)}),
    "NaN": (False, "tokens", {"tokens": lambda X: member(np.nan * X)}),
    "tokens of two axes": (False, "tokens", {"tokens": lambda X: member(X[0])}),
    "a token that is not there": (False, "tokens", {"selected": lambda s: member(s + 5)}),
    "tokens selected by floats": (False, "tokens", {"selected": lambda s: member(1.0 * s)}),
    "a set without a token": (False, "tokens", {"selected": lambda _: member(np.zeros((7, 5), bool))}),
    "more tokens than there are": (False, "tokens", {"lengths": lambda _: member(np.full(7, 6))}),
    "a norm that is a number": (False, "answer", {"norm": lambda _: member(np.array(2.0))}),
    "two problems": (False, "answer", {"problem": lambda name: member(np.array([name, name]))}),
    "a tolerance in words": (False, "answer", {"tol": lambda _: member(np.array("small"))}),
    "two tolerances": (False, "answer", {"tol": lambda tol: member(np.array([tol, tol]))}),
    "multipliers in a column": (False, "answer", {"dual": lambda y: member(y[:, None])}),
    "W in words": (False, "answer", {"W": lambda W: member(W.astype(str))}),
    "a number in the place of W": (False, "answer", {"W": lambda W: member(W[0, 0])}),
    "objects": (False, "answer", {"W": lambda _: packed(np.array([{}], dtype=object))}),
    "records": (False, "answer", {"W": lambda _: packed(np.zeros(3, dtype=[("a", float)]))}),
    "a letter that is none": (False, "answer", {"method": lambda _: member(np.array(["\ud800"]).reshape(()))}),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_both_judges_read_the_same_files(trick, tmp_path):
    path = solved(tmp_path, e=6)
    taken, name, change = TRICKS[trick]
    once_more(tmp_path / f"{name}.npz", **change)
    for judge in (JUDGE.judge, certificate.verify):
        if taken:
            assert "solve" in judge(path)
        else:
            with pytest.raises((ValueError, KeyError, TypeError, UserError, NotImplementedError)) as error:
                judge(path)
            assert "other tokens" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("W", lambda W: 2 * W),
        *(
            (word, lambda _: "x\nanswer.npz: solved: the least fro norm is from 0.0 to 0.0")
            for word in ("status", "norm")
        ),
    ],
)
def test_neither_a_name_nor_a_word_of_a_file_with_a_line_in_it_is_a_line_of_the_judge(name, change, tmp_path):
    path = solved(tmp_path)
    forged = (
        tmp_path / "x\ny.npz: solved: the least fro norm is from 1.0 to 1.0, relative distance 0.0e+00 <= 1e-10.npz"
    )
    path.rename(forged)
    edit(forged, **{name: change})
    done = run(forged)
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1
    assert "x\\ny.npz" in done.stdout
    assert (": not proved: its W is larger" if name == "W" else ": not proved: ") in done.stdout
