"""What every workflow script does around its one call."""

import logging
import signal
from contextlib import contextmanager

import pytest

from attnsvm.audit.evaluation import Misread
from attnsvm.pipeline import provenance, run_errors
from attnsvm.pipeline.running.reporting import package_in, reporting
from attnsvm.pipeline.setup.deploy import deploy
from attnsvm.system.errors import UserError
from attnsvm.system.writing import replacing


@contextmanager
def fresh(path):
    """A script's own process has no handlers yet; pytest's stand aside."""
    root, raising = logging.getLogger(), logging.raiseExceptions
    others, root.handlers = root.handlers, []
    try:
        with reporting(str(path)):
            yield
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers, logging.raiseExceptions = others, raising


@pytest.mark.parametrize("name", ["a{experiment}", "a}b", "{"])
def test_a_folder_whose_path_snakemake_would_fill_in_is_refused(name, tmp_path):
    with pytest.raises(SystemExit, match=r"Snakemake takes braces in a path for wildcards: rename the folder$"):
        package_in(tmp_path / name)
    with pytest.raises(UserError, match=r"Snakemake takes braces in a path for wildcards: choose another folder$"):
        deploy(tmp_path / name / "x")


def test_an_error_a_user_can_cause_ends_with_its_sentence_in_the_log_and_on_the_terminal(tmp_path):
    with pytest.raises(SystemExit) as ended, fresh(tmp_path / "log"):
        raise UserError("x: is wrong")
    assert ended.value.code == "error: x: is wrong"
    assert (tmp_path / "log").read_text().endswith("error: x: is wrong\n")


def test_any_other_error_is_loud_and_its_traceback_in_the_log(tmp_path):
    with pytest.raises(KeyError), fresh(tmp_path / "log"):
        {}["missing"]
    text = (tmp_path / "log").read_text()
    assert "unexpected error" in text
    assert "Traceback" in text
    assert "KeyError: 'missing'" in text


def test_a_mistake_in_an_experiment_is_one_sentence_with_its_authors_line(tmp_path, monkeypatch):
    """The last line of the experiment's code that ran, whatever it called; the traceback is in the log."""
    mine = tmp_path / "attnsvm/experiments/own/mine/measures.py"
    mine.parent.mkdir(parents=True)
    mine.write_text("import json\n\n\ndef measures():\n    return json.loads('{')\n")
    monkeypatch.setattr(run_errors, "ROOT", tmp_path)
    monkeypatch.setattr(run_errors, "EXPERIMENTS", (f"{tmp_path}/attnsvm/experiments/",))
    space = {}
    exec(compile(mine.read_text(), str(mine), "exec"), space)
    with pytest.raises(SystemExit) as ended, fresh(tmp_path / "log"):
        space["measures"]()
    place = "error: attnsvm/experiments/own/mine/measures.py, line 5: JSONDecodeError: "
    assert ended.value.code.startswith(place)
    log = (tmp_path / "log").read_text()
    assert place in log
    assert "Traceback" in log


def test_the_line_of_an_error_that_another_was_raised_from_is_named(tmp_path, monkeypatch):
    """A claim that computes: the audit says which one, and the line is that of its function."""
    monkeypatch.setattr(run_errors, "EXPERIMENTS", ("/mine/",))
    text = "def read():\n    try:\n        {}['x']\n    except KeyError as error:\n        return error\n"
    space = {}
    exec(compile(text, "/mine/claims.py", "exec"), space)
    with pytest.raises(SystemExit) as ended, fresh(tmp_path / "log"):
        raise Misread("the claims.py of mine: KeyError: 'x'") from space["read"]()
    assert "mine/claims.py, line 3: Misread: the claims.py of mine: KeyError: 'x'" in ended.value.code


def test_a_package_that_the_environment_lacks_is_named_with_what_to_do(tmp_path):
    """In an environment with Snakemake alone, without --sdm conda."""
    with pytest.raises(SystemExit) as ended, fresh(tmp_path / "log"):
        import nosuchpackage.part  # noqa: F401
    assert "nosuchpackage is not installed: pip install nosuchpackage, or add --sdm conda" in ended.value.code
    with pytest.raises(ModuleNotFoundError), fresh(tmp_path / "log"):
        import attnsvm.nosuchmodule  # noqa: F401


def test_a_log_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(SystemExit) as ended, fresh(tmp_path / "nowhere" / "log"):
        raise AssertionError("not reached")
    assert "cannot be written (No such file or directory)" in ended.value.code


def test_what_is_logged_is_in_the_log(tmp_path):
    with fresh(tmp_path / "log"):
        logging.getLogger("attnsvm").info("half way")
    noted = (tmp_path / "log").read_text()
    assert "half way" in noted
    assert provenance.TOOK.search(noted), "and what it took"


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_what_ends_a_script_leaves_no_stack_and_no_half_a_file(name, status, tmp_path):
    number = getattr(signal, name)
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, fresh(tmp_path / "log"), replacing(tmp_path / "half.csv"):
        signal.raise_signal(number)
    assert ended.value.code == status
    assert (tmp_path / "log").read_text() == ""
    assert signal.getsignal(number) is before
    assert [path.name for path in tmp_path.iterdir()] == ["log"]
