"""Every family whose logits depend on distance: the W that is read gives its probabilities, a wrong one does not."""

import itertools
import json
import pickle
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import torch
from small_models import FAMILIES, TEXTS, passed, rotary

from attnsvm import inspect
from attnsvm.inspect import models, running
from attnsvm.inspect.attention import attentions
from attnsvm.inspect.columns import columns
from attnsvm.inspect.families import LAYOUTS, refusal
from attnsvm.inspect.layers import Inputs, Layer, selections
from attnsvm.inspect.lifted import Head, LiftedProblem, Norm
from attnsvm.inspect.measures import Plan, distances, rule
from attnsvm.inspect.nulls import mismatched, permuted_distances
from attnsvm.inspect.positions import Buckets, Disentangled, Rotary, Slope
from attnsvm.svm import ragged, solve
from attnsvm.system.errors import UserError

IDS = np.random.default_rng(0).integers(3, 24, 24).tolist()


def compared(model, kind):
    """The worst difference of log-probabilities over layers and heads, beside the largest logit; and the attentions."""
    found = attentions(model, kind)
    states, probabilities = ([each[0] for each in every] for every in passed(model, found, [IDS]))
    worst = 0.0
    for number, attention in enumerate(found):
        X = np.column_stack([states[number], np.ones(len(IDS))])
        models._require_the_models_own(X, attention.weights(), probabilities[number], attention)
        seen = attention.sees(len(IDS))
        for W, theirs in zip(attention.weights(), probabilities[number], strict=True):
            ours = np.where(seen, attention.logits(W, X), -np.inf)
            size = max(np.abs(ours[seen]).max(), 1.0)
            ours = np.exp(ours - ours.max(1, keepdims=True))
            assert (theirs[seen] > 0).all()
            ours /= ours.sum(1, keepdims=True)
            theirs = theirs / theirs.sum(1, keepdims=True)  # a sink takes a part
            worst = max(worst, (np.abs(ours - theirs) / np.maximum(theirs, 1e-30))[seen].max() / size)
    return worst, found


@pytest.fixture
def exact(monkeypatch):
    """Models that compute in float64 throughout: what they cast to float32 stays as it is."""
    softmax = torch.nn.functional.softmax
    monkeypatch.setattr(torch.Tensor, "float", lambda self: self.double().contiguous())  # a cast is a copy
    to = torch.Tensor.to

    def stays(self, *given, **named):
        given = [torch.float64 if one is torch.float32 else one for one in given]
        named = {key: torch.float64 if one is torch.float32 else one for key, one in named.items()}
        return to(self, *given, **named)

    monkeypatch.setattr(torch.Tensor, "to", stays)
    monkeypatch.setattr(torch.nn.functional, "softmax", lambda x, dim=-1, dtype=None: softmax(x, dim=dim))


@pytest.mark.parametrize("name", FAMILIES)
def test_in_float64_a_family_is_read_to_its_last_digits(name, exact):
    worst, found = compared(rotary(name), name.partition(",")[0])
    assert len(found) == (3 if name == "albert" else 2)
    assert worst < 1e-12


@pytest.mark.parametrize("name", FAMILIES)
def test_as_it_is_shipped_a_family_passes_the_comparison(name):
    worst, found = compared(rotary(name), name.partition(",")[0])
    assert worst < 1e-5
    assert len(pickle.dumps(found[-1].weights())) < 5e4  # other processes get the heads, and no model with them


def spoilt(**changes):
    """A way to read an attention with something wrong in it."""

    def change(attention):
        for name, of in changes.items():
            setattr(attention, name, of(getattr(attention, name)))

    return change


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("llama", spoilt(theta=lambda theta: 1.001 * theta)),
        ("llama", spoilt(family=lambda family: family._replace(pairs="interleaved"))),
        ("llama, YaRN", spoilt(factor=lambda factor: 1.0)),
        ("mistral", spoilt(window=lambda window: window + 1)),
        ("modernbert", spoilt(causal=lambda causal: True)),
        ("phi", spoilt(theta=lambda theta: theta[:-1])),
        ("gemma2", spoilt(cap=lambda cap: 1.01 * cap)),
        ("qwen3", spoilt(family=lambda family: family._replace(norms=()))),
        ("bloom", spoilt(added=lambda added: Slope(-1.01 * added.rows[:, 0]))),
        ("t5", spoilt(added=lambda added: Buckets(added.rows.T, lambda distance: added.bucket(distance - 1)))),
        ("albert", spoilt(heads=lambda heads: heads // 2)),
        ("olmo2", spoilt(family=lambda family: family._replace(joint=False))),
        ("exaone4", spoilt(theta=lambda theta: np.ones(3) if len(theta) == 0 else theta)),
        ("esm", spoilt(family=lambda family: family._replace(scale="scaling"))),
        ("mpt, six heads", spoilt(added=lambda added: Slope(-added.rows[::-1, 0]))),
        ("deepseek_v3", spoilt(unturned=lambda unturned: lambda X: np.ones(len(X)))),
        ("deepseek_v3", spoilt(asks=lambda asks: lambda X: X)),
        ("deberta-v2", spoilt(bucket=lambda bucket: bucket._replace(count=bucket.count - 1))),
        ("deberta-v2, shared", spoilt(_of_places=lambda of: lambda kind, terms: 1.001 * of(kind, terms))),
    ],
)
def test_a_wrong_reading_does_not_pass_the_comparison(name, change):
    model, kind = rotary(name), name.partition(",")[0]
    found = attentions(model, kind)
    states, probabilities = ([each[0] for each in every] for every in passed(model, found, [IDS]))
    refused = []
    for number, attention in enumerate(found):
        change(attention)
        X = np.column_stack([states[number], np.ones(len(IDS))])
        try:
            models._require_the_models_own(X, attention.weights(), probabilities[number], attention)
        except UserError as error:
            refused.append(str(error))
    assert refused
    assert re.search(r"its attention is not the softmax of (its lifted W|x_tᵀ W z), the logits differ by", refused[0])


def test_every_family_is_tested():
    assert {one.partition(",")[0] for one in FAMILIES} == {*LAYOUTS, "albert"}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"model_type": "falcon", "alibi": True}, "adds linear biases that transformers rounds to bfloat16, and adds "),
        ({"model_type": "mpt", "attn_config": {"qk_ln": True}}, r"centres queries and keys \(qk_ln in config.json\)"),
        ({"model_type": "mpt", "attn_config": {"clip_qkv": 8}}, r"clips queries and keys \(clip_qkv in config.json\)"),
        ({"model_type": "esm", "position_embedding_type": "relative_key"}, "adds terms that depend on distance to its"),
        ({"model_type": "esm", "position_embedding_type": "rotary", "is_decoder": True}, "is used as a decoder, "),
        ({"model_type": "olmo", "clip_qkv": 8.0}, r"clips queries and keys \(clip_qkv in config.json\)"),
        ({"model_type": "cohere", "use_qk_norm": True}, r"centres queries and keys \(use_qk_norm in config.json\)"),
        ({"model_type": "deberta"}, "adds terms that depend on distance to its logits"),
    ],
)
def test_a_setting_with_which_a_model_leaves_its_layout_is_refused(given, why):
    assert re.match(why, refusal(given))


def test_a_head_of_every_way_is_as_large_as_the_matrix_that_it_stands_for():
    """The singular values of places ⊗ x̃ with W written out, from logits on a basis of tokens, places and queries."""
    rng, D, B = np.random.default_rng(4), 4, 3
    K, Q, places = rng.normal(size=(5, D)), rng.normal(size=(5, D)), rng.normal(size=(2, B, 5))
    way = Disentangled(*places, lambda distance: distance.astype(int))
    e = np.eye(D)[-1]
    blocks = [np.outer(e, places[0, b] @ Q) + np.outer(places[1, b] @ K, e) for b in range(B)]
    W = np.vstack([*blocks, K.T @ Q])
    x, z, distance = rng.normal(size=(B, D)), rng.normal(size=(B, D)), np.arange(float(B))
    x[:, -1] = z[:, -1] = 1
    lift = np.einsum("np,nd->npd", way.features(distance), x).reshape(B, -1)
    np.testing.assert_allclose(way.logits(x @ K.T, z @ Q.T, distance), ((lift @ W) * z).sum(1), atol=1e-12)
    ours, theirs = (np.linalg.svd(A, compute_uv=False) for A in (way.reduced(K, Q), W))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def some_inputs(seed=0, n=9, d=5, longest=6, windows=False):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, longest + 1, n)
    distances = [T - 1.0 - np.arange(T) for T in counts]
    marks = [np.arange(T) == 0 for T in counts]
    tokens = [rng.normal(size=(T, d)) for T in counts]
    first = rng.integers(0, 3, n) if windows else None
    return Inputs(tokens, rng.normal(size=(n, d)), [], marks, np.arange(n), counts - 1, distances, first)


def some_head(seed=1, d=5, F=2, rest=1, norms=False):
    rng = np.random.default_rng(seed)
    r = 2 * F + rest
    norm = tuple(Norm(rng.normal(1, 0.3, r), 1e-3) for _ in range(2)) if norms else None
    return Head(*rng.normal(size=(2, r, d)), Rotary(rng.uniform(0.1, 2, F), rest > 0), norm)


def explicit(head, inputs):
    """Lifted tokens (N, p·d) and W (p·d, d), written out: only tests can afford them."""
    F, p = len(head.way.theta), head.way.features(np.zeros(1)).shape[1]
    lift = np.einsum("np,nd->npd", head.way.features(inputs.distance), inputs.flat).reshape(
        -1, p * inputs.flat.shape[1]
    )
    key, query = head.key, head.query
    if head.norms is not None:
        query, key = head.norms[0].gamma[:, None] * query, head.norms[1].gamma[:, None] * key
    W = np.zeros((p, key.shape[1], query.shape[1]))
    for f in range(F):
        W[f] = np.outer(key[f], query[f]) + np.outer(key[F + f], query[F + f])
        W[F + f] = np.outer(key[F + f], query[f]) - np.outer(key[f], query[F + f])
    if head.way.rest:
        W[2 * F] = key[2 * F :].T @ query[2 * F :]
    return lift, W.reshape(-1, query.shape[1])


@pytest.mark.parametrize("rest", [0, 2])
def test_a_head_is_the_lifted_matrix_that_is_never_formed(rest):
    inputs, head = some_inputs(), some_head(rest=rest)
    lift, W = explicit(head, inputs)
    np.testing.assert_allclose(head.logits(inputs), ((lift @ W) * inputs.queries[inputs.owner]).sum(1), atol=1e-12)
    sigma, ours = (np.linalg.svd(A, compute_uv=False) for A in (W, head.reduced()))
    k = min(len(sigma), len(ours))
    np.testing.assert_allclose(ours[:k], sigma[:k], atol=1e-12 * sigma[0])
    assert np.abs([*sigma[k:], *ours[k:]]).max(initial=0) < 1e-12 * sigma[0]
    assert head.size() == pytest.approx(np.linalg.norm(W), rel=1e-12)


def test_a_turned_head_keeps_the_rows_of_each_projection_and_has_no_preferred_direction():
    head, rng = some_head(), np.random.default_rng(0)
    turned = [head.turned(rng) for _ in range(400)]
    for one in turned[:20]:
        np.testing.assert_allclose(one.key @ one.key.T, head.key @ head.key.T, atol=1e-12)
        np.testing.assert_allclose(one.query @ one.query.T, head.query @ head.query.T, atol=1e-12)
    keys = np.array([one.key for one in turned])
    # Haar: each row has mean zero and its length spread evenly; five standard errors of the mean of 400
    spread = np.linalg.norm(head.key, axis=1) / np.sqrt(head.key.shape[1])
    assert (np.abs(keys.mean(0)).max(1) < 5 * spread / np.sqrt(400)).all()


@pytest.mark.parametrize("norms", [False, True])
def test_solution_alignment_and_prediction_are_those_of_the_explicit_problem(norms):
    inputs, held, head = some_inputs(), some_inputs(seed=5), some_head(norms=norms)
    lift, W = explicit(head, inputs)
    weigh = np.ones(len(lift)) if not norms else head.scales(inputs)
    tokens = np.split(lift * weigh[:, None], np.cumsum(inputs.counts)[:-1])
    selected = selections(inputs, head)
    dense = solve(ragged(zip(tokens, inputs.queries, selected.tolist(), strict=True)))
    problem = LiftedProblem(inputs, head.way).seen_by(head)
    ours = problem.certified(selected, "fro", head.logits(inputs))
    assert ours.solved
    assert ours.rank == dense.rank
    assert ours.W.size() == pytest.approx(np.linalg.norm(dense.W), rel=1e-9)
    np.testing.assert_allclose(ours.dual, dense.dual, atol=1e-7 * dense.dual.max())
    for one in (inputs, held):
        raised = explicit(head, one)[0] * (np.ones(len(one.flat)) if not norms else head.scales(one))[:, None]
        theirs = ((raised @ dense.W) * one.queries[one.owner]).sum(1)
        np.testing.assert_allclose(ours.W.logits(one), theirs, atol=1e-8 * np.abs(theirs).max())
    matrices = [np.outer(X[0] - x, z).ravel() for X, z in zip(tokens, inputs.queries, strict=True) for x in X[1:]]
    basis = np.linalg.svd(np.array(matrices), full_matrices=False)[2]
    a, b = basis @ W.ravel(), basis @ dense.W.ravel()
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert problem.cosines(head, [ours.W]) == pytest.approx([expected], abs=1e-6)  # the ridge is 1e-10


def test_equal_tokens_at_equal_distances_that_contradict_each_other_are_refuted_by_a_cycle():
    rng = np.random.default_rng(0)
    a, b, z = rng.normal(size=(3, 4))
    far, near = np.array([1.0, 0.0]), np.array([2.0, 1.0])
    way, marks = Rotary(np.array([0.7]), True), [np.zeros(2, dtype=bool)] * 2

    def problem(second):
        tokens = [np.array([a, b])] * 2
        return LiftedProblem(Inputs(tokens, np.array([z, z]), [], marks, np.arange(2), np.ones(2), [far, second]), way)

    assert problem(far).certified(np.array([0, 1])).status == "infeasible"
    assert problem(near).certified(np.array([0, 1])).solved  # at other distances they are other tokens


def test_permuted_distances_are_all_those_that_fit_and_equally_likely():
    selected, counts, rng = np.array([0, 1, 3, 2]), np.array([2, 3, 5, 4]), np.random.default_rng(0)
    position = np.array([0, 2, 3, 3])
    distance = position - selected
    fitting = {
        tuple(position - np.array(p))
        for p in itertools.permutations(distance)
        if all((position - np.array(p) >= 0) & (position - np.array(p) < counts))
    }
    seen = Counter(tuple(permuted_distances(selected, position, counts, rng).tolist()) for _ in range(1000))
    assert set(seen) == fitting
    assert len(fitting) > 2
    assert all(abs(count - 1000 / len(fitting)) < 5 * np.sqrt(1000 / len(fitting)) for count in seen.values())


def test_a_mismatched_head_has_the_queries_of_another_group():
    one, other = some_head(seed=1), some_head(seed=2)
    same_group = Head(one.key, other.query, one.way)
    rng = np.random.default_rng(0)
    made = mismatched(one, [one, same_group, other], rng)
    assert made.key is one.key
    assert made.query is other.query
    assert mismatched(one, [one, same_group], rng) is None


def test_every_fixed_distance_is_a_rule_and_the_first_token_is_the_first_visible_one():
    inputs = some_inputs(n=30)
    assert distances(inputs) == ("first", "last", "itself", "before", "after", "2 before", "3 before", "4 before",
                                 "5 before")  # fmt: skip
    selected = np.maximum(inputs.position - 3, 0)
    found = rule(inputs, selected, inputs, selected, distances(inputs))
    assert found["rule"] == "3 before"
    assert found["rule_predicted"] == np.mean(inputs.position >= 3)


@pytest.fixture(scope="module")
def inspected(tmp_path_factory):
    """{family: its inspection}, of those in which something is to be said."""

    def made(name):
        folder = tmp_path_factory.mktemp(name)
        rotary(name, folder)
        return inspect.inspection(folder, TEXTS, norms=["fro"], layers=[0], draws=1)

    return {name: made(name) for name in ("mistral", "gemma2", "qwen3", "deepseek_v3", "deberta-v2, shared")}


def test_a_lifted_table_has_its_nulls_and_says_what_holds(inspected):
    for name, theory, said in (
        ("mistral", "exact", None),
        ("gemma2", "selections", "Logits pass a soft cap: "),
        ("qwen3", "frozen norms", "Queries and keys are normed: "),
        ("deepseek_v3", "frozen norms", "Queries and keys are normed: "),
        ("deberta-v2, shared", "exact", None),
    ):
        table, page = inspected[name].table, inspected[name].html
        assert list(table.columns) == list(columns(("fro",), lifted=True))
        assert (table.theory == theory).all()
        assert (table.status_fro == "solved").all()
        assert (table.gap_fro <= 1e-10).all()
        assert (table.separable_mismatched_fro == 1).all()
        assert table.margin_ratio_fro.between(0, 1 + 1e-9).all()
        assert (table.margin_ratio_fro > 0).all()  # a head separates what it selects
        for start in ("Logits pass a soft cap: ", "Queries and keys are normed: "):
            assert (start in page) == (start == said)
        assert table.controls.between(3, 5).all(), "the best rule, and null models that are separable"


def test_a_window_shows_the_whole_text_and_marks_what_is_seen(inspected):
    """Windows of five tokens on texts of seven."""
    (data,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', inspected["mistral"].html, re.DOTALL
    )
    data = json.loads(data)
    marks = [mark for head in data["marks"] for mark in head["fit"]]
    shown = [one for _ in data["marks"] for one in data["fit"]]
    assert all(one["query"] == len(one["words"]) - 1 for one in shown)
    assert all(one["query"] - 5 < t <= one["query"] for mark, one in zip(marks, shown, strict=True) for t in mark)
    assert min(t for mark, one in zip(marks, shown, strict=True) for t in mark if one["query"] == 6) == 2


def test_the_comparison_gives_way_as_the_angles_of_float32_do():
    """At 2,048 tokens rounding of the angles alone passes the bound for short texts."""
    attention = attentions(rotary("llama"), "llama")[0]
    assert attention.tolerance(24) < 1.4e-5
    assert 7.5e-5 < attention.tolerance(2048) < 3e-4


def test_lifted_layers_have_the_same_table_in_one_process_and_in_several():
    heads = {h: some_head(seed=h) for h in range(3)}
    plan = Plan(("fro",), draws=1)

    def found(jobs):
        layers = [Layer(number, some_inputs(seed=number, n=14), heads, every=[*heads.values()]) for number in range(3)]
        return running.run("random", lambda _: {}, layers, plan, jobs, lambda items, **_: items)

    alone, beside = found(1), found(2)
    assert list(alone.table["layer"]) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert (alone.table["status_fro"] == "solved").all()
    # Threads of BLAS may add in another order; with one thread these are the same bytes.
    pd.testing.assert_frame_equal(alone.table, beside.table, rtol=1e-6, atol=1e-12)
