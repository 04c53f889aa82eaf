"""Forged answers are refused, each with its reason, and the honest ones that they were made from are not."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from test_second_judge import FILE, JUDGE

from attnsvm import command, geometry
from attnsvm.errors import UserError
from attnsvm.svm import certificate

FOLDER = Path(__file__).parent / "fakes"
FAKES = json.loads((FOLDER / "fakes.json").read_text())
HONEST = sorted({fake["honest"] for fake in FAKES})


@pytest.mark.parametrize("fake", FAKES, ids=[fake["file"][5:-4] for fake in FAKES])
def test_a_forged_answer_is_refused_with_its_reason(fake):
    with pytest.raises((UserError, ValueError)) as refused:
        certificate.verify(FOLDER / fake["file"])
    said = str(refused.value)
    assert fake["reason"] in said
    assert "\n" not in said


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_is_accepted(name):
    assert ": verified" in certificate.verify(FOLDER / name)


def test_the_command_refuses_all_of_them_at_once(capsys):
    assert command.main(["verify", *(str(FOLDER / fake["file"]) for fake in FAKES)]) == 1
    assert ": verified" not in capsys.readouterr().out


def test_every_norm_and_many_kinds_are_forged():
    assert len(FAKES) >= 40
    assert len({fake["kind"] for fake in FAKES}) >= 15
    assert {*geometry.NAMES, "l1.75", "l3"} <= {fake["norm"] for fake in FAKES}
    assert {path.name for path in FOLDER.glob("fake-*.npz")} == {fake["file"] for fake in FAKES}
    assert max(Counter(fake["file"] for fake in FAKES).values()) == 1


def second(path):
    """Whether the second judge accepts."""
    try:
        JUDGE.judge(path)
    except Exception:  # whatever a broken file raises, it proves nothing
        return False
    return True


def test_the_second_judge_decides_the_same():
    """But where numbers prove something, though not in the form of an answer, or not what an answer should."""
    for fake in FAKES:
        assert not second(FOLDER / fake["file"]) or fake["false"].startswith("true, but"), fake
    for name in HONEST:
        assert second(FOLDER / name), name


def test_the_second_judge_refuses_in_a_process_of_its_own():
    for name, accepted in ((FAKES[0]["file"], False), (HONEST[0], True)):
        done = subprocess.run([sys.executable, FILE, FOLDER / name], capture_output=True, text=True, timeout=120)
        assert "Traceback" not in done.stderr
        assert (done.returncode == 0) is accepted
