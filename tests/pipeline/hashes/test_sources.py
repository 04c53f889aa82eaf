"""What a source file does and imports, by its bytes, and the memo of it."""

import pytest

from attnsvm.pipeline.hashes import cache, sources
from attnsvm.pipeline.hashes.cache import Memo
from attnsvm.pipeline.hashes.sources import read
from attnsvm.system.errors import UserError

SAME = {"comment": "x = 1  # one\n", "module docstring": '"""Says."""\n\nx = 1\n', "layout": "x = (\n    1\n)\n"}
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
        (b"x = 1\0", r"^broken.py: this is not Python \(source code string cannot contain null bytes\)$"),
        (b"1+" * 3000 + b"1", r"^broken.py: this is nested too deeply for Python$"),
        (b"x = '\xff'\n", r"^broken.py: this is not Python \(not UTF-8 text\)$"),
    ],
)
def test_a_source_that_is_no_python_is_named(tmp_path, content, sentence):
    (tmp_path / "broken.py").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        read(tmp_path, "broken.py")


def test_what_has_the_same_bytes_is_parsed_once(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MEMO", Memo(tmp_path / "memo.json"))
    parse, parsed, digests = sources.ast.parse, [], []
    monkeypatch.setattr(sources.ast, "parse", lambda *given: parsed.append(given) or parse(*given))
    for text in ("x = 1\n", "x = 1\n", "x = 2\n", "x = 1\n"):
        (tmp_path / "a.py").write_text(text)
        digests.append(read(tmp_path, "a.py").digest)
    assert len(parsed) == 2
    assert digests[0] == digests[1] == digests[3] != digests[2]


def test_the_memo_is_that_of_this_version_of_the_module(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 1\n")
    keys = []
    for version in (b"one", b"two"):
        monkeypatch.setattr(sources, "PARSED_BY", version)
        monkeypatch.setattr(cache, "MEMO", Memo(tmp_path / version.decode()))
        read(tmp_path, "a.py")
        keys.append(set(cache.MEMO.known))
    assert len(keys[0]) == len(keys[1]) == 1
    assert keys[0] != keys[1]
