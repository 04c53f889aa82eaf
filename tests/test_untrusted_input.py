"""Some thousand changed files, of every format that a command reads: each is answered, or refused in one line.

Answered: status 0, and what is written is whole. Refused: status 1, one line, and nothing is left. No stack, no process
that does not end, nothing in any other place, and no more memory than a limit, which a process of its own has.
"""

import io
import json
import os
import resource
import select
import shutil
import signal
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mutators import (
    bytes_changed,
    header_changed,
    lines_changed,
    members_changed,
    numbers_changed,
    values_changed,
    zip_changed,
)
from safetensors.torch import load_file
from small_gguf import small, written
from small_models import TEXTS, bert

from attnsvm import command
from attnsvm.inspect import tokens
from attnsvm.inspect.reasons import COLUMNS
from attnsvm.pipeline import command_line, job_records
from attnsvm.pipeline.configuration import resolve
from attnsvm.pipeline.plan import Plan
from attnsvm.publish.exchange import reference
from attnsvm.system import store
from attnsvm.system.checksums import keep_no_checksums
from attnsvm.system.errors import UserError
from attnsvm.system.untrusted import yaml_file

SECONDS, MEMORY = 60, 2**30  # of one changed file
TOKENIZER = 5  # seconds
ANSWERED, REFUSED = 0, 1
PROFILE = ["profile", "out/p", "--cores", "4", "--times", "times.json"]
COMPARE = ["compare", "build", "--reference", "reference.zip"]
WHY = ["why", "model", "--texts", "texts.txt", "--inputs", "3", "--out", "out/why.csv"]

GGUF = ["why", "model.gguf", "--texts", "letters.txt", "--inputs", "3", "--out", "out/why.csv"]


def arrays(rng):
    tokens = rng.normal(size=(4, 4, 3))
    return {"tokens": tokens, "queries": rng.normal(size=(4, 3)), "selected": rng.integers(4, size=4)}


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Good files of every format."""
    folder, rng = tmp_path_factory.mktemp("good"), np.random.default_rng(0)
    (folder / "texts.txt").write_text("\n".join(TEXTS[:3]))
    (folder / "letters.txt").write_text("the he a\nab c the\nthe he\nhe the b\n")
    np.savez(folder / "problem.npz", **arrays(rng))
    assert (
        command.main(["solve", str(folder / "problem.npz"), "--norm", "l1", "--out", str(folder / "answer.npz")]) == 0
    )
    np.savez(folder / "heads.npz", tokens=rng.normal(size=(6, 4, 3)), queries=rng.normal(size=(6, 3)), W=np.eye(3))
    model = bert(folder / "model", layers=1)
    index = dict.fromkeys(load_file(model / "model.safetensors"), "model.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    written(folder / "model.gguf", small("llama"))
    shutil.copy(Path(command.__file__).parents[1] / "profiles/times.json", folder / "times.json")
    shutil.copy(reference.SHIPPED, folder / "reference.zip")
    (folder / "build/figures").mkdir(parents=True)
    reference.read().table("one_norm").to_csv(folder / "build/figures/one_norm.csv", index=False)
    settings = {"experiments": reference.read().figures["one_norm"].experiments}
    made = Plan(resolve(settings), {}).made("figures/one_norm.csv")
    job_records.note([str(folder / "build/figures/one_norm.csv")], made, {})
    (folder / "build/figures/one_norm.json").write_text(json.dumps({"config": settings}))
    text = "figures: {dpi: 72, width: 6.0}\nexperiments:\n  cone: &x {descent: {steps: 10}}\nscale: smoke\n"
    (folder / "config.yaml").write_text(text)
    table = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": [True, False]})
    store.save_table(folder / "table.parquet", table)
    store.save_csv(folder / "table.csv", table)
    store.save_cells(folder / "cells.npz", {"cell": {"x": np.arange(3.0), "in": {"y": np.eye(2)}}})
    for path in folder.glob(".*.sha256"):
        path.unlink()
    return folder


def called(arguments):
    """A command, and whether what it printed and wrote is as it must be."""

    def run():
        out, err = io.StringIO(), io.StringIO()
        if arguments[0] == "compare":  # whoever changes a figure can write its checksum
            keep_no_checksums()
        with redirect_stdout(out), redirect_stderr(err):
            status = command.main(arguments)
        lines = out.getvalue().splitlines()
        said = [line for line in err.getvalue().replace("\r", "\n").splitlines() if line.startswith("error: ")]
        assert all(line.isprintable() for line in (*lines, *said)), (lines, said)
        assert "Traceback" not in err.getvalue(), err.getvalue()
        if arguments[0] in ("verify", "compare"):
            assert status in (ANSWERED, REFUSED), status
            assert len(said) == (status == REFUSED and not lines), said
        else:
            assert (status, len(said)) in ((ANSWERED, 0), (REFUSED, 1)), (status, err.getvalue())
            assert "error: " not in said, "a sentence of no words"
        return status

    return run


def asked(function):
    """A function of the library: a value, or an error in one line."""

    def run():
        said = "a value"
        try:
            function()
        except UserError as error:
            said = str(error)
        assert said
        assert said.isprintable(), said
        return ANSWERED if said == "a value" else REFUSED

    return run


def whole_table():
    """What a command that was answered has written."""
    if Path("out/why.csv").exists():
        found = pd.read_csv("out/why.csv")
        assert len(found) > 0
        assert list(found.columns) == list(COLUMNS)


def configured():
    command_line.check(["--configfile", "config.yaml"])
    given = yaml_file("config.yaml")
    resolve(given or {})


# {name: (the file that is changed, how, how often, what is done with it)}
KINDS = {
    "problem": ("problem.npz", (bytes_changed, members_changed), 240, ["solve", "problem.npz", "--out", "out/a.npz"]),
    "answer": ("answer.npz", (bytes_changed, members_changed), 300, ["verify", "answer.npz"]),
    "tokens of an answer": ("problem.npz", (bytes_changed, members_changed), 200, ["verify", "answer.npz"]),
    "exported": ("answer.npz", (members_changed,), 100, ["export", "answer.npz", "--vipr", "out/a.vipr"]),
    "heads": ("heads.npz", (bytes_changed, members_changed), 160, ["why", "heads.npz", "--out", "out/why.csv"]),
    "weights": ("model/model.safetensors", (bytes_changed, header_changed, numbers_changed), 150, WHY),
    "config": ("model/config.json", (values_changed, values_changed, bytes_changed), 200, WHY),
    "index": ("model.safetensors.index.json", (values_changed, bytes_changed), 80, WHY),
    "tokenizer": ("model/tokenizer.json", (values_changed, values_changed, bytes_changed), 160, WHY),
    "gguf": ("model.gguf", (numbers_changed, numbers_changed, bytes_changed), 250, GGUF),
    "texts": ("texts.txt", (lines_changed, bytes_changed), 60, WHY),
    "times": ("times.json", (values_changed, bytes_changed), 60, PROFILE),
    "reference": ("reference.zip", (zip_changed, bytes_changed), 40, COMPARE),
    "figure": ("build/figures/one_norm.csv", (lines_changed, bytes_changed), 40, ["compare", "build"]),
    "provenance": ("build/figures/one_norm.json", (values_changed,), 40, ["compare", "build"]),
    "yaml": ("config.yaml", (lines_changed, bytes_changed), 200, configured),
    "table": ("table.parquet", (bytes_changed, numbers_changed), 100, lambda: store.load_table("table.parquet")),
    "csv": ("table.csv", (lines_changed, bytes_changed), 100, lambda: store.load_csv("table.csv")),
    "cells": ("cells.npz", (members_changed, bytes_changed), 100, lambda: store.load_cells("cells.npz")),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_answered_or_refused_in_one_line(kind, good, tmp_path):
    place, changes, count, what = KINDS[kind]
    run = asked(what) if callable(what) else called(what)
    work = shutil.copytree(good, tmp_path / "work")
    if kind == "index":
        shutil.move(work / place, work / "model" / place)
        place = f"model/{place}"
        (work / "model/model.safetensors").rename(work / "model/part.safetensors")
        path = work / place
        path.write_text(path.read_text().replace("model.safetensors", "part.safetensors"))
    if kind == "times":
        (work / "profiles/slurm").mkdir(parents=True)
        shutil.copy(Path(command.__file__).parents[1] / "profiles/slurm/config.yaml", work / "profiles/slurm")
    (work / "tmp").mkdir()
    content, outcomes = (work / place).read_bytes(), {ANSWERED: 0, REFUSED: 0}

    def each(answers):
        os.chdir(work)
        for number in range(count):
            rng = np.random.default_rng([number, len(kind)])
            shutil.rmtree("out", ignore_errors=True)
            os.mkdir("out")
            before = listing(work)
            try:
                if number:  # the first time it is the good one
                    Path(place).write_bytes(changes[number % len(changes)](rng, content))
                status = run()
                after = [path for path in listing(work) if path not in before]
                assert status == ANSWERED or not after, after
                assert all(path.startswith("out/") for path in after), after
                if status == ANSWERED:
                    whole_table()
                said = str(status)
            except BaseException:
                said = json.dumps(traceback.format_exc()[-3000:])
            answers.write(f"{said}\n")
            answers.flush()
            if not said.isdigit():
                return

    with in_a_process(each, work / "tmp") as answers:
        for number in range(count):
            assert select.select([answers], [], [], SECONDS)[0], f"{kind} {number} does not end"
            said = answers.readline().strip()
            assert said.isdigit(), f"{kind} {number}: {json.loads(said) if said else 'ended without a word'}"
            assert number or int(said) == ANSWERED
            outcomes[int(said)] += 1
    assert not list((work / "tmp").iterdir())
    assert outcomes[REFUSED] > count / 10, outcomes


def listing(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


class in_a_process:
    """What a function writes in a process with limits; the process is ended when nobody reads any longer."""

    def __init__(self, function, temporary):
        self.function, self.temporary = function, temporary

    def __enter__(self):
        read, write = os.pipe()
        self.process = os.fork()
        if not self.process:
            os.setsid()
            os.close(read)
            with suppress(BaseException):
                os.environ["TMPDIR"], sys.stdin = str(self.temporary), None
                __import__("tempfile").tempdir = None
                limited(MEMORY)
                tokens.elsewhere = beside
                quiet = os.open(os.devnull, os.O_WRONLY)  # what libraries print by themselves
                os.dup2(quiet, 1)
                os.dup2(quiet, 2)
                with open(write, "w") as answers:
                    self.function(answers)
            os._exit(0)
        os.close(write)
        self.answers = open(read)
        return self.answers

    def __exit__(self, *_):
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        self.answers.close()


def limited(memory):
    used = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
    resource.setrlimit(resource.RLIMIT_DATA, (used + memory, resource.RLIM_INFINITY))


def beside(request):
    """`tokens.elsewhere` by a fork: the same bounds, without the seconds that starting takes."""
    read, write = os.pipe()
    if not (child := os.fork()):
        with suppress(BaseException):
            signal.alarm(TOKENIZER)
            limited(MEMORY // 2)
            try:
                found = tokens.answer(request)
            except UserError as error:
                found = {"error": str(error)}
            with open(write, "w") as answers:
                json.dump(found, answers)
        os._exit(0)
    os.close(write)
    with open(read) as answers:
        said = answers.read()
    _, status = os.waitpid(child, 0)
    if not said:
        raise UserError(f"its tokenizer cannot be used: {status}")
    found = json.loads(said)
    if "error" in found:
        raise UserError(found["error"])
    return found
