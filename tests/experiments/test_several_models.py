"""The figure of several models, on small ones in folders: the numbers of `attnsvm inspect`, shares by hand, claims."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from drawing import assert_drawn
from running import Run
from small_models import bert, rotary, words_of

from attnsvm import inspect
from attnsvm.analysis.statistics import wilson
from attnsvm.errors import UserError
from attnsvm.experiments.real.several_models import figure, measures, outside, problems
from attnsvm.inspect import sentences

FEW = sentences()[:24]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("models")
    for name in ("plain", "turned"):
        (base / name).mkdir()
    bert(base / "plain", words=words_of(FEW))
    rotary("llama", base / "turned")
    return [str(base / "plain"), str(base / "turned")]


@pytest.fixture(scope="module")
def run(folders, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnsvm.inspect.known.sentences", lambda: FEW)
        yield Run("several_models", {"problems": {"models": folders}}, tmp_path_factory.mktemp("run"), scale="smoke")


@pytest.mark.parametrize("which", [0, 1])
def test_the_numbers_are_those_of_inspect(which, run, folders):
    own, svm = run.settings["problems"], run.settings["svm"]
    asked = {"inputs": svm["inputs"], "held_out": svm["held_out"], "draws": svm["draws"], "seed": svm["seed"]}
    table = inspect.heads(folders[which], FEW, norms=("fro",), longest=own["longest"], **asked)
    mine = run.table[(run.table.part == "head") & (run.table.model == folders[which].rsplit("/", 1)[1])]
    assert len(mine) > 0
    wide = mine.pivot_table(index=["layer", "head"], columns="control", values="value")
    theirs = table.set_index(["layer", "head"])[list(wide)]
    pd.testing.assert_frame_equal(wide, theirs, check_names=False, check_dtype=False, check_index_type=False)
    assert ("predicted_mismatched_fro" in wide) == bool(which)


def test_every_layer_has_an_outcome_and_every_answer_its_certificate(run):
    assert run.outcomes_per_instance() == 1
    assert run.certificates["uncertified"].sum() == 0
    assert run.certificates["solved"].sum() > 0


def by_hand():
    rows = []
    for model, leads in (("a", [0.2, -0.1, 0.3, 0.4]), ("b", [-0.1, -0.2])):
        for k, lead in enumerate(leads):
            at = {"model": model, "seed": k, "head": 0}
            rows.append(at | {"control": "predicted_fro", "value": 0.5 + lead})
            rows.append(at | {"control": "rule_predicted", "value": 0.5})
            rows.append(at | {"control": "predicted_mismatched_fro", "value": np.nan})
    return pd.DataFrame(rows)


def test_shares_and_leads_by_hand():
    found = measures.table(measures.Measures(by_hand(), pd.DataFrame()), {})
    whole = found[(found.control == "predicted, rule") & found.depth.isna()].set_index(["part", "model"])
    assert tuple(whole.loc[("share", "a"), ["value", "low", "high"]]) == pytest.approx(wilson(3, 4))
    assert whole.loc[("share", "b"), "value"] == 0
    assert whole.loc[("lead", "a"), "value"] == pytest.approx(0.2)
    deep = found[(found.control == "predicted, rule") & (found.part == "share") & (found.model == "b")].dropna()
    assert deep.empty or set(deep.depth) == {0, 3}  # two layers: the first and the fourth sixth
    assert not (found.control == "predicted, mismatched").any()


def test_the_figure_shows_the_table(run):
    shares = run.table[(run.table.part == "share") & run.table.depth.notna()]
    assert set(figure.PANELS) == set(measures.CONTROLS)
    assert_drawn(figure.draw, run.table, y=shares["value"])


def test_blocks_of_layers_are_those_of_the_whole_model(run, folders):
    own = run.settings["problems"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnsvm.inspect.known.sentences", lambda: FEW)
        (whole,) = [one for one in problems.cells(own) if one.variant == "model1"]
        every = problems.problems(whole, own)
        (second,) = problems.problems(replace(whole, seeds=[1]), own).labels
    layer = pickle.loads(every.labels[1].tobytes())
    again = pickle.loads(second.tobytes())
    assert (layer.number, again.number) == (1, 1)
    np.testing.assert_array_equal(layer.inputs.queries, again.inputs.queries)


def test_what_is_not_there_is_one_sentence():
    with pytest.raises(UserError, match=r"figures/several_models: nowhere: is not the folder of a model") as said:
        outside.files({"models": ["nowhere"]})
    assert str(said.value).endswith("(experiments.several_models.problems.models)")
