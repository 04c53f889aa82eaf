"""The claims of all experiments: verdicts follow the tables, one changed number flips its verdict, a typo is loud."""

import made_up
import made_up_heads
import made_up_layers
import made_up_pretrained
import made_up_real
import made_up_rules
import made_up_rungs
import made_up_variants
import pytest
from made_up import BY_KEY, CLAIMS
from pandas.api.types import is_numeric_dtype

from attnsvm.audit import Tables, audit
from attnsvm.audit.reading import DIFFERS, FAILS, GROUPS, HOLDS, IN_PART, UNTESTABLE
from attnsvm.building import cards
from attnsvm.files.store import load_csv, save_csv

TESTABLE = [key for key, (_, claim) in BY_KEY.items() if claim.testable]

# One number of one table for each claim that can be tested: which row (a query), which column, its new value.
FLIPS = {
    "feasibility": ("feasibility", "d == 5 and alpha == 'worst' and attention == 'self'", "share", 0.99, IN_PART),
    "rank_bound": ("svm_rank", "method == 'certified' and d == 10 and norm == 'nuc'", "rank_max", 6, IN_PART),
    "row_space": ("svm_rank", "method == 'certified' and d == 10 and norm == 'fro'", "outside_max", 1e-3, IN_PART),
    "W_to_frobenius": ("normalisation", "normalisation == 'exact' and parametrisation == 'W'", "mean", 0.01, IN_PART),
    "KQ_to_nuclear": (
        "normalisation",
        "normalisation == 'exact' and parametrisation == 'KQ' and step == 100",
        "median",
        0.1,
        IN_PART,
    ),
    "own_norm": ("local_convergence", "parametrisation == 'W' and quantity == 'corr_nuc'", "mean", 0.999, IN_PART),
    "global_grows": (
        "convergence_types",
        "d == 2 and n == 3 and parametrisation == 'W' and type == 'global'",
        "high",
        0.999,
        IN_PART,
    ),
    "parametrisations_cross": (
        "convergence_types",
        "d == 2 and n == 5 and parametrisation == 'KQ' and type == 'global'",
        "share",
        0.3,
        IN_PART,
    ),
    "locally_optimal": (
        "convergence_types",
        "d == 2 and n == 5 and parametrisation == 'KQ' and type == 'not_local'",
        "share",
        0.2,
        IN_PART,
    ),
    "token_count": ("token_count", "T == 24 and parametrisation == 'W' and type == 'global'", "high", 0.999, IN_PART),
    "self_own_norm": ("self_attention", "parametrisation == 'KQ' and quantity == 'corr_fro'", "mean", 0.999, IN_PART),
    "self_locally_optimal": (
        "self_attention",
        "d == 2 and n == 5 and parametrisation == 'KQ' and type == 'not_local'",
        "share",
        0.2,
        IN_PART,
    ),
    "diverges": ("norm_growth", "condition == 'all_support' and seed == 7 and step == 10000", "norm", 8.0, IN_PART),
    "settles": ("norm_growth", "condition == 'contradicting' and seed == 3 and step == 10000", "norm", 4.0, FAILS),
    "stays": (
        "cone",
        "kind == 'locally_optimal' and R == 1000 and mu == 0.1 and end == 'converged'",
        "share",
        0.9,
        IN_PART,
    ),
    "leaves": (
        "cone",
        "kind == 'not_locally_optimal' and R == 500 and mu == 0 and end == 'stayed'",
        "share",
        0.5,
        IN_PART,
    ),
    "path_fro": ("regularisation_path", "norm == 'fro' and R == 1000 and seed == 2", "distance", 1.0, IN_PART),
    "path_nuc": ("regularisation_path", "norm == 'nuc' and R == 1 and seed == 0", "gap", 0.1, IN_PART),
    "generalised_svm": (
        "multi_token",
        "d == 4 and solution == 'svmeq_norm' and panel == 'curve'",
        "value",
        0.5,
        IN_PART,
    ),
    "selected_count": ("penalised_head", "seed == 0 and solution == 'svmeq' and optimal == 3", "selected", 30, IN_PART),
    "sequence": ("sequence", "attention == 'sequence' and parametrisation == 'W'", "mean", 0.5, IN_PART),
    "causal": ("sequence", "attention == 'causal' and parametrisation == 'KQ'", "mean", 0.5, IN_PART),
    "positional": ("positional", "tokens == 'added'", "value", 2.0, IN_PART),
    "geometries": ("geometries", "kind == 'untrained' and quantity == 'all'", "high", 0.99, IN_PART),
    "geometries_limit": ("geometries", "rule == 'l1' and norm == 'l1' and step == 1000", "value", 0.5, IN_PART),
    "mirror_own": ("mirror_descent", "comparison == 'exact' and quantity == 'nearest' and p == 3", "low", 0.4, IN_PART),
    "rule_and_tokens": (
        "selection_by_rule",
        "labels == 'random' and quantity == 'lead_global' and rule == 'linf' and steps == 'long'",
        "value",
        -0.1,
        IN_PART,
    ),
    "rule_and_new_inputs": (
        "selection_by_rule",
        "labels == 'random' and quantity == 'held_out' and rule == 'nuc'",
        "low",
        0.6,
        IN_PART,
    ),
    "print_other_tokens": ("mirror_descent", "comparison == 'published' and p != q", "mean", 0.05, HOLDS),
    "print_stalls": ("mirror_descent", "comparison == 'own' and p == q", "value", 1e-5, HOLDS),
    "print_unseeded": (
        "mirror_descent",
        "comparison == 'published' and quantity == 'same_tokens'",
        "value",
        1.0,
        HOLDS,
    ),
    "print_infeasible": ("svm_rank", "method == 'published' and d == 2", "rank_mean", 0.0, HOLDS),
    "print_noise": ("svm_rank", "method == 'published' and d == 10 and norm == 'nuc'", "rank_mean", 3.1, HOLDS),
    "print_oracle": ("multi_token", "solution == 'svmeq_norm'", "value", 0.006, HOLDS),
    "print_rejections": ("multi_token", "d == 10", "tried", 30, HOLDS),
    "global_under_conditions": (
        "convergence_types",
        "d == 2 and n == 3 and parametrisation == 'KQ' and type == 'all_support_not_global'",
        "share",
        0.3,
        IN_PART,
    ),
}
FLIPS |= made_up_heads.FLIPS
FLIPS |= made_up_layers.FLIPS
FLIPS |= made_up_real.FLIPS
FLIPS |= made_up_pretrained.FLIPS
FLIPS |= made_up_rules.FLIPS
FLIPS |= made_up_rungs.FLIPS
FLIPS |= made_up_variants.FLIPS


# Per claim: what a configuration may leave in its table, and what the row then says is missing.
EMPTY = [
    ("feasibility", lambda t: t.query("d < 5"), "instance with d at max(T − 1, n) or above"),
    ("rank_bound", lambda t: t.query("d == 2"), "separable instance"),
    ("row_space", lambda t: t.query("d == 2"), "separable instance"),
    ("print_infeasible", lambda t: t.query("d == 10"), "shape without any separable instance"),
    ("print_noise", lambda t: t.query("d == 2"), "shape of which all instances are separable"),
    ("W_to_frobenius", lambda t: t.query("normalisation == 'published'"), "certified solution of what was selected"),
    ("KQ_to_nuclear", lambda t: t.query("step == 100"), "step about a decade before the last"),
    ("own_norm", lambda t: t.query("parametrisation == 'W'"), "instance with both solutions certified"),
    (
        "self_own_norm",
        lambda t: t.query("parametrisation == 'KQ' or share == share"),
        "instance with both solutions certified",
    ),
    ("global_grows", lambda t: t.query("d == 64"), "second value of d"),
    ("parametrisations_cross", lambda t: t.query("d == 64"), "instance with d < 5"),
    (
        "global_under_conditions",
        lambda t: t.assign(share=t.share.where(~t.type.str.startswith("all_support"), 0)),
        "instance whose tokens are all support vectors",
    ),
    (
        "locally_optimal",
        lambda t: t.assign(share=t.type.isin(["global", "local"]).astype(float)),
        "run that is not global",
    ),
    (
        "self_locally_optimal",
        lambda t: t.assign(share=t.type.isin(["global", "local"]).astype(float)),
        "run that is not global",
    ),
    ("token_count", lambda t: t.query("T == 2"), "second value of T"),
    ("diverges", lambda t: t.query("step == 10000"), "step about a decade before the last"),
    ("settles", lambda t: t.query("step == 10000"), "step about a decade before the last"),
    (
        "stays",
        lambda t: t.query("kind == 'not_locally_optimal'"),
        "locally optimal choice besides the optimal tokens",
    ),
    ("stays", lambda t: t.query("mu == 0"), "angle above zero"),
    ("stays", lambda t: t.query("mu > 0"), "second value of mu"),
    ("stays", lambda t: t.query("R == 500"), "second value of R"),
    ("leaves", lambda t: t.query("kind == 'locally_optimal'"), "separable choice that is not locally optimal"),
    ("path_fro", lambda t: t.query("norm == 'nuc'"), "instance with a certified solution"),
    ("path_nuc", lambda t: t.query("R == 1000"), "second R within two decades of the largest"),
    ("selected_count", lambda t: t.query("solution == 'none'"), "instance with certified solutions"),
    ("selected_count", lambda t: t.query("optimal == 3"), "second penalty"),
    ("sequence", lambda t: t.query("attention == 'causal'"), "saturated run of sequence prediction"),
    ("causal", lambda t: t.query("parametrisation == 'KQ'"), "saturated run of causal prediction for W"),
    ("geometries_limit", lambda t: t.query("step == 1000"), "step about a decade before the last"),
    ("positional", lambda t: t.query("tokens != 'plain'"), "instance that is separable with all three tokens"),
    *made_up_layers.EMPTY,
    *made_up_real.EMPTY,
    *made_up_pretrained.EMPTY,
    *made_up_rules.EMPTY,
    *made_up_rungs.EMPTY,
    *made_up_variants.EMPTY,
]
EMPTY += made_up_heads.EMPTY
# What a run always has something to say about, because its experiment ends with a sentence where it has not.
NEVER_EMPTY = {"generalised_svm", "print_oracle", "print_rejections"}
NEVER_EMPTY |= {"geometries", "mirror_own", "print_other_tokens", "print_stalls", "print_unseeded"}
NEVER_EMPTY |= {"rule_and_tokens", "rule_and_new_inputs"}  # every run has an end, and W selects tokens of new inputs
NEVER_EMPTY |= made_up_layers.NEVER_EMPTY
NEVER_EMPTY |= made_up_rungs.NEVER_EMPTY
NEVER_EMPTY |= made_up_variants.NEVER_EMPTY


def figure_of(key):
    experiment, claim = BY_KEY[key]
    return experiment if claim.figure is None else claim.figure


def row_of(key, folder, table=None):
    """The row of one claim; over `table` instead of that in the folder, if given."""
    experiment, claim = BY_KEY[key]
    cache = {} if table is None else {f"figures/{figure_of(key)}.csv": table}
    return audit(Tables(folder, cache=cache), {experiment: (claim,)}).iloc[0]


def attempt(key, folder, table):
    """The row of one claim and None, or None and the error that it ended with."""
    try:
        return row_of(key, folder, table), None
    except RuntimeError as error:
        return None, error


def test_where_every_check_is_met_the_claims_hold_and_print_differs(folder):
    found = audit(Tables(folder), CLAIMS).set_index("key")["verdict"].to_dict()
    keys = {group: [key for key, (_, claim) in BY_KEY.items() if claim.group == group] for group in GROUPS}
    assert list(found) == [key for group in GROUPS for key in keys[group]]
    # The squared loss asks for another margin than 1 where a graph has a cycle: the claim is there to show that.
    assert found.pop("graph_svm_squared") == IN_PART
    assert {found[key] for key in keys["paper"] + keys["beyond"] if key in found} == {HOLDS}
    assert {found[key] for key in keys["print"]} == {DIFFERS}
    assert (found["positional"], found["multi_head"]) == (FAILS, FAILS)


def test_every_testable_claim_has_a_flip_and_what_leaves_it_without_an_instance():
    assert set(FLIPS) == set(TESTABLE)
    assert {key for key, _, _ in EMPTY} == set(TESTABLE) - NEVER_EMPTY


@pytest.mark.parametrize("key", TESTABLE)
def test_every_number_is_said_in_words(key):
    """Who was not there reads what the number is, and on which side of which number it is wanted."""
    claim = BY_KEY[key][1]
    assert len(claim.measured.split()) >= 3, "what the number is: measured=..."
    assert claim.wanted.count("{}") == 1
    assert any(sign in claim.wanted for sign in ("≤", "≥", "<", ">")), "at most, or at least: wanted=..."


def test_the_figure_of_every_claim_is_drawn():
    known = {card.name for card in cards.figures(optional=True)} | {""}
    assert {figure_of(key) for key in BY_KEY} <= known


@pytest.mark.parametrize("key", FLIPS)
def test_a_changed_number_in_a_copy_flips_the_verdict(folder, key):
    name, rows, column, value, expected = FLIPS[key]
    assert row_of(key, folder).verdict != expected
    path = folder / f"figures/{name}.csv"
    table = load_csv(path)
    table[column] = table[column].astype(float)
    table.loc[table.query(rows).index, column] = value
    save_csv(path, table)
    assert row_of(key, folder).verdict == expected


@pytest.mark.parametrize("key", TESTABLE)
def test_a_renamed_column_is_an_error_or_is_not_read(folder, key):
    table, before = made_up.tables()[figure_of(key)], row_of(key, folder)
    missed = []
    for column in table:
        after, error = attempt(key, folder, table.rename(columns={column: f"{column}_renamed"}))
        if error is None:
            assert after.equals(before), column
            continue
        missed.append(column)
        assert f"{BY_KEY[key][0]}/claims.py: the claim {key!r} could not be read: KeyError" in str(error)
        assert column in str(error)
    assert missed


@pytest.mark.parametrize("key", TESTABLE)
def test_a_renamed_value_changes_no_verdict_unseen(folder, key):
    table, before = made_up.tables()[figure_of(key)], row_of(key, folder)
    words = [
        (column, word) for column in table if not is_numeric_dtype(table[column]) for word in table[column].unique()
    ]
    for column, word in words:
        after, error = attempt(key, folder, table.replace({column: {word: f"{word}_renamed"}}))
        if error is None:
            unread = after.verdict == before.verdict and after.value == before.value
            assert unread or after.why.startswith("this run has no "), (column, word)


@pytest.mark.parametrize(("key", "left", "what"), EMPTY)
def test_a_claim_without_an_instance_is_untestable_and_says_what_is_missing(folder, key, left, what):
    path = folder / f"figures/{figure_of(key)}.csv"
    save_csv(path, left(load_csv(path)))
    row = row_of(key, folder)
    assert row.verdict == UNTESTABLE
    assert row.why == f"this run has no {what}: nothing could be checked"
