"""Compiled arithmetic, and which compiled code a process takes from the disk."""

import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from harness import run_python
from numba import njit
from numba.core.errors import TypingError

from attnsvm.batch import LANES
from attnsvm.batch import arithmetic as lanes
from attnsvm.batch.arithmetic import combine, dot, matvec
from attnsvm.batch.vector import (
    OPTIONS,
    anywhere,
    each,
    exponent,
    floor,
    laid,
    larger,
    load,
    mantissa,
    root,
    rounded,
    smaller,
    store,
    where,
    zeros,
)
from attnsvm.training import compiled


@njit
def by_vectors(function, x):
    """function of (vector or number, result) for numbers `x` of any count."""
    rows = np.zeros((len(x) // LANES + 1, LANES))
    rows.reshape(-1)[: len(x)] = x
    for k in range(len(rows)):
        store(rows[k], function(load(rows[k])))
    return rows.reshape(-1)[: len(x)]


@njit
def one_by_one(function, x):
    return np.array([function(a) for a in x])


def both(function, x):
    """A compiled function of vectors and of numbers, at `x`: the same to the bit."""
    vectors, numbers = by_vectors(function, x), one_by_one(function, x)
    assert np.array_equal(vectors, numbers)
    return vectors


def test_the_compiled_exponential():
    x = np.concatenate([np.linspace(-708, 700, 20001), -np.logspace(-18, 2, 2001), [0.0]])
    # The reference rounds to half a unit of the last place; ours to two.
    assert np.abs(both(lanes.exp, x) / np.exp(x) - 1).max() <= 2 * np.finfo(float).eps
    assert (both(lanes.exp, np.array([-709.0, -1e6, -np.inf])) == 0).all()


def test_the_compiled_logarithm():
    x = np.concatenate([np.logspace(-307, 308, 20001), np.linspace(0.5, 2, 20001), 1 + np.logspace(-15, -1, 2001)])
    exact = np.log(x)
    # the reference rounds to half a unit of the last place; ours to two
    assert (np.abs(both(lanes.log, x) - exact) <= 2 * np.finfo(float).eps * np.abs(exact)).all()
    assert both(lanes.log, np.array([1.0, 0.0])).tolist() == [0.0, pytest.approx(-709, abs=0.1)]


@pytest.mark.parametrize("p", [0.01, 4 / 3, -1 / 3])
def test_the_compiled_power(p):
    x = np.logspace(-150, 150, 2001)
    # the logarithm's two units, times its size, at most 345·2, are an error of the exponent
    power = njit(lambda value: lanes.power(value, p))
    np.testing.assert_allclose(both(power, x), x**p, rtol=1e-12)
    assert both(power, np.array([0.0])).tolist() == [0.0]
    signed = njit(lambda value: lanes.signed_power(value, p))
    assert np.array_equal(both(signed, -x), -both(power, x))


def arithmetic(x):
    """Every operation on vectors that the engines use."""
    y = abs(x) * 2 - (1.0 - x) / (3 + x * x)
    y = larger(y, -x) + smaller(x, 0.5) * root(abs(x))
    y = where(y > x, y, -y) + where(y >= 1.0, x, 2.0) + where(x == 0.0, 1.0, 0.0)
    return where(x < y, lanes.sign(x), floor(y)) + where(x >= 1.0, mantissa(abs(x) + 0.5), exponent(abs(x) + 0.5))


def test_vectors_are_numbers_lane_by_lane():
    x = np.random.default_rng(0).normal(size=2000) * 3
    x[:3] = 0.0, 1.0, -1.0
    both(njit(**OPTIONS)(arithmetic), x)


@njit(**OPTIONS)
def products(a, b, c, out):
    store(out[0], load(a) * load(b) + load(c))
    store(out[1], rounded(load(a) * load(b)) + load(c))
    store(out[2], each(1.0 if anywhere(load(a) > load(b)) else 0.0))


def test_a_product_is_made_one_with_a_sum_unless_it_is_to_be_rounded():
    a, b, c = np.random.default_rng(1).normal(size=(3, LANES))
    out = np.empty((3, LANES))
    products(a, b, c, out)
    assert np.array_equal(out[1], a * b + c)
    # a processor without the fused operation rounds both; with it, the exact product counts
    exact = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in zip(a, b, c, strict=True)]
    assert np.array_equal(out[0], exact) or np.array_equal(out[0], out[1])
    assert (out[2] == 1.0).all()
    products(np.zeros(LANES), b * b, c, out)
    assert (out[2] == 0.0).all()


@njit
def reads(row):
    return anywhere(load(row) > 0.0)


@pytest.mark.parametrize("row", [np.zeros(2 * LANES)[::2], np.zeros(LANES, dtype=int), np.zeros((2, LANES))])
def test_a_vector_is_read_from_a_contiguous_row_of_floats_alone(row):
    assert not reads(np.zeros(LANES))
    with pytest.raises(TypingError, match="expected a contiguous row of float64 numbers"):
        reads(row)


def test_arrays_begin_with_a_line_of_the_cache():
    for shape in ((3, LANES), (1, 2, 5, LANES)):
        array = zeros(shape)
        assert array.shape == shape
        assert array.ctypes.data % 64 == 0
        assert not array.any()
        copy = laid(np.moveaxis(np.arange(float(array.size)).reshape(LANES, *shape[:-1]), 0, -1))
        assert copy.ctypes.data % 64 == 0
        assert copy.flags.c_contiguous
        assert np.array_equal(np.moveaxis(copy, -1, 0).ravel(), np.arange(float(array.size)))


@njit
def dotted(x, y, out):
    store(out, dot(x, y))


@pytest.mark.parametrize("count", range(10))  # every remainder of sums of four terms at a time
def test_sums_take_every_term_once(count):
    generator = np.random.default_rng(count)
    A, x = generator.normal(size=(count, 3, LANES)), generator.normal(size=(count, LANES))
    out = np.full((3, LANES), np.nan)
    combine(A, x, out)
    # 1e-14: nine products of order one
    np.testing.assert_allclose(out, (A * x[:, None]).sum(0), rtol=0, atol=1e-14)
    out[:] = np.nan
    matvec(A.swapaxes(0, 1).copy(), x, out)
    np.testing.assert_allclose(out, (A * x[:, None]).sum(0), rtol=0, atol=1e-14)
    dotted(A[:, 1].copy(), x, out[0])
    np.testing.assert_allclose(out[0], (A[:, 1] * x).sum(0), rtol=0, atol=1e-14)


RUNS = """
from itertools import product

from attnsvm.experiments.paper.multi_token.problems import relu
from attnsvm.data.draws import draw, gaussian
from attnsvm.training import LinearHead, ReluHead, adam, compiled, exact, published, schedule, train

loops = {}


def seen(function, original=compiled.kept_on_disk):
    return loops.setdefault(function.__name__, original(function))


compiled.kept_on_disk = seen
RULES = (2, exact(1)), (6, exact(0.1)), (2, published(0.1)), (2, adam(0.1, 0.5, 0.9)), (2, schedule(exact(1), "root"))
for kind, (n, rule), head in product(("W", "KQ"), RULES, (LinearHead, ReluHead)):
    how = gaussian if head is LinearHead else relu
    train(draw(how, range(40), n, 3, 4), head, kind, rule, 3, 1)
    train(draw(how, range(32), n, 3, 4), head, kind, rule, 4, [0, 4], attention="causal")
"""
COUNTS = """
import json, sys

misses = sum(sum(loop.stats.cache_misses.values()) for loop in loops.values())
signatures = {name: len(loop.signatures) for name, loop in loops.items()}
print(json.dumps([misses, signatures, "torch" in sys.modules]))
"""


def test_a_second_process_compiles_nothing_and_needs_no_torch_and_a_loop_is_compiled_once(monkeypatch):
    """Once for all heads and rules; and only then can processes that compile at the same time not mix up their code.

    Torch takes a job more than a second to import.
    """
    monkeypatch.setattr(compiled, "kept_on_disk", compiled.kept_on_disk)  # RUNS replaces it
    exec(RUNS, {})
    misses, signatures, torch = json.loads(run_python(RUNS + COUNTS))
    assert misses == 0
    assert signatures == {"full": 1, "factored": 1, "by_rule": 1}
    assert not torch


STRUCTURE = """
class Constant:
    @staticmethod
    def value(number, out):
        out[0] = number + 1
"""
LOOP = """
import numpy as np
from numba import njit, types
from toy.batch.arithmetic import call, called_from_loops
@njit
def loop(value, number, out):
    call(value, number, out)
def run(structure, number):
    compiled, out = called_from_loops(structure.value, types.void(types.float64, types.float64[::1])), np.zeros(1)
    loop(compiled, number, out)
    return [float(out[0]), 1 - compiled.cache_hits]
"""
OF_BOTH = """
import toy.loop, toy.batch.structure, toy.experiments.structure
print([toy.loop.run(room.structure.Constant, 3.0) for room in (toy.batch, toy.experiments)])
"""


@pytest.fixture
def toy(tmp_path):
    """A package with compiled code, and a function that runs a program beside it."""
    folder = tmp_path / "toy"
    for room in ("batch", "experiments"):
        (folder / room).mkdir(parents=True)
    (folder / "batch/arithmetic.py").write_bytes(Path(lanes.__file__).read_bytes())
    (folder / "loop.py").write_text(LOOP)
    # Python's own cache goes by size and date as well: it must not hide an edit.
    return folder, lambda program: json.loads(run_python(program, cwd=tmp_path, PYTHONDONTWRITEBYTECODE="1"))


def test_code_on_disk_is_that_of_the_sources_whatever_their_date(toy):
    """A method that the loop calls changes; its file keeps size and date, the loop's own file stays as it is.

    In a room with compiled code, whose sources count for all loops, and in one whose files count for their own.
    """
    folder, run = toy
    training, experiments = folder / "batch/structure.py", folder / "experiments/structure.py"
    training.write_text(STRUCTURE)
    experiments.write_text(STRUCTURE.replace("+ 1", "+ 2"))
    date = training.stat().st_mtime_ns

    def edit(path, value, name="Constant"):
        path.write_text(STRUCTURE.replace("+ 1", f"+ {value}").replace("Constant", name))
        os.utime(path, ns=(date, date))

    os.utime(experiments, ns=(date, date))
    assert run(OF_BOTH) == [[4.0, 1], [5.0, 1]]
    assert run(OF_BOTH) == [[4.0, 0], [5.0, 0]]
    edit(experiments, 5)
    assert run(OF_BOTH) == [[4.0, 0], [8.0, 1]]
    edit(training, 6)
    assert run(OF_BOTH) == [[9.0, 1], [8.0, 1]]
    edit(training, 7, "Renamed_")
    edit(experiments, 8, "Renamed_")
    assert run(OF_BOTH.replace("Constant", "Renamed_")) == [[10.0, 1], [11.0, 1]]
    assert list(folder.rglob("structure.*.nbi"))


def test_code_of_a_class_without_a_file_is_not_kept(toy):
    """Typed at a prompt: no source to recognise it by."""
    folder, run = toy
    assert run(f"{STRUCTURE}from toy.loop import run\nprint([*run(Constant, 3.0)])") == [4.0, 1]
    assert not list(folder.rglob("*Constant*.nbi"))
