"""A new experiment, from `make experiment` to its row in the audit, in a clone, and as docs/experiment.md goes on."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from harness import BUILT, ROOT, as_typed, build, dry, edited, jobs, scheduled, snakemake

from attnsvm.pipeline import cards
from attnsvm.pipeline.setup.scaffold import RESERVED, scaffold
from attnsvm.system.errors import UserError

PAGE = (ROOT / "docs/experiment.md").read_text()
FILES = dict(re.findall(r"^```(?:python|yaml)\n# (experiments/\S+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) for line in block.splitlines()
]
SENTENCE = re.search(r"^```\n(config: .*?)\n```", PAGE, re.MULTILINE)[1]
REST = (
    *(
        "Makefile",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "CITATION.cff",
        "codemeta.json",
        "codecheck.yml",
        "LICENSE",
        "Dockerfile",
    ),
    *("docs", "figures", "tests", "benchmarks", ".ci", ".github", ".gitignore"),
    *("pyproject.toml", "uv.lock", "requirements.lock", "requirements-all.lock", "requirements-cuda.lock"),
)


@pytest.fixture(scope="module")
def house(everything, tmp_path_factory):
    """A clone, finished at smoke scale, with everything that the commands of the page touch."""
    folder = tmp_path_factory.mktemp("house") / "attnsvm"
    shutil.copytree(everything, folder)
    for name in REST:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.pdf", "*.pyc"))
        else:
            shutil.copy2(source, folder / name)
    commands = folder / ".venv/bin"  # as `make` would have made it
    commands.mkdir(parents=True)
    for name in ("attnsvm", "python", "snakemake"):
        (commands / name).write_text(f"#!/bin/sh\nexec '{Path(sys.executable).parent / name}' \"$@\"\n")
        (commands / name).chmod(0o755)
    lists = "$(cat requirements.lock requirements-all.lock requirements-cuda.lock | cksum) requirements-all.lock cpu"
    lists = f'echo "{lists} $(cksum < pyproject.toml)" > .venv/.installed'
    subprocess.run(lists, shell=True, cwd=folder, check=True)
    return folder


def typed(folder, command):
    """A command of the page as it is typed; Snakemake on two cores."""
    if command.startswith("snakemake "):
        return as_typed(folder, *shlex.split(command)[1:], "--cores", "2")
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of `make test`
    environment = {**outside, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def changed(house):
    """The files that are not what they were copied from, or that are new."""
    for top in ("README.md", "attnsvm", "config", "experiments", "docs", "figures", "profiles", "tests", "workflow"):
        for path in (house / top).rglob("*") if (house / top).is_dir() else [house / top]:
            name = str(path.relative_to(house))
            if path.is_file() and "__pycache__" not in name and not name.endswith(".pdf"):
                before = ROOT / name
                if not before.exists() or before.read_bytes() != path.read_bytes():
                    yield name


def passes(house, *names):
    """The tests that see a new experiment: in the copy, as they are."""
    whole = ("audit/test_figure.py", "audit/test_pages.py", "pipeline/test_named_targets.py", "project/test_docs.py")
    own = ("audit/test_claims.py", "experiments/test_every_experiment.py", "project/test_layers.py")
    pytest = "python -m pytest -p no:cacheprovider -m 'not chain and not slow'"
    for paths, chosen in (
        (whole, "not python_block and not more_claims_than"),
        (own, " or ".join(["test_layers", *names])),
    ):
        run = typed(house, f"{pytest} -vv -k '{chosen}' {' '.join(f'tests/{path}' for path in paths)}")
        assert run.returncode == 0, run.stdout
    for name in names:
        for test in ("every_condition_can_fail", "renamed_column_is_an_error"):
            assert re.search(rf"{test}\w*\[{name}[\w-]*\] PASSED", run.stdout), (test, name)


def test_make_experiment_gives_one_that_builds_as_it_is_and_nothing_else_does(house):
    run = typed(house, "make experiment NAME=my_conjecture")
    assert run.returncode == 0, run.stdout
    assert "snakemake figures/my_conjecture" in run.stdout
    own = {path.name for path in (house / "experiments/my_conjecture").iterdir()}
    assert own == {"card.yaml", *(f"{part}.py" for part in ("descent", "svm", "measures", "figure", "claims"))}
    every = ("problems", "descent", "svm", "measures", "figure", "provenance")
    assert scheduled(dry(house, "figures/all")) == {(rule, "my_conjecture") for rule in every}
    build(house, "figures/my_conjecture")
    table = pd.read_csv(house / BUILT / "figures/my_conjecture.csv")
    assert len(table) == 2
    found = json.loads((house / BUILT / "figures/my_conjecture.json").read_text())
    assert found["experiments"]["my_conjecture"]["svm_certificates"]["uncertified"] == 0
    path = "experiments/my_conjecture/descent.py"
    noisy = re.search(rf"^# {path}, [^\n]*\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[1]
    with edited(house, {path: lambda text: f"import numpy as np\n{text.partition('def descent(')[0]}{noisy}"}):
        build(house, "figures/my_conjecture")
        assert (pd.read_csv(house / BUILT / "figures/my_conjecture.csv").value != table.value).all()


def test_the_page_names_every_file_of_its_experiment():
    assert {Path(name).name for name in FILES} == {
        "card.yaml",
        *(f"{part}.py" for part in ("problems", "descent", "measures", "figure", "claims")),
    }
    assert [line for line in COMMANDS if line.startswith("make experiment")] == ["make experiment NAME=shared_query"]


def test_the_commands_and_the_code_of_the_page_do_what_it_says(house):
    first = COMMANDS.index("snakemake figures/shared_query --config scale=smoke") + 1
    for command in COMMANDS[:first]:
        run = typed(house, command)
        assert run.returncode == 0, run.stdout
    for name, text in FILES.items():
        made = (house / name).exists()
        assert made != name.endswith("/problems.py"), "the page fills in what make experiment made, and adds a grid"
        (house / name).write_text(text)
    every = ("problems", "descent", "svm", "measures", "figure", "provenance")
    assert COMMANDS[first] == "snakemake -n figures/shared_query --config scale=smoke"
    planned = typed(house, COMMANDS[first])
    assert planned.returncode == 0, planned.stdout
    assert scheduled(planned) == {(rule, "shared_query") for rule in every}
    for command in COMMANDS[first + 1 :]:
        run = typed(house, command)
        if "{step: 10}" in command:
            assert run.returncode != 0
            assert SENTENCE in run.stdout
        else:
            assert run.returncode == 0, f"{command}\n{run.stdout}"
    table = pd.read_csv(house / BUILT / "figures/shared_query.csv")
    assert set(table.queries) == {"own", "shared"}
    assert [*pd.read_csv(house / BUILT / "results/audit/shared_query.csv")["key"]] == ["shared_query"]
    build(house, "figures/my_conjecture", "audit")
    claims = pd.read_csv(house / BUILT / "results/audit/claims.csv").set_index("key")
    for name in ("shared_query", "my_conjecture"):
        assert claims.loc[name, "figure"] == name
        assert claims.loc[name, "verdict"] in ("holds", "holds in part", "undecided", "fails")
        assert name in (house / "figures/README.md").read_text()
    touched = {path for path in changed(house) if not path.startswith("experiments/")}
    assert touched == {"figures/README.md"}
    lines = iter((house / "figures/README.md").read_text().splitlines())
    for line in (ROOT / "figures/README.md").read_text().splitlines():
        assert line in lines, f"a line is gone: {line}"
    passes(house, "shared_query", "my_conjecture")  # that of the page, and one that nobody has touched


def test_the_report_has_the_new_figure_with_its_caption(house):
    if not (house / BUILT / "figures/my_conjecture.png").exists():
        build(house, "figures/all", "audit")
    build(house, "report")
    build(house, "report", "--report", "report.html")
    text = (house / "report.html").read_text()
    assert "my_conjecture" in text
    assert "Our own questions" in text


def test_a_wrong_card_of_a_new_experiment_is_named_before_anything_runs(house):
    path = "experiments/my_conjecture/card.yaml"
    for old, new, sentence in (
        ("title:", "titel:", f"{path}: unknown key 'titel': did you mean 'title'?"),
        ("type: steps, value: 2000", "type: steps, value: 0", f"{path}: settings: descent.steps: value: 0 is"),
    ):
        assert old in (house / path).read_text()
        with edited(house, {path: lambda text, old=old, new=new: text.replace(old, new, 1)}):
            run = snakemake(house, "-n", "figures/all")
        assert run.returncode != 0
        assert sentence in run.stdout
        assert not jobs(run)


def test_impossible_and_taken_names_end_with_one_sentence_each(house):
    names = [
        "",
        "x",
        "My_conjecture",
        "1st",
        "a-b",
        "a b",
        "../up",
        "class",
        "é",
        "x" * 41,
        "elsewhere",
        *RESERVED,
        "svm_rank",
    ]
    asked = "import sys; from attnsvm.command import main; "
    asked += "sys.exit(any(not main(['experiment', '--', name]) for name in sys.argv[1:]))"
    run = typed(house, shlex.join(["python", "-c", asked, *names]))
    assert run.returncode == 0, run.stdout
    assert [line.startswith("error: ") for line in run.stdout.splitlines()] == [True] * len(names)


@pytest.mark.parametrize("name", ["", "a b", "é", "svm_rank"])
def test_make_hands_a_name_on_as_it_is(house, name):
    run = typed(house, f"make -s experiment NAME='{name}'")
    assert run.returncode != 0
    errors = [line for line in run.stdout.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert "Traceback" not in run.stdout


def test_the_sentence_says_what_is_wrong(tmp_path):
    folder = tmp_path / "experiments"
    assert scaffold("mine", folder) == folder / "mine"
    for name, sentence in (
        ("mine", "experiments/mine already exists: choose another name"),
        ("svm_rank", "attnsvm/experiments/paper/svm_rank already exists: choose another name"),
        ("all", "'all' means something else here"),
        ("Mine", "'Mine' cannot name an experiment: take 2 to 40 lower-case letters"),
    ):
        with pytest.raises(UserError, match=re.escape(sentence)):
            scaffold(name, folder)


def test_the_template_is_no_experiment_of_ours():
    assert not [name for name in cards.names() if name in ("NAME", "template")]
