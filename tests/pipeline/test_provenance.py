"""What figures/<name>.json says of the code: its content, its last commit, and whether it was changed since."""

import hashlib
import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from attnsvm.pipeline import provenance

git = pytest.mark.skipif(shutil.which("git") is None, reason="not installed: git")


@pytest.fixture
def repository(tmp_path):
    for name in ("solver.py", "plot.py", "README.md"):
        (tmp_path / name).write_text(f"# {name}\n")
    run(tmp_path, "init", "-q")
    commit(tmp_path, "first")
    return tmp_path


def run(folder, *arguments):
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder, message):
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "-m", message)
    return run(folder, "rev-parse", "HEAD")


@git
def test_unrelated_commits_change_nothing_but_what_is_checked_out(repository):
    files = ["plot.py", "solver.py"]
    before = provenance._code(files, repository)
    (repository / "README.md").write_text("other words\n")
    assert provenance._code(files, repository) == before
    assert before["head"] == before["commit"] == run(repository, "rev-parse", "HEAD")
    made = commit(repository, "words")
    assert before["commit"] != made
    assert provenance._code(files, repository) == before | {"head": made}
    assert before["dirty"] is False


@git
def test_a_change_of_the_code_is_seen_before_and_after_its_commit(repository):
    files = ["plot.py", "solver.py"]
    before = provenance._code(files, repository)
    (repository / "solver.py").write_text("# better\n")
    changed = provenance._code(files, repository)
    assert changed["dirty"] is True
    assert changed["commit"] == before["commit"]
    assert changed["sha256"] != before["sha256"]
    made = commit(repository, "better")
    assert provenance._code(files, repository) == {**changed, "commit": made, "head": made, "dirty": False}


@git
def test_a_repository_around_these_sources_says_nothing_of_them(repository, monkeypatch):
    """A package in somebody's environment, a working copy in somebody's project: with the same names as theirs, too."""
    inside = repository / "environment/site-packages"
    inside.mkdir(parents=True)
    (inside / "solver.py").write_text("# solver.py\n")
    commit(repository, "an environment")
    found = provenance._code(["solver.py"], inside)
    assert (found["commit"], found["head"], found["dirty"]) == (None, None, None)
    assert provenance.git("rev-parse", "HEAD", folder=inside) is None
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))  # as in a hook of theirs
    monkeypatch.setenv("GIT_WORK_TREE", str(inside))
    assert provenance.git("rev-parse", "HEAD", folder=inside) is None
    link = repository.parent / "link"
    link.symlink_to(repository)
    assert provenance.git("rev-parse", "HEAD", folder=link) == provenance.git("rev-parse", "HEAD", folder=repository)


@git
@pytest.mark.parametrize("hidden", ["info/exclude", "assume-unchanged", "skip-worktree"])
def test_code_in_no_commit_is_never_clean_whatever_git_is_told_to_pass_over(hidden, repository):
    if hidden == "info/exclude":
        (repository / ".git/info/exclude").write_text("own.py\n")
    else:
        run(repository, "update-index", f"--{hidden}", "solver.py")
    (repository / ("own.py" if hidden == "info/exclude" else "solver.py")).write_text("# own\n")
    files = [name for name in ("own.py", "plot.py", "solver.py") if (repository / name).exists()]
    found = provenance._code(files, repository)
    assert (found["dirty"], found["commit"]) == (True, run(repository, "rev-parse", "HEAD"))


GPG = """#!/bin/sh
case "$*" in
*--verify*) echo "gpg: Good signature" >&2; echo "[GNUPG:] GOODSIG 0 test" ;;
*) cat > /dev/null; echo "[GNUPG:] SIG_CREATED " >&2
for it in BEGIN "" END; do echo "${it:+-----$it PGP SIGNATURE-----}"; done ;;
esac
"""


@git
def test_a_signature_is_no_commit_and_line_ends_are_no_change(repository):
    """Which git shows where its settings say so."""
    (repository / ".git/gpg").write_text(GPG)
    (repository / ".git/gpg").chmod(0o755)
    for name, value in (("gpg.program", repository / ".git/gpg"), ("log.showSignature", "true")):
        run(repository, "config", name, value)
    run(repository, "commit", "-q", "-S", "--amend", "-m", "signed")
    expected = {"commit": run(repository, "rev-parse", "HEAD")}
    run(repository, "config", "core.autocrlf", "true")
    (repository / "solver.py").write_bytes(b"# solver.py\r\n")
    found = provenance._code(["solver.py"], repository)
    assert (found["commit"], found["dirty"]) == (expected["commit"], False)


@git
def test_a_shallow_clone_does_not_say_which_commit_touched_what(repository):
    (repository / "README.md").write_text("other words\n")
    last = commit(repository, "words")
    run(repository.parent, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    shallow = repository.parent / "shallow"
    found = provenance._code(["solver.py"], shallow)
    assert (found["commit"], found["head"], found["dirty"]) == (None, last, False)
    (shallow / "solver.py").write_text("# better\n")
    assert provenance._code(["solver.py"], shallow)["dirty"] is True
    made = commit(shallow, "better")
    assert provenance._code(["solver.py"], shallow)["commit"] == made


@git
def test_a_lock_and_odd_names_in_the_repository_are_no_matter(repository):
    files = ["plot.py", "solver.py"]
    expected = provenance._code(files, repository)
    (repository / ".git/index.lock").touch()
    (repository / os.fsdecode(b"\xff\n.py")).touch()
    assert provenance._code(files, repository) == expected
    assert (repository / ".git/index.lock").exists()


def test_the_cost_is_of_the_blocks_of_this_run(tmp_path):
    def write(name, seconds):
        path = tmp_path / f"{name}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("0 gone on\n1 took 99.00 s, 99.00 s of a processor\n")  # of a first try
        path.write_text(f"{path.read_text()}2 took {seconds:.2f} s, {2 * seconds:.2f} s of a processor\n")

    own = ["seeds-0-3", "seeds-4-7"]
    for block in ("seeds-0-7", *own):
        write(f"{block}/problems", 1.0)
    write("seeds-0-7/svm", 9.0)  # of a run with another cut
    write("seeds-0-3/svm", 2.0)
    write("seeds-4-7/svm", 3.5)
    assert provenance._cost(tmp_path, "svm", own) == {"wall_s": 5.5, "cpu_s": 11.0, "jobs": 2}
    (tmp_path / "seeds-0-3/descent.log").write_text("")  # from a cache, or of a job that failed
    assert provenance._cost(tmp_path, "descent", own) is None
    write("measures", 0.5)
    assert provenance._cost(tmp_path, "measures", own)["jobs"] == 1
    write("seeds-0-3/measures", 0.25)  # measured where they were trained, and gathered
    write("seeds-4-7/measures", 0.25)
    assert provenance._cost(tmp_path, "measures", own) == {"wall_s": 1.0, "cpu_s": 2.0, "jobs": 3}


def test_the_machine_is_described_without_its_name():
    import platform
    import socket

    said = str(provenance._machine())
    assert provenance._machine()["cores"] == os.cpu_count()
    for name in {socket.gethostname(), platform.node()}:
        assert len(name) < 4 or name not in said


def test_it_says_what_was_typed_when_and_which_files_came_of_it(tmp_path, monkeypatch):
    """Another processor has another BLAS: what `describe` says of it is what NumPy computes with."""
    drawn = [tmp_path / "cone.csv", tmp_path / "cone.pdf"]
    for path in drawn:
        path.write_bytes(path.name.encode())
    monkeypatch.setenv(provenance.COMMAND, provenance.as_typed(["/bin/snakemake", "figures/cone", "a={b: 1}"]))
    found = provenance.describe({}, {}, {}, ["pyproject.toml"], tmp_path, drawn, {})
    assert found["files"] == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in drawn}
    assert found["command"] == "snakemake figures/cone 'a={b: 1}'"
    assert abs(datetime.fromisoformat(found["written"]) - datetime.now(UTC)) < timedelta(minutes=1)
    assert {"openblas", "mkl", "blis", "flexiblas", "accelerate"} & {one["internal_api"] for one in found["blas"]}


def test_libraries_are_named_in_one_order_wherever_they_lie_in_memory(monkeypatch):
    loaded = [{"user_api": "blas", "internal_api": "openblas", "version": version} for version in ("0.3.30", "0.3.31")]
    said = []
    for order in (loaded, loaded[::-1]):
        monkeypatch.setattr("threadpoolctl.threadpool_info", lambda order=order: order)
        said.append(provenance._blas())
    assert said[0] == said[1]
