"""What a source file does and imports, by its bytes, and the memo of it."""

import json

import pytest
from harness import run_python

from attnsvm.errors import UserError
from attnsvm.pipeline.hashes import memo, sources
from attnsvm.pipeline.hashes.memo import Memo
from attnsvm.pipeline.hashes.sources import read

SAME = {
    "comment": "x = 1  # one\n",
    "module docstring": '"""Says."""\n\nx = 1\n',
    "layout": "x = (\n    1\n)\n",
}
OTHER = {"value": "x = 2\n", "type": "x = 1.0\n", "name": "y = 1\n", "order": "y = 2\nx = 1\n", "string": 'x = "1"\n'}
OTHER |= {"truth": "x = True\n", "letter": 'x = "a"\n', "capital": 'x = "A"\n', "bytes": 'x = b"a"\n'}


@pytest.fixture
def code_digest(tmp_path):
    """A function: the hash of what a text does."""

    def of(text):
        (tmp_path / "own.py").write_text(text)
        return read(tmp_path, "own.py").digest

    return of


def test_a_comment_a_docstring_or_the_layout_is_no_other_code(code_digest):
    plain = code_digest("x = 1\n")
    assert {what: code_digest(text) == plain for what, text in SAME.items()} == dict.fromkeys(SAME, True)
    assert {what: code_digest(text) == plain for what, text in OTHER.items()} == dict.fromkeys(OTHER, False)
    assert len({code_digest(text) for text in OTHER.values()}) == len(OTHER)


@pytest.mark.parametrize("head", ["def f():", "async def f():", "class C:", "class C:\n  def f(self):"])
def test_a_docstring_inside_is_no_other_code_and_a_string_that_is_used_is(head, code_digest):
    indent = "    "
    bare = code_digest(f"{head}\n{indent}return_ = 1\n")
    assert code_digest(f'{head}\n{indent}"""Says."""\n{indent}return_ = 1\n') == bare
    assert code_digest(f'{head}\n{indent}says = """Says."""\n{indent}return_ = 1\n') != bare


def test_every_import_statement_is_found_with_what_is_used_of_it(tmp_path):
    text = "import os, pack.path as p\nimport pack.own\nfrom . import h\n"
    text += "def f():\n    from ..b.c import d, e as g\n    return g.x(p.y.z[h]).w + pack.own.v\n"
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack/a.py").write_text(text)
    assert sorted(read(tmp_path, "pack/a.py").imports) == [
        ["..b.c.d", "d", []],
        ["..b.c.e", "g", ["x.*"]],
        [".h", "h", ["*"]],
        ["pack", "pack", ["own.v.*"]],
        ["pack.own", "", []],
        ["pack.path", "p", ["y.z.*"]],
    ]


def test_what_only_a_type_checker_imports_is_no_import(tmp_path, code_digest):
    checked = "if TYPE_CHECKING:\n    from a import b\nelse:\n    import a.c\nif READY:\n    import a.d\n"
    (tmp_path / "a.py").write_text(checked)
    found = read(tmp_path, "a.py")
    assert {path for path, _, _ in found.imports} == {"a", "a.c", "a.d"}
    assert found.exports == {"b": "a.b"}
    assert code_digest(checked) == code_digest(checked.replace("from a import b", "import other"))
    assert code_digest(checked) != code_digest(checked.replace("import a.d", "import other"))


@pytest.mark.parametrize(
    ("text", "words", "chooses"),
    [
        ("from importlib import import_module\nimport_module(f'{__name__}.{name}')\n", [], True),
        ("import importlib\nimportlib.import_module('.a' + name, __name__)\n", ["a"], True),
        ("import importlib\nimportlib.import_module('.' + name, 'a')\n", ["a"], False),
        ("import_modules = ['one', 'or two', '.three', 'l1.5']\n", ["one", "three"], False),
    ],
)
def test_what_may_be_imported_by_name_is_known(tmp_path, text, words, chooses):
    (tmp_path / "a.py").write_text(text)
    found = read(tmp_path, "a.py")
    assert (found.words, found.chooses) == (words, chooses)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"x = 1\ndef draw(:\n", r"^broken.py, line 2: this is not Python \(invalid syntax\)$"),
        (b"x = '\xff'\n", r"^broken.py: this is not Python \(not UTF-8 text\)$"),
    ],
)
def test_a_source_that_is_no_python_is_named(tmp_path, content, sentence):
    (tmp_path / "broken.py").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        read(tmp_path, "broken.py")


PROGRAM = """
import sys
from pathlib import Path
from attnsvm.pipeline.hashes import memo, sources
memo.MEMO.path = Path(sys.argv[1])
parse, parsed = sources.ast.parse, []
sources.ast.parse = lambda source: parsed.append(source) or parse(source)
found = sources.read(Path(sys.argv[2]).parent, Path(sys.argv[2]).name)
print(found.digest == sources._digest(parse(Path(sys.argv[2]).read_text())), len(parsed))
"""


@pytest.fixture
def another_run(tmp_path):
    """A function that reads a source in a process of its own: whether the answer is right, and how often it parsed."""
    kept, file = tmp_path / "kept" / "memo.json", tmp_path / "a.py"

    def run(text):
        file.write_text(text)
        right, parsed = run_python(PROGRAM, kept, file).split()
        return right == "True", int(parsed)

    return run, kept


def test_another_run_parses_only_what_has_other_bytes(another_run):
    run, kept = another_run
    assert [run("x = 1\n"), run("x = 1\n"), run("x = 2\n"), run("x = 1\n")] == [(True, n) for n in (1, 0, 1, 0)]
    assert len(json.loads(kept.read_text())) == 2
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


@pytest.mark.parametrize("content", ["", "{", "[1]", "\0"])
def test_a_memo_that_cannot_be_read_is_written_anew(another_run, content):
    run, kept = another_run
    kept.parent.mkdir()
    kept.write_text(content)
    assert [run("x = 1\n"), run("x = 1\n")] == [(True, 1), (True, 0)]


def test_a_memo_that_cannot_be_written_stops_nothing(another_run):
    run, kept = another_run
    kept.parent.write_text("a file where the folder would be")
    assert [run("x = 1\n"), run("x = 1\n")] == [(True, 1), (True, 1)]


def test_the_memo_is_that_of_this_version_of_the_module(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 1\n")
    keys = []
    for version in (b"one", b"two"):
        monkeypatch.setattr(sources, "PARSED_BY", version)
        monkeypatch.setattr(memo, "MEMO", Memo(tmp_path / version.decode()))
        read(tmp_path, "a.py")
        keys.append(set(memo.MEMO.known))
    assert len(keys[0]) == len(keys[1]) == 1
    assert keys[0] != keys[1]
