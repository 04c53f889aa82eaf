"""Answers that outlive a process, by the bytes they follow from."""

import json

import pytest
from harness import ROOT, run_python

from attnsvm.pipeline import configuration
from attnsvm.pipeline.hashes import cache
from attnsvm.pipeline.hashes.cache import Memo
from attnsvm.system.errors import UserError


@pytest.fixture
def fresh(tmp_path):
    """A function that opens the same memo as another process would."""
    opened = []

    def open_it():
        for one in opened:
            one._write()
        opened.append(Memo(tmp_path / "memo.json"))
        return opened[-1]

    return open_it


def test_contents_in_another_order_or_cut_elsewhere_have_another_key():
    keys = {
        cache.key_of(*parts) for parts in ((b"ab", b"c"), (b"a", b"bc"), (b"c", b"ab"), (b"abc",), (b"ab", b"c", b""))
    }
    assert len(keys) == 5


def test_an_answer_is_worked_out_once(fresh):
    asked = []
    for _ in range(3):
        assert fresh().recall("key", lambda: asked.append(1) or {"a": [1, 2.0, None]}) == {"a": [1, 2.0, None]}
    assert len(asked) == 1


@pytest.mark.parametrize("answer", [{1: "a number for a key"}, (1, 2), {"a set"}, float("nan"), {"deep": [(1,)]}])
def test_an_answer_that_json_would_change_is_not_remembered(fresh, answer):
    asked = []
    for _ in range(2):
        assert fresh().recall("key", lambda: asked.append(1) or answer) is answer
    assert len(asked) == 2


def test_an_error_is_not_remembered(fresh):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            fresh().recall("key", lambda: 1 / 0)


@pytest.mark.parametrize("content", ["", "{", "[1]", "\0", "[" * 60_000])
def test_a_memo_that_cannot_be_read_is_written_anew(fresh, tmp_path, content):
    (tmp_path / "memo.json").write_text(content)
    assert [fresh().recall("key", lambda: 1), fresh().recall("key", lambda: 2)] == [1, 1]


@pytest.mark.parametrize(
    "other", [1, None, [], "", "2", "\ud800" * 99, lambda kept: kept[:-1], lambda kept: f"{kept} "]
)
def test_an_answer_of_another_kind_or_key_is_worked_out_again(fresh, other):
    memo = fresh()
    assert memo.recall("key", lambda: [1]) == [1]
    memo.known["key"] = other(memo.known["key"]) if callable(other) else other
    memo.known["other"] = memo.known["key"]
    asked = []
    assert fresh().recall("key", lambda: asked.append(1) or [1]) == [1]
    assert fresh().recall("other", lambda: asked.append(1) or [2]) == [2]
    assert len(asked) == 2


def test_a_memo_that_cannot_be_written_stops_nothing(tmp_path):
    (tmp_path / "file").touch()
    kept = Memo(tmp_path / "file/memo.json")
    assert kept.recall("key", lambda: 1) == 1
    kept._write()


def test_the_newest_answers_are_kept(fresh, monkeypatch):
    monkeypatch.setattr(cache, "MOST", 3)
    for k in range(5):
        fresh().recall(str(k), lambda: 0)
    assert list(fresh().known) == ["2", "3", "4"]


CHECKS = """
import sys
from pathlib import Path
from attnsvm.pipeline import cards
from attnsvm.pipeline.hashes import cache
cache.MEMO.path, cards.FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
check, checked = cards.first_error, []
cards.first_error = lambda *given: checked.append(1) or check(*given)
print(len(cards.read("cone").settings), bool(checked))
"""


def test_a_card_is_checked_again_only_when_its_bytes_are_others(tmp_path):
    folder, kept = tmp_path / "experiments", tmp_path / "memo.json"
    (folder / "own/cone").mkdir(parents=True)
    card = (ROOT / "attnsvm/experiments/own/cone/card.yaml").read_text("utf-8")
    for part in ("problems", "descent", "svm", "measures", "figure"):
        (folder / "own/cone" / f"{part}.py").touch()
    answers = []
    for text in (card, card, f"{card}# a remark\n", card):
        (folder / "own/cone/card.yaml").write_text(text, "utf-8")
        answers.append(run_python(CHECKS, kept, folder).split())
    assert answers == [["4", "True"], ["4", "False"], ["4", "True"], ["4", "False"]]
    assert all(answer[64] == "{" for answer in json.loads(kept.read_text()).values())


def test_a_configuration_is_checked_again_only_when_it_or_the_cards_are_others(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MEMO", Memo(tmp_path / "memo.json"))
    checked, check = [], configuration.first_error
    monkeypatch.setattr(configuration, "first_error", lambda *given: checked.append(1) or check(*given))
    counts = []
    for given in ({}, {}, {"figures": {"dpi": 72}}, {"figures": {"dpi": 73}}, {"figures": {"dpi": 72}}):
        configuration.resolve(given)
        counts.append(len(checked))
    assert counts == [1, 1, 2, 3, 3]
    for _ in range(2):
        with pytest.raises(UserError, match=r"figures\.dpi: 'many' is not of type"):
            configuration.resolve({"figures": {"dpi": "many"}})
    settings = configuration.figure_settings()
    stricter = settings | {"dpi": settings["dpi"] | {"maximum": 70}}
    monkeypatch.setattr(configuration, "figure_settings", lambda: stricter)
    with pytest.raises(UserError, match=r"figures\.dpi: 72 is too large"):
        configuration.resolve({"figures": {"dpi": 72}})
