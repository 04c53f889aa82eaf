"""The figure of known answers on a small model made here: its data, the reading of a pickle, its numbers by hand."""

import copy
import json
import re
import shutil
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import torch
from drawing import assert_drawn
from running import Run, smoke_settings
from small_models import of_reactions

from attnsvm.data.problems import Problems
from attnsvm.data.reactions import Reaction, held_apart, reactions, same_string, same_token
from attnsvm.errors import UserError
from attnsvm.experiments.real.known_answers import descent, figure, measures, model, outside, problems, svm
from attnsvm.experiments.real.known_answers.asked import asked, best_offset, positions
from attnsvm.pipeline import cards, configuration
from attnsvm.pipeline.configuration import resolve
from attnsvm.svm.ledger import judged

EVERY = reactions()
LAYERS, HEADS = 2, 2


@pytest.fixture(scope="module")
def albert(tmp_path_factory):
    return of_reactions(tmp_path_factory.mktemp("albert"), LAYERS, HEADS)


def given(folder, **changes):
    return {"problems": {"model": str(folder), **changes}}


@pytest.fixture(scope="module")
def run(albert, tmp_path_factory):
    return Run("known_answers", given(albert), tmp_path_factory.mktemp("run"), scale="smoke")


def settings_of(folder, **changes):
    return smoke_settings("known_answers", **given(folder, **changes))["problems"]


def cell(run, name):
    return next((Problems.from_arrays(p), trained, solved) for label, p, trained, solved in run.cells if name in label)


# The data


def test_the_reactions_are_what_the_page_says():
    assert len(EVERY) == 1170
    assert len({one.template for one in EVERY}) == 39
    assert len({one.text for one in EVERY}) > 1100  # a few are made by two templates


@pytest.mark.parametrize("one", EVERY[::45], ids=lambda one: one.text)
def test_every_atom_of_a_product_has_an_answer_of_its_element(one):
    """An atom stays of its element, whatever becomes of its bonds, charge and ring."""

    def element(k):
        return re.sub(r"[^A-Z]", "", re.sub(r"@|H\d?|[+-]\d?", "", one.tokens[k]).upper())

    assert len(one.answers) == len(one.product)
    for place, right in zip(one.product, one.answers, strict=True):
        assert {element(one.reactants[k]) for k in right} == {element(place)}


def test_an_ester_keeps_the_oxygen_of_the_alcohol_and_hydrolysis_takes_that_of_water():
    ester = next(one for one in EVERY if one.text == "CC(C)CCO.Cc1ccc(C(=O)O)c(C)c1>>Cc1ccc(C(=O)OCCC(C)C)c(C)c1")
    assert ester.answers[7] == (5,)  # Cc1ccc(C(=O)O...: the atom 7 of the product is the ester's oxygen
    water = next(one for one in EVERY if one.text == "COC(=O)c1cccc(C(F)(F)F)c1.O>>O=C(O)c1cccc(C(F)(F)F)c1")
    assert water.answers[2] == (14,)
    assert water.tokens[water.reactants[14]] == "O"
    assert water.answers[9:12] == ((10, 11, 12),) * 3  # three fluorines are alike


@pytest.mark.parametrize("fold", range(3))
def test_held_out_reactions_share_neither_template_nor_molecules(fold):
    fit, held = held_apart(EVERY, fold)
    assert (len(fit), len(held)) == (520, 130)
    assert not {one.template for one in fit} & {one.template for one in held}

    def substituted(some):  # reagents without a substituent belong to their template
        return {word for one in some for word in one.text.split(">>")[0].split(".")}

    assert len(substituted(fit) & substituted(held)) <= 1  # bromides and the like come from groups of one class


def test_the_rules_by_hand():
    one = Reaction(0, 0, "CO.CN>>CNCO", ())
    assert same_token(one) == [0, 3, 2, 1]
    # Runs: CN of the product is CN behind the point; the second C and O are CO.
    assert same_string(one) == [2, 3, 0, 1]
    assert same_token(Reaction(0, 0, "CO>>N", ())) == [-1]


# The model


def test_the_states_are_the_models(albert):
    made = model.model(str(albert))
    (X,) = model.states(str(albert), made, [1], [EVERY[0].tokens])[1]
    words = (albert / "vocab.txt").read_text().splitlines()
    ids = [words.index(token) for token in ("[CLS]", *EVERY[0].tokens, "[SEP]")]
    with torch.no_grad():
        inside = made.embeddings(torch.tensor([ids]))
        inside = made.encoder.embedding_hidden_mapping_in(inside)
        (layer,) = made.encoder.albert_layer_groups[0].albert_layers
        after = layer(inside)
    after = after[0] if isinstance(after, tuple) else after
    np.testing.assert_allclose(X[:, :-1], after[0, 1:-1].numpy(), atol=1e-12)
    assert (X[:, -1] == 1).all()


def test_a_model_whose_attention_is_another_is_refused(albert, monkeypatch):
    right = model.heads
    monkeypatch.setattr(model, "heads", lambda *given: 1.01 * right(*given))
    with pytest.raises(UserError, match="its attention is no softmax of our logits"):
        model.states(str(albert), model.model(str(albert)), [0], [EVERY[0].tokens])


class Other:
    """What a pickle may hold, and what must not be made of it."""


@pytest.mark.parametrize(
    ("held", "sentence"),
    [
        (Other(), "is a pickle of more than plain tensors"),
        ([1.0], "is a pickle of more than plain tensors"),
        ({"bert.x": torch.zeros(1)}, "no weights in it have names that begin with 'albert.'"),
    ],
)
def test_a_pickle_that_holds_anything_else_is_one_sentence(albert, tmp_path, held, sentence):
    folder = shutil.copytree(albert, tmp_path / "model")
    torch.save(held, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match=sentence):
        model.model(str(folder))


def test_what_cannot_be_read_is_said(albert, tmp_path):
    with pytest.raises(UserError, match="there is no model 'nowhere': pip install --no-deps rxnmapper") as said:
        outside.files({"model": "nowhere"})
    assert str(said.value).startswith("figures/known_answers: ")
    folder = shutil.copytree(albert, tmp_path / "model")
    (folder / "vocab.txt").unlink()
    with pytest.raises(UserError, match=r"there is no vocab\.txt in it"):
        outside.files({"model": str(folder)})
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "bert"}))
    with pytest.raises(UserError, match="is a model of the kind 'bert'; this figure reads the kind 'albert'"):
        problems.cells(settings_of(folder))
    with pytest.raises(UserError, match="has the layers 0 to 1: name others"):
        problems.cells(settings_of(albert, layers=[0, 2], untrained=0))
    (folder / "config.json").write_text(json.dumps(config | {"intermediate_size": 17}))
    with pytest.raises(UserError, match=r"its weights are not those of its config\.json"):
        model.model(str(folder))


def test_the_checksums_are_those_of_what_decides(albert):
    config = resolve({"experiments": {"known_answers": given(albert)}})
    files = configuration.outside(cards.read("known_answers"), config)
    assert set(files) == {"config.json", "pytorch_model.bin", "vocab.txt"}


# The stages


def test_every_instance_has_an_outcome_and_every_answer_its_certificate(run):
    assert run.outcomes_per_instance() == 1
    counted = run.certificates.set_index("solve")
    assert counted["uncertified"].sum() == 0
    draws = run.settings["svm"]["draws"]
    heads = counted[counted.index.str.startswith("heads")][["solved", "infeasible"]].to_numpy().sum()
    assert heads == LAYERS * HEADS * (1 + 3 * draws)


def test_what_refutes_few_reactions_is_judged_again_for_more(run):
    """One answer, one count of the checker, also where multipliers of fewer reactions are enough."""
    batch, _, _ = cell(run, "layer1")
    fit, held = asked(batch, 0)
    twice = fit.take(np.array([0, 0, 1, 2]))  # the same query, with two answers
    answers = np.where(np.arange(4) == 1, (twice.answer + 1) % twice.counts, twice.answer)
    few = twice.take(np.array([0, 1]))
    before = Counter(judged)
    row, solution = svm._solved(few, answers[:2], held)
    assert (row["status"], judged - before) == ("infeasible", Counter(infeasible=1))
    row, again = svm._solved(twice, answers, held, solution.dual)
    assert (row["status"], judged - before) == ("infeasible", Counter(infeasible=2))
    np.testing.assert_array_equal(again.dual[len(solution.dual) :], 0.0)


def test_what_is_not_certified_is_neither_separable_nor_refuted(run):
    """A status that nobody has proved is drawn nowhere, and the outcome says so."""
    batch, trained, solved = cell(run, "layer1")
    own = next(one for one in run.card.module("problems").cells(run.settings["problems"]) if "layer1" in one.label)
    solved = copy.deepcopy(solved)
    size = next(iter(solved["answers"]))
    for word, value in (("solved", [1.0]), ("infeasible", [0.0]), ("uncertified", [])):
        solved["answers"][size]["svm"]["status"] = np.array([word] * len(batch))
        found = measures.measures(own, batch, trained, solved, run.settings["measures"])
        rows = found.instances.query(f"quantity == 'separable' and inputs == {size}")
        assert rows[rows["kind"].str.endswith("svm")]["value"].tolist() == value
        assert (set(found.outcomes["outcome"]) == {"not certified"}) == (word == "uncertified")


def test_queries_are_atoms_with_one_right_answer(run, albert):
    p, _, _ = cell(run, "layer1")
    fit, held = asked(p, 0)
    chosen = problems._chosen(run.settings["problems"])
    states = model.states(str(albert), model.model(str(albert)), [1], [one.tokens for one, _ in chosen])[1]
    found = []
    for (one, away), X in zip(chosen, states, strict=True):
        for k, right in enumerate(one.answers):
            if len(right) == 1:
                found.append((away, X[one.product[k]], X[one.reactants[right[0]]], one.template))
    for side, asks in ((False, fit), (True, held)):
        mine = [row for row in found if row[0] == side]
        assert len(mine) == len(asks)
        for m, (_, query, answer, template) in enumerate(mine):
            assert np.array_equal(asks.queries[m], query)
            assert np.array_equal(asks.tokens[asks.first[m] + asks.answer[m]], answer)
            assert asks.template[m] == template


def test_constraints_are_those_of_plain_algebra(run):
    p, _, _ = cell(run, "layer1")
    fit, _ = asked(p, 0)
    W = np.random.default_rng(0).normal(size=(p.tokens.shape[-1],) * 2)
    c = fit.constraints(fit.answer)
    margins = []
    for m, one in enumerate(fit.logits(W)):
        margins += [one[fit.answer[m]] - logit for t, logit in enumerate(one) if t != fit.answer[m]]
    np.testing.assert_allclose(c.apply(W), margins, atol=1e-9)
    few = fit.of_reactions(2)
    assert np.array_equal(few.queries, fit.queries[fit.reaction < 2])
    assert len(few.tokens) == len({tuple(x) for x in few.tokens})
    inputs = fit.inputs()
    assert all(
        np.allclose(X @ W @ z, one) for X, z, one in zip(inputs.tokens, inputs.queries, fit.logits(W), strict=True)
    )


def test_softmax_regression_is_at_the_minimum_of_its_loss(run):
    """Its gradient from torch, in the units that the docstring names."""
    fit, _ = asked(cell(run, "layer1")[0], 0)
    W, slope = descent.regression(fit, 0.01)
    scales = [np.sqrt((X**2).sum(1).mean()) for X in (fit.tokens, fit.queries)]
    V = torch.tensor(W * scales[0] * scales[1], requires_grad=True)
    X, Z = torch.tensor(fit.tokens / scales[0]), torch.tensor(fit.queries / scales[1])
    loss = 0.005 * (V * V).sum()
    for m in range(len(fit)):
        logits = X[fit.first[m] : fit.first[m] + fit.counts[m]] @ V @ Z[m]
        loss = loss - torch.log_softmax(logits, 0)[fit.answer[m]] / len(fit)
    loss.backward()
    assert V.grad.abs().max() == pytest.approx(slope, abs=1e-9)
    assert slope <= 1e-5


def test_a_rule_of_position_by_hand(run):
    fit, _ = asked(cell(run, "layer0")[0], 0)
    fixed = positions(fit, 2)
    assert ((fixed == fit.place + 2) | (fixed == -1)).all()
    kept = fit.take(fixed >= 0)
    assert best_offset(kept, kept.place + 2) == 2


def by_hand():
    rows = []
    for template, (own, other) in enumerate([(0.9, 0.7), (0.5, 0.5), (1.0, 0.4)]):
        at = {"part": "answers", "layer": 1, "inputs": 3, "quantity": "right", "template": template}
        rows += [at | {"kind": "svm", "value": own}, at | {"kind": "softmax 0.01", "value": other}]
    for draw, value in enumerate([0.2, 0.4]):
        at = {"part": "heads", "layer": 1, "head": 1, "quantity": "alignment", "draw": draw}
        rows.append(at | {"kind": "random", "value": value})
        rows.append(at | {"kind": "head", "quantity": "predicted", "template": draw, "value": 1.0})
        rows.append(at | {"kind": "string", "quantity": "predicted", "template": draw, "value": value})
    return pd.DataFrame(rows)


def test_the_table_by_hand():
    found = measures.table(measures.Measures(by_hand(), pd.DataFrame()), {"layer": 1, "head": 1})
    lead = found[(found.part == "answers") & (found.quantity == "lead")].iloc[0]
    differences = np.array([0.2, 0.0, 0.6])
    half = 1.959963984540054 * differences.std(ddof=1) / np.sqrt(3)
    assert (lead.value, lead.low, lead.high) == pytest.approx((0.8 / 3, 0.8 / 3 - half, 0.8 / 3 + half))
    assert (lead.inputs, lead.instances) == (3, 3)
    drawn = found[found.quantity == "alignment"].iloc[0]
    assert (drawn.value, drawn.low, drawn.high, drawn.mapping) == (pytest.approx(0.3), 0.2, 0.4, 1)
    ahead = found[(found.part == "heads") & (found.quantity == "lead")].iloc[0]
    assert (ahead.kind, ahead.value) == ("string", pytest.approx(0.7))


def test_the_figure_shows_the_table(run):
    read = run.table[run.table["head"] == run.settings["measures"]["head"]]
    fits = run.table[(run.table.part == "answers") & (run.table.layer == run.settings["measures"]["layer"])]
    kinds = ["svm", "cosine", "random answers", *(f"softmax {one:g}" for one in run.settings["descent"]["ridges"])]
    shown = [read[read.quantity == name][["layer", "value"]] for name in ("right", "alignment", "predicted")]
    shown.append(fits[(fits.quantity == "right") & fits.kind.isin(kinds)][["inputs", "value"]])
    assert_drawn(figure.draw, run.table, *(points.dropna() for points in shown))
