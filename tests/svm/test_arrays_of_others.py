"""Arrays of other types, shapes and sizes than those of a problem and its answer: nothing false is said of them."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm.svm import certificate, ragged, rational, separation, solve
from attnsvm.svm.checker import Problem, _alone, check, dual_of, known
from attnsvm.svm.enclosures import _below, positive
from attnsvm.system.errors import UserError

REFUSED = "the arrays are not those of a problem and its answer, or no float64 numbers"


def judged(tokens, queries, bound, equality, norm="fro", tol=1e-7, **claim):
    """Token 0 against each of the others, under the first query."""
    m = len(tokens) - 1
    rows = np.zeros(m, dtype=int), np.arange(1, m + 1), np.zeros(m, dtype=int)
    claim = SimpleNamespace(**{"W": None, "factors": None} | claim)
    return check(
        (np.asarray(tokens), np.asarray(queries), *rows), np.asarray(bound), np.asarray(equality), norm, tol, claim
    )


ONE = {
    "tokens": np.array([[1.0], [0.0]]),
    "queries": np.ones((1, 1)),
    "bound": np.ones(1),
    "equality": np.zeros(1, bool),
}
SOLVED = {"status": "solved", "dual": np.ones(1), "W": np.ones((1, 1))}


def test_the_sum_of_squares_of_a_narrow_type_is_that_of_its_numbers():
    """Integers that float32 holds, whose squares it rounds: the norm of W would come out smaller than the least."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, z = rng.integers(1, 1000, size=(2, 3)).astype(float)
        W = np.outer(x, z)
        tokens, least = np.stack([x / (x @ x), 0 * x]), np.linalg.norm(W)
        for kind in (np.float32, np.int32, np.float64):
            given = {"status": "solved", "dual": np.ones(1), "W": W.astype(kind)}
            said = judged(tokens, z[None] / (z @ z), [1.0], [False], **given)
            assert said.status == "solved"
            assert least * (1 - 1e-13) <= said.low <= said.high <= least * (1 + 1e-13)


def test_integers_are_their_numbers_and_do_not_wrap():
    small = ONE | {"tokens": np.array([[0], [1]], dtype=np.uint8)}
    assert judged(**small, **SOLVED | {"W": np.full((1, 1), 1 / 255)}).status == "uncertified"
    assert judged(**small, **SOLVED | {"W": np.full((1, 1), -1)}).status == "solved"


@pytest.mark.parametrize(
    "change",
    [
        {"tokens": np.array([[2**53 + 1], [0]])},
        {"tokens": np.array([[1.0], [0.0]], dtype=np.longdouble)},
        {"tokens": np.array([[1.0], [0.0]], dtype=object)},
        {"tokens": np.array([[1j], [0.0]])},
        {"queries": np.ones(1)},
        {"bound": np.ones((1, 1))},
        {"bound": np.ones(1, dtype=np.longdouble)},
        {"equality": np.zeros(1, dtype=int)},
        {"equality": np.zeros(2, dtype=bool)},
        {"dual": np.ones(2)},
        {"dual": np.ones(1, dtype=np.longdouble)},
        {"W": np.ones((1, 2))},
        {"W": np.ones(1)},
        {"factors": (np.ones((1, 1)), np.ones((1, 2)))},
        {"factors": (np.ones((2, 1)), np.ones((1, 1)))},
    ],
)
def test_what_would_have_to_be_rounded_or_does_not_fit_is_refused(change):
    said = judged(**ONE | SOLVED | change)
    assert (said.status, said.reason) == ("uncertified", REFUSED)


@pytest.mark.parametrize("number", [math.nan, math.inf])
@pytest.mark.parametrize("size", [2, 60, 300])
def test_a_matrix_with_what_is_no_number_is_not_positive(size, number):
    gram = np.eye(size)
    assert positive(gram.copy(), 0.5)
    gram[0, -1] = gram[-1, 0] = number
    assert not positive(gram, 0.5)


def test_a_tiny_row_asks_for_more_than_its_length_shows():
    """A difference of 1e-300: its square vanishes, and W = 1e300 is no million times what it asks for alone."""
    tokens = np.array([[1e-300], [0.0], [-1e-40]])
    said = judged(tokens, np.ones((1, 1)), [1.0, 1.0], [False, False], status="remote", dual=np.array([1.0, 0.0]))
    assert said.status == "uncertified"


def test_what_a_row_asks_for_alone_is_meant_in_the_norm():
    """A row of ones asks for W = 1/n² in each entry: 1/n in the Frobenius norm, and 1 in the sum of the entries."""
    rows = np.zeros(1, dtype=int)
    problem = Problem(
        (np.stack([np.ones(30), np.zeros(30)]), np.ones((1, 30)), rows, rows + 1, rows), np.ones(1), np.zeros(1, bool)
    )
    assert _alone(problem, "fro") == pytest.approx(1 / 30, rel=1e-9)
    assert _alone(problem, "fro") >= 1 / 30
    assert _alone(problem, "l1") >= 1


@pytest.mark.parametrize(
    "norm", ["l1.01", "l1.03", "l1.5", "l2", "l2.1", "l3", "l7.7", "l99.9", "l100.0", "l1.0123456789012345678901"]
)
def test_exponents_are_rounded_down(norm):
    """That of the norm where it is read, that of its dual where it is worked out, and where it is read again."""
    assert known(norm)
    p, dual = Fraction(norm[1:]), dual_of(norm)[1:]
    for wanted, found in ((p, _below(norm[1:])), (p / (p - 1), float(dual)), (p / (p - 1), _below(dual))):
        assert Fraction(found) <= wanted < Fraction(found) * (1 + Fraction(1, 2**50))


@pytest.mark.parametrize("norm", ["l1.00999999999999999999", "l100.00000000000000000001"])
def test_an_exponent_beyond_the_range_by_less_than_a_float_is_none(norm):
    assert not known(norm)


def test_equalities_are_counted_in_what_exact_arithmetic_costs():
    """240 of them and 8,000 rows: numbers as long as a determinant, one for each pair, would take 10 GB."""
    rows = np.zeros((3, 300), dtype=int)
    dual, equality = np.arange(300) == 299, np.arange(300) < 260
    assert not rational.affordable((np.ones((2, 2)), np.ones((1, 2)), *rows), np.eye(2), dual, equality)
    assert rational.affordable((np.ones((2, 2)), np.ones((1, 2)), *rows), np.eye(2), dual, equality[::-1] & dual)


def test_digits_of_tokens_and_of_W_are_counted_in_what_exact_arithmetic_costs():
    few, many, none = np.zeros((3, 200), dtype=int), np.zeros((3, 1000), dtype=int), np.zeros(1000, bool)
    for last, taken in ((1.0, True), (1e-300, False)):
        tokens, W = np.array([[last, 1.0], [1.0, 1.0]]), np.array([[last], *[[1 / last]] * 2999])
        assert rational.affordable((tokens, np.ones((1, 2)), *few), np.eye(2), np.ones(200), none[:200]) == taken
        given = (np.ones((2, 3000)), np.ones((1, 1)), *many)
        assert rational.affordable(given, W, np.arange(1000) < 2, none) == taken


def test_rows_that_a_projection_adds_are_counted_too(monkeypatch):
    """In the second round the rows that the first violates are held too: they took five minutes and 7 GB."""
    rng = np.random.default_rng(0)
    c = separation(*(rng.standard_normal(shape) for shape in ((3, 4, 6), (3, 6))), np.zeros(3, dtype=int))
    W, none = np.zeros(c.shape), np.zeros(len(c), bool)
    products, dual = rational.Products(c.factors), (np.arange(len(c)) == 0).astype(float)
    assert products.projected(W, c.bound, none, dual) is not None
    monkeypatch.setattr(rational, "_solvable", lambda count, digits: count <= 1)
    assert products.projected(W, c.bound, none, dual) is None


def test_a_tiny_number_among_tokens_does_not_hide_which_rows_are_tight():
    """The lengths of integers that are as long as this would leave the floats."""
    X, z, selected = gaussian(0, 7, 5, 6, 4)
    X[0, 0, 0] = 1e-200
    c = separation(X, z, selected)
    made = rational.Products(c.factors)
    np.testing.assert_allclose(made._lengths(), c.lengths(), rtol=1e-12)
    answer = solve(c)
    there, away = made.projected(answer.W, c.bound, c.equality, answer.dual)
    assert away <= 1e-12
    assert there.norm("fro") <= np.linalg.norm(answer.W) * (1 + 1e-12)


# ---- in files


def problem(path, **change):
    np.savez(path, **dict(zip(("tokens", "queries", "selected"), gaussian(0, 7, 5, 6, 4), strict=True)) | change)
    return path


@pytest.mark.parametrize(
    ("number", "digits", "down", "up"),
    [
        (1 / 3, 12, "0.333333333333", "0.333333333334"),
        (2 / 3, 12, "0.666666666666", "0.666666666667"),
        (0.25, 12, "0.25", "0.25"),
        (1.44e-6, 1, "1e-06", "2e-06"),
        (0.0, 12, "0", "0"),
        (7e169, 6, "7e+169", "7.00001e+169"),
    ],
)
def test_a_bound_is_written_with_digits_that_bound_it(number, digits, down, up):
    low, high = (certificate.written(*number.as_integer_ratio(), digits, side) for side in (False, True))
    assert (low, high) == (down, up)
    assert Fraction(low) <= Fraction(number) <= Fraction(high)


def test_the_sentence_on_an_answer_holds_to_its_last_digit(tmp_path):
    """The least norm is 1/√2 = 0.70710678118654…"""
    path = problem(
        tmp_path / "p.npz", tokens=np.array([[[1.0, 1], [0, 0]]]), queries=np.ones((1, 1)), selected=np.array([0])
    )
    inputs = certificate.read(path)
    certificate.save(tmp_path / "a.npz", solve(ragged(inputs)), "fro", 1e-10, path, inputs)
    assert "lies between 0.707106781186 and 0.707106781187," in certificate.verify(tmp_path / "a.npz")


def refutation_file(folder, weights, tokens, queries):
    path = problem(folder / "p.npz", tokens=tokens, queries=queries, selected=np.zeros(len(tokens), dtype=int))
    inputs = certificate.read(path)
    certificate.save(folder / "a.npz", solve(ragged(inputs)), "fro", 1e-10, path, inputs)
    answer = dict(certificate.load(folder / "a.npz"))
    answer |= {"status": "infeasible", "farkas": np.array(weights), "W": np.zeros((tokens.shape[2], queries.shape[1]))}
    np.savez(folder / "a.npz", **answer)
    return folder / "a.npz"


def test_integers_that_would_take_minutes_are_refused(tmp_path):
    tokens = np.random.default_rng(0).normal(size=(1, 3, 2000))
    answer = refutation_file(tmp_path, ["7" * 600_000] * 2, tokens, np.ones((1, 3)))
    with pytest.raises(UserError, match=r"the combination of the constraints \(farkas\) is too long to judge"):
        certificate.verify(answer)


@pytest.mark.parametrize("queries", [[[1.0, 2], [1, 2]], [[1.0, 2], [2, 4]], [[1.0, 2], [1, 2.5]]])
def test_a_combination_is_zero_where_its_products_are(queries):
    """Opposite tokens under two queries: zero where these are parallel, with the weights that undo their lengths."""
    tokens = np.array([[[1.0, 0], [0, 0]], [[-1.0, 0], [0, 0]]])
    queries = np.array(queries)
    weights = ["2", "1"] if queries[1, 0] == 2 else ["1", "1"]
    made = (tokens.reshape(4, 2), queries, np.array([0, 2]), np.array([1, 3]), np.array([0, 1]))
    said = rational.refuting(made, np.ones(2), np.zeros(2, bool), np.array([int(one) for one in weights], dtype=object))
    assert said == ("the combination of the constraints is not zero" if queries[1, 1] == 2.5 else "")


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("wrong", [None, "x", {}, [[0], [1, 2]]])
def test_what_is_no_array_is_refused(place, wrong):
    rows = np.zeros((3, 1), dtype=int)
    given = [ONE["tokens"], ONE["queries"], rows[0], rows[1] + 1, rows[2], ONE["bound"], np.zeros(1, dtype=bool)]
    claim = SimpleNamespace(status="solved", dual=np.ones(1), W=np.ones((1, 1)), factors=None)
    assert check(given[:5], *given[5:], "fro", 1e-7, claim).status == "solved"
    given[place] = wrong
    assert check(given[:5], *given[5:], "fro", 1e-7, claim).reason == REFUSED


@pytest.mark.parametrize("norm", ["fro", "nuc", "l1.5"])
def test_how_arrays_lie_in_memory_changes_no_bit(norm):
    c = separation(*gaussian(0, 3, 4, 9))
    answer = solve(c, norm)
    for W in (np.asfortranarray(answer.W), np.repeat(np.repeat(answer.W, 2, 0), 3, 1)[::2, ::3]):
        claim = SimpleNamespace(status="solved", dual=answer.dual, W=W, factors=None)
        said = check(c.factors, c.bound, c.equality, norm, 1e-7, claim)
        assert (said.low, said.high) == (answer.low, answer.high)
