"""Forged answers are refused, each with its reason, and the honest ones that they were made from are not."""

import json
import subprocess
import sys
import zipfile
from collections import Counter

import forgeries
import pytest
from test_second_judge import FILE, JUDGE

from attnsvm import command, geometry
from attnsvm.svm import certificate
from attnsvm.system.errors import UserError

with zipfile.ZipFile(forgeries.ARCHIVE) as archive:
    FAKES = json.loads(archive.read("fakes.json"))
    MADE = {name for name in archive.namelist() if name.startswith("fake-")}
HONEST = sorted({fake["honest"] for fake in FAKES})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return forgeries.unpacked(tmp_path_factory.mktemp("forgeries"))


@pytest.mark.parametrize("fake", FAKES, ids=[fake["file"][5:-4] for fake in FAKES])
def test_a_forged_answer_is_refused_with_its_reason(fake, folder):
    with pytest.raises((UserError, ValueError)) as refused:
        certificate.verify(folder / fake["file"])
    said = str(refused.value)
    assert fake["reason"] in said
    assert "\n" not in said


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_is_accepted(name, folder):
    assert ": verified" in certificate.verify(folder / name)


def test_the_command_refuses_all_of_them_at_once(capsys, folder):
    assert command.main(["verify", *(str(folder / fake["file"]) for fake in FAKES)]) == 1
    assert ": verified" not in capsys.readouterr().out


def test_every_norm_and_many_kinds_are_forged():
    assert len(FAKES) >= 40
    assert len({fake["kind"] for fake in FAKES}) >= 15
    assert {*geometry.NAMES, "l1.75", "l3"} <= {fake["norm"] for fake in FAKES}
    assert {fake["file"] for fake in FAKES} == MADE
    assert max(Counter(fake["file"] for fake in FAKES).values()) == 1


def second(path):
    """Whether the second judge accepts."""
    try:
        JUDGE.judge(path)
    except Exception:  # whatever a broken file raises, it proves nothing
        return False
    return True


def test_the_second_judge_decides_the_same(folder):
    """But where numbers prove something, though not in the form of an answer, or not what an answer should."""
    for fake in FAKES:
        assert not second(folder / fake["file"]) or fake["false"].startswith("true, but"), fake
    for name in HONEST:
        assert second(folder / name), name


def test_the_second_judge_refuses_in_a_process_of_its_own(folder):
    for name, accepted in ((FAKES[0]["file"], False), (HONEST[0], True)):
        done = subprocess.run([sys.executable, FILE, folder / name], capture_output=True, text=True, timeout=120)
        assert "Traceback" not in done.stderr
        assert (done.returncode == 0) is accepted
