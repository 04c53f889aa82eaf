"""Cards: found by being there; what is wrong with one is said in a sentence that names it."""

import pytest
import yaml

from attnsvm.pipeline import cards
from attnsvm.system.errors import UserError

CARD = {
    "title": "a title",
    "order": 1,
    "settings": {
        "problems": {"n": {"type": "inputs", "value": 4, "smoke": 2}, "own": {"enum": [1], "value": 1, "text": "T."}}
    },
    "caption": "A caption.",
    "columns": {"d": "Dimension."},
}
FILES = ("problems", "measures", "figure")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A function that writes an experiment into a folder of experiments of our own."""

    def forget():
        for function in (cards.read, cards.names, cards.folders, cards.every):
            function.cache_clear()

    def write(name, files=FILES, text=None, section="own", **changes):
        own = (cards.OWN if section == "users" else tmp_path / section) / name
        own.mkdir(exist_ok=True, parents=True)
        card = {key: value for key, value in (CARD | changes).items() if value is not None}
        (own / "card.yaml").write_text(yaml.safe_dump(card) if text is None else text)
        for part in files:
            (own / f"{part}.py").write_text('"""A module."""\n')
        forget()
        return own

    monkeypatch.setattr(cards, "FOLDER", tmp_path)
    monkeypatch.setattr(cards, "OWN", tmp_path.with_name(f"{tmp_path.name}_users"))
    forget()
    yield write
    monkeypatch.undo()
    forget()


def test_a_folder_with_a_card_is_an_experiment_and_one_without_is_none(folder, tmp_path):
    assert cards.every() == ()
    folder("one")
    (tmp_path / "not_one").mkdir()
    (tmp_path / "not_one" / "figure.py").write_text("")
    assert [card.name for card in cards.every()] == ["one"]


def test_a_card_is_read_with_its_types_and_its_modules(folder):
    folder("one", files=("problems", "svm", "measures", "figure"))
    card = cards.read("one")
    assert card.stages == ("problems", "svm", "measures")
    assert card.modules["svm"] == "attnsvm.experiments.own.one.svm"
    assert card.draws == ("one",)
    assert (card.blocks, card.fixed, card.relations, card.seconds) == (1, {}, [], None)
    given = card.settings["problems"]
    assert given["n"] == cards.types()["inputs"] | {"value": 4, "smoke": 2, "kind": "inputs"}
    assert given["own"] == {"enum": [1], "value": 1, "text": "T."}
    assert card.is_experiment


def test_cards_come_in_the_order_they_ask_for_and_their_sections_too(folder):
    folder("b", order=1)
    folder("a", order=1)
    folder("c", section="paper", order=2)
    folder("inside", section="own/a", order=3)
    assert [card.name for card in cards.every()] == ["a", "b", "c", "inside"]
    found = {heading: [card.name for card in own] for heading, own in cards.sections().items()}
    assert found == {"The paper": ["c"], "Our own questions": ["a", "b", "inside"]}
    assert list(found) == ["The paper", "Our own questions"]
    assert [cards.read(name).parent for name in ("a", "inside")] == ["", "a"]
    assert cards.read("inside").modules["measures"] == "attnsvm.experiments.own.a.inside.measures"


def test_a_users_experiments_lie_beside_the_snakefile_and_are_no_others(folder):
    folder("one", section="users")
    card = cards.read("one")
    assert (card.section, card.parent, cards.place("one")) == ("own", "", "experiments/one")
    assert card.modules["measures"] == "attnsvm.experiments.one.measures"
    folder("one")
    with pytest.raises(UserError, match="experiments/one: attnsvm/experiments/own/one has this name: choose another"):
        cards.read("one")


@pytest.mark.parametrize(
    ("section", "name", "sentence"),
    [
        (
            "conjectures",
            "one",
            "conjectures/one/card.yaml: an experiment lies in the folder of a section: paper, own, ",
        ),
        ("", "own", "own/card.yaml: an experiment lies in the folder of a section: paper, own, "),
        ("paper", "taken", "paper/taken: attnsvm/experiments/own/taken has this name: choose another"),
        ("own/taken", "figure", "own/taken/figure: attnsvm/experiments/own/taken/figure.py has this name: choose"),
    ],
)
def test_a_folder_in_a_wrong_place_is_named(folder, section, name, sentence):
    folder("taken")
    folder(name, section=section)
    with pytest.raises(UserError, match=sentence):
        cards.read(name)


def test_a_twin_has_the_stages_and_settings_of_the_other_and_says_what_differs(folder):
    folder("one", files=(*FILES, "descent", "claims"), fixed={"attention": "cross", "kept": 1}, blocks=3)
    own = {"problems": {"n": {"type": "inputs", "value": 9}}}
    folder("two", files=("descent",), like="one", fixed={"attention": "self"}, settings=own, caption=None, columns=None)
    two = cards.read("two")
    assert two.modules == {stage: f"attnsvm.experiments.own.one.{stage}" for stage in ("problems", "measures")} | {
        "descent": "attnsvm.experiments.own.two.descent"
    }
    assert two.fixed == {"attention": "self", "kept": 1}
    assert two.blocks == 3
    assert two.settings["problems"]["n"]["value"] == 9
    assert two.settings["problems"]["own"]["value"] == 1
    assert two.draws == ()  # no figure of its own, no claim
    assert [card.name for card in cards.figures()] == ["one"]
    assert [card.name for card in cards.claiming()] == ["one"]


def test_a_twin_is_drawn_and_has_columns_as_the_other_unless_it_has_its_own(folder):
    folder("one")
    folder("two", files=(), like="one", columns=None)
    folder("three", files=("figure",), like="one", columns={"n": "Inputs."})
    assert cards.read("two").modules["figure"] == "attnsvm.experiments.own.one.figure"
    assert cards.read("three").modules["figure"] == "attnsvm.experiments.own.three.figure"
    assert cards.read("two").draws == ("two",)
    assert cards.read("two").columns == cards.read("one").columns == {"d": "Dimension."}
    assert cards.read("three").columns == {"n": "Inputs."}


def test_the_columns_of_an_estimate_follow_its_value_and_instances(folder):
    columns = {"d": "Dimension.", "instances": "Runs.", "value": "Mean."}
    folder("one", columns=columns)
    folder("raw", columns={"value": "A number.", "seed": "Its seed."})
    found = cards.read("one").columns
    assert list(found) == ["d", "instances", "interval", "value", "low", "high"]
    assert found.items() >= columns.items()
    folder("own", columns=columns | {"high": "The print's."})
    assert cards.read("own").columns["high"] == "The print's."
    assert set(cards.read("raw").columns) == {"value", "seed"}


def test_a_card_names_the_problems_that_its_folder_does_not_have(folder):
    folder("one", files=("measures", "figure"), problems="one_shape")
    folder("two", files=(), like="one", caption=None, columns=None)
    for name in ("one", "two"):
        assert cards.read(name).modules["problems"] == "attnsvm.data.grids.one_shape"
        assert cards.read(name).stages == ("problems", "measures")
    folder("three", files=(), like="one", problems="shapes", caption=None, columns=None)
    assert cards.read("three").modules["problems"] == "attnsvm.data.grids.shapes"


def test_a_figure_of_several_tables_is_no_experiment(folder):
    folder("one")
    folder("two")
    folder("both", files=("figure",), draws=["one", "two"], settings=None)
    assert cards.read("both").draws == ("one", "two")
    assert not cards.read("both").is_experiment
    assert [card.name for card in cards.experiments()] == ["one", "two"]


def test_a_figure_draws_what_is_measured_and_a_twin_is_like_what_has_stages(folder):
    folder("one")
    folder("empty", files=("claims",), settings=None, caption=None, columns=None)
    folder("both", files=("figure",), draws=["one", "empty"], settings=None)
    with pytest.raises(UserError, match=r"both/card.yaml: draws: 'empty' measures nothing"):
        cards.read("both")
    folder("twin", files=(), like="empty", settings=None)
    with pytest.raises(UserError, match=r"twin/card.yaml: like: 'empty' has no stages"):
        cards.read("twin")
    folder("pair", draws=["one", "pair"])
    folder("like_pair", files=(), like="pair")
    with pytest.raises(UserError, match=r"like_pair/card.yaml: draws: expected the tables of this figure: that of 'p"):
        cards.read("like_pair")


def test_a_card_that_is_no_text_is_named(folder):
    (folder("one") / "card.yaml").write_bytes(b"title: \xff\xfe")
    with pytest.raises(UserError, match=r"one/card.yaml: this is not UTF-8 text"):
        cards.read("one")


def test_what_is_optional_is_left_out_unless_it_is_asked_for(folder):
    folder("one", files=(*FILES, "claims"))
    folder("two", files=(*FILES, "claims", "outside"), optional="it needs a file")
    for found in (cards.experiments, cards.figures, cards.claiming):
        assert [card.name for card in found()] == ["one"]
        assert [card.name for card in found(optional=True)] == ["one", "two"]
    assert [card.name for own in cards.sections().values() for card in own] == ["one"]
    assert [card.name for own in cards.sections(optional=True).values() for card in own] == ["one", "two"]
    assert [card.name for card in cards.optional()] == ["two"]
    assert cards.read("two").modules["outside"] == "attnsvm.experiments.own.two.outside"


def test_what_every_run_builds_reads_no_file_from_outside_and_draws_nothing_optional(folder):
    folder("one", files=(*FILES, "outside"))
    with pytest.raises(UserError, match=r"one/card.yaml: the key 'optional' is missing: outside.py names files"):
        cards.read("one")
    folder("two", optional="it needs a file")
    folder("drawn", files=("figure",), draws=["two"], settings=None)
    with pytest.raises(
        UserError, match=r"drawn/card.yaml: draws: 'two' is optional, so this experiment must be optional too"
    ):
        cards.read("drawn")


def test_a_card_without_a_stage_may_only_claim(folder):
    folder("claims_only", files=("claims",), settings=None, caption=None, columns=None)
    card = cards.read("claims_only")
    assert not card.is_experiment
    assert card.draws == ()
    assert [card.name for card in cards.claiming()] == ["claims_only"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"text": "title: [unclosed\nsection: x"}, "one/card.yaml, line 2: this is not YAML"),
        (
            {"text": "title: x\norder: 1\ntitle: y\n"},
            "one/card.yaml, line 3: this is not YAML (the key 'title' occurs twice)",
        ),
        ({"text": ""}, "one/card.yaml: it is empty; docs/experiment.md describes a card"),
        ({"title": None}, "one/card.yaml: the key 'title' is missing"),
        ({"titel": "x"}, "one/card.yaml: unknown key 'titel': did you mean 'title'?"),
        ({"blocks": 0}, "one/card.yaml: blocks: 0 is too small"),
        ({"settings": {"problem": {}}}, "one/card.yaml: settings: unknown key 'problem': did you mean 'problems'?"),
        ({"settings": {"problems": {"n": {"type": "inputs"}}}}, "settings: problems.n: the key 'value' is missing"),
        ({"settings": {"problems": {"n": {"type": "inputs", "value": 0}}}}, "problems.n: value: 0 is too small"),
        (
            {"settings": {"problems": {"n": {"type": "inputs", "value": 1, "smoke": 1.5}}}},
            "n: smoke: 1.5 is not of type",
        ),
        ({"settings": {"problems": {"n": {"value": 1}}}}, "settings: problems.n: the key 'text' is missing"),
        ({"settings": {"descent": {"n": {"type": "inputs", "value": 1}}}}, "settings: there is no descent.py to set"),
        ({"settings": {"problems": {"n": {"type": "inputz", "value": 1}}}}, "type 'inputz': did you mean 'inputs'?"),
        (
            {"settings": {"problems": {"n": {"type": "integer", "minimum": "x", "value": 1, "text": "T."}}}},
            "settings: problems.n: this is not a JSON schema: minimum: 'x' is not of type 'number'",
        ),
        ({"files": ("measures", "figure")}, "one/card.yaml: the other stages need a problems.py, or `problems: NAME`"),
        (
            {"files": ("measures", "figure"), "problems": "one_shap"},
            "one/card.yaml: problems: unknown grid 'one_shap': did you mean 'one_shape'?",
        ),
        ({"problems": "shapes"}, "one/card.yaml: problems: there is a problems.py too: leave one of them out"),
        ({"caption": None}, "one/card.yaml: the key 'caption' is missing"),
        ({"columns": None}, "one/card.yaml: the key 'columns' is missing: say what each column of the csv means"),
        ({"files": ("problems", "figure")}, "one/card.yaml: there is no measures.py"),
        ({"relations": [{"above": ["a.b", "c.d"]}]}, "relations.0: unknown key 'above'"),
        ({"relations": [{"below": ["problems.n", "problems.m"]}]}, "relations: there is no setting 'problems.m'"),
        (
            {"relations": [{"same_length": ["problems.n", "problems.own"]}]},
            "relations: same_length cannot compare problems.n with problems.own",
        ),
        ({"like": "other"}, "one/card.yaml: like: there is no experiment 'other'"),
    ],
)
def test_a_wrong_card_is_named_in_one_sentence(folder, changes, sentence):
    folder("one", **changes)
    with pytest.raises(UserError) as caught:
        cards.read("one")
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("attnsvm/experiments/own/one/card.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("svm_ranks", "unknown experiment 'svm_ranks': did you mean 'svm_rank'?"), ("zzz", "known are svm_rank")],
)
def test_an_unknown_experiment_is_answered_with_the_known_ones(folder, name, sentence):
    folder("svm_rank")
    with pytest.raises(UserError, match=sentence.replace("?", r"\?")):
        cards.read(name)


def test_a_figure_of_an_experiment_that_is_not_there_is_refused(folder):
    folder("both", files=("figure",), settings=None, draws=["nowhere"])
    with pytest.raises(UserError, match="draws: there is no experiment 'nowhere'"):
        cards.read("both")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_title_is_one_line_however_a_line_ends(folder, end):
    folder("one", title=f"a title{end}of two", caption=f"One.{end}Two.", optional=f"slow{end}to build")
    card = cards.read("one")
    assert card.title == "a title of two"
    assert card.optional == "slow to build"
    assert card.caption == "One.\nTwo."
