"""What is given in another form than expected is taken for what it says, or refused with one sentence."""

from fractions import Fraction

import numpy as np
import pytest
from svm_references import gaussian

from attnsvm import AttentionSVM
from attnsvm.svm import ragged, separation, sequence, solve
from attnsvm.svm.checker import known
from attnsvm.svm.constraints import separations
from attnsvm.svm.verdict import LOOSEST

TOKENS, QUERIES, SELECTED = gaussian(0, 4, 5, 6)
PAIRS = list(zip(TOKENS, QUERIES, strict=True))


def masked(array, *places):
    """`array` with these entries masked, and with numbers behind the mask that would count."""
    made = np.ma.array(array, copy=True)
    for place in places:
        made[place] = np.ma.masked
    return made


SETS = np.eye(5, dtype=bool)[SELECTED]
ROWS = masked(TOKENS, np.s_[0, 3:])
HIDDEN = {
    "tokens": lambda: separation(ROWS, QUERIES, SELECTED),
    "queries": lambda: separation(TOKENS, masked(QUERIES, 1), SELECTED),
    "selected": lambda: separation(TOKENS, QUERIES, masked(SELECTED, 2)),
    "sets": lambda: separation(TOKENS, QUERIES, masked(SETS, (0, 1))),
    "bound": lambda: separation(TOKENS, QUERIES, SELECTED, masked(np.ones(4), 1)),
    "a list of masked arrays": lambda: separation([*ROWS], QUERIES, SELECTED),
    "a list of lists of them": lambda: separation([[*rows] for rows in ROWS], QUERIES, SELECTED),
    "a tuple of them": lambda: separation((*ROWS,), QUERIES, SELECTED),
    "many": lambda: separations(ROWS[None], QUERIES[None], SELECTED[None], [1.0]),
    "a sequence": lambda: sequence(ROWS, np.zeros((4, 5), dtype=int)),
    "triples": lambda: ragged([(masked(TOKENS[0], 4), QUERIES[0], 0)]),
    "triples, the query": lambda: ragged([(TOKENS[0], masked(QUERIES[0], 1), 0)]),
    "triples, the set": lambda: ragged([(TOKENS[0], QUERIES[0], masked(SETS[0], 4))]),
    "triples, nothing": lambda: ragged([(TOKENS[0], QUERIES[0], np.ma.masked)]),
    "fit": lambda: AttentionSVM().fit(ROWS, QUERIES, SELECTED),
    "fit of pairs": lambda: AttentionSVM().fit([(masked(TOKENS[0], 4), QUERIES[0]), *PAIRS[1:]], SELECTED),
    "fit of pairs, selected": lambda: AttentionSVM().fit(PAIRS, masked(SELECTED, 1)),
    "predict": lambda: AttentionSVM().fit(TOKENS, QUERIES, SELECTED).predict(ROWS, QUERIES),
    "predict of pairs": lambda: AttentionSVM().fit(PAIRS, SELECTED).predict([(masked(TOKENS[0], 4), QUERIES[0])]),
    "score": lambda: AttentionSVM().fit(PAIRS, SELECTED).score(TOKENS, QUERIES, masked(SELECTED, 1)),
    "score of sets": lambda: AttentionSVM().fit(PAIRS, SELECTED).score(TOKENS, QUERIES, masked(SETS, (1, 1))),
    "score of triples": lambda: AttentionSVM().fit(PAIRS, SELECTED).score([(*PAIRS[0], masked(SETS[0], 1))]),
}


@pytest.mark.parametrize("given", HIDDEN.values(), ids=HIDDEN)
def test_what_is_masked_does_not_count_in_silence(given):
    with pytest.raises(
        ValueError, match=r"^\w[\w ]*: expected a plain array, got one with masked entries: .* as pairs"
    ):
        given()


def test_a_mask_that_hides_nothing_is_none():
    plain = separation(TOKENS, QUERIES, SELECTED)
    found = separation(np.ma.array(TOKENS), np.ma.array(QUERIES, mask=False), np.ma.array(SELECTED))
    assert np.array_equal(found.left, plain.left)
    assert type(found.left) is np.ndarray


def test_padding_that_is_no_number_says_what_to_do():
    padded = TOKENS.copy()
    padded[1, 3:] = np.nan
    with pytest.raises(
        ValueError, match=r"the first at \(1, 3, 0\); if this is padding, give every input its own tokens"
    ):
        AttentionSVM().fit(padded, QUERIES, SELECTED)


SETTINGS = {
    "tol": [
        np.float32(1e-7),
        np.float64(1e-8),
        np.array(1e-9),
        np.float16(6e-8),
        Fraction(1, 10**8),
        np.longdouble(1e-8),
    ],
    "norm": [np.str_("fro"), np.array("fro"), np.array(["fro"])[0]],
    "verbose": [np.bool_(False), np.array(False), 0, np.int64(0), np.uint8(0)],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, given in SETTINGS.items() for value in given])
def test_numbers_and_words_of_numpy_are_settings(name, value):
    plain = AttentionSVM().fit(TOKENS, QUERIES, SELECTED)
    found = AttentionSVM(**{name: value}).fit(TOKENS, QUERIES, SELECTED)
    assert found.status_ == "solved"
    assert np.allclose(found.W_, plain.W_)
    assert found.get_params()[name] is value, "as scikit-learn wants it"


WRONG = {
    "tol": [
        *(0, -1e-9, 1.1e-7, np.float32(1.1e-7), 1, 100, np.nan, np.inf, 10**400, Fraction(1, 10**400)),
        *(
            True,
            np.True_,
            np.array(True),
            "1e-8",
            b"1",
            1e-8j,
            [1e-8],
            np.array([1e-8]),
            np.float32("nan"),
            np.ma.masked,
        ),
    ],
    "norm": [None, 2, b"fro", ["fro"], np.array(["fro"]), np.array(2.0), "", "Fro", True],
    "verbose": ["no", None, -1, 0.5, [True], np.array([1, 2]), np.array("yes")],
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, given in WRONG.items() for value in given if value is not None or name != "tol"],
)
def test_what_is_no_setting_is_one_sentence(name, value):
    with pytest.raises(ValueError, match=f"^{name}: expected ") as caught:
        AttentionSVM(**{name: value}).fit(TOKENS, QUERIES, SELECTED)
    assert "\n" not in str(caught.value)


def test_the_solver_takes_the_same_tolerances():
    c = separation(TOKENS, QUERIES, SELECTED)
    assert solve(c, "fro", LOOSEST).solved
    with pytest.raises(ValueError, match="tol: expected a relative gap above 0 and at most 1e-07, or None, got 1"):
        solve(c, "fro", 1)


WIDE = {
    "integers": 2**62 + np.arange(TOKENS.size).reshape(TOKENS.shape),  # all of them the same float64
    "unsigned": np.full(TOKENS.shape, 2**64 - 1, dtype=np.uint64),
    "negative": np.full(TOKENS.shape, -(2**53) - 1),
    "long": TOKENS.astype(np.longdouble) / 3,
}


@pytest.mark.parametrize("array", WIDE.values(), ids=WIDE)
def test_numbers_that_float64_does_not_hold_are_not_rounded_in_silence(array):
    """Tokens that differ would become equal, and a proof that nothing separates them would be one of other tokens."""
    if array.dtype == np.longdouble and np.finfo(np.longdouble).eps == np.finfo(float).eps:
        pytest.skip("no wider type on this machine")
    for given in (
        lambda: AttentionSVM().fit(array, QUERIES, SELECTED),
        lambda: separation(TOKENS, array[:, 0], SELECTED),
        lambda: separation(TOKENS, QUERIES, SELECTED, array[:, :, 0]),
        lambda: ragged([(array[0], QUERIES[0], 0)]),
    ):
        with pytest.raises(ValueError, match=r"^\w[\w ]*: expected numbers that float64 holds, got others of "):
            given()
    assert solve(separation(TOKENS.astype(np.longdouble), QUERIES, SELECTED)).W.dtype == float


@pytest.mark.parametrize("kind", [np.uint64, np.uint8, np.int8, np.int32])
def test_token_numbers_of_every_kind_of_integer(kind):
    found = separation(TOKENS, QUERIES, SELECTED.astype(kind))
    assert np.array_equal(found.left, separation(TOKENS, QUERIES, SELECTED).left)
    assert solve(found).solved


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        (1j, "expected real numbers, got dtype complex128"),
        ("1", "expected real numbers, got dtype <U1"),
        (None, "expected real numbers, got dtype object"),
        (10**400, "expected real numbers, got dtype object"),
        (1e50, "expected numbers of size 1e-50 to 1e50, got 1e[+]50 at most"),
        (np.array([np.nextafter(1e-50, 0), 0.0, 0.0, 0.0]), "expected numbers of size 1e-50 to 1e50, got 1e-50 at"),
        (np.nan, "expected finite numbers of at least 0"),
        (-1, "expected finite numbers of at least 0"),
        (np.ones((5, 4)), r"expected a number or an array of shape \(4,\) or \(4, 5\), got \(5, 4\)"),
    ],
)
def test_margins_that_are_no_ordinary_numbers_are_refused(bound, sentence):
    with pytest.raises(ValueError, match=f"^bound: {sentence}"):
        separation(TOKENS, QUERIES, SELECTED, bound)


@pytest.mark.parametrize(
    "norm", ["l1e1", "l\u0663", "l 2", "l+2", "l1_0", "l2.", "linfinity", "lnan", "l1.5\n", "l0001.5", "l" + "9" * 400]
)
def test_a_norm_has_one_way_to_be_written(norm):
    """To the checker and answer files too: no answer is written under a name that `verify` refuses."""
    assert not known(norm)
    with pytest.raises(ValueError, match=r"^norm: expected "):
        solve(separation(TOKENS, QUERIES, SELECTED), norm)
