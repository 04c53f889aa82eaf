"""One reader for texts, JSON and YAML: what is no such file, or is too much of one, is a sentence."""

import json
import os
import re

import pytest

from attnsvm.system import untrusted
from attnsvm.system.errors import UserError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_is_no_plain_file_is_named(folder):
    os.mkfifo("pipe")
    os.mkdir("folder")
    os.symlink("/dev/zero", "endless")
    (folder / "latin").write_bytes("é".encode("latin-1"))
    (folder / "lfs").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n")
    for name, sentence in {
        "none": "there is no such file",
        "a\0b": "there is no such file",
        "latin/below": "there is no such file",
        "pipe": "is a device or a pipe, expected a file",
        "endless": "is a device or a pipe, expected a file",
        "folder": "is a folder, expected a file",
        "latin": "cannot be read (it is not UTF-8)",
        "lfs": "is a pointer of git-lfs in the place of the file; fetch the file: git lfs pull",
    }.items():
        for read in (untrusted.text, untrusted.json_file, untrusted.yaml_file):
            with pytest.raises(UserError, match=f"{re.escape(sentence[:25])}|not UTF-8") as caught:
                read(name)
            assert str(caught.value).isprintable()


def test_no_more_is_taken_than_there_is_and_none_beyond_the_limit(folder, monkeypatch):
    (folder / "x").write_bytes(b"12345")
    assert untrusted.content("x", 5) == b"12345"
    assert untrusted.content("x", 2**60) == b"12345"
    assert untrusted.start("x", 2) == b"12"
    with pytest.raises(UserError, match=r"^x: is larger than 4e-06 MB"):
        untrusted.content("x", 4)
    monkeypatch.setattr(untrusted, "YAML", 3)
    with pytest.raises(UserError, match="is larger than"):
        untrusted.yaml_file("x")


def test_a_mark_in_front_is_no_part_of_a_text(folder):
    (folder / "x").write_bytes(b"\xef\xbb\xbf[1]\r\n")
    assert untrusted.json_file("x") == untrusted.yaml_file("x") == [1]


@pytest.mark.parametrize("content", ["{", "", "[1,", "nul", "[" * 10**5, '{"a":' * 10**5, "1" * 10**4])
def test_what_is_no_json_is_a_sentence(content, folder):
    (folder / "x").write_text(content)
    with pytest.raises(UserError, match=r"^x: is not JSON \(.+\)$"):
        untrusted.json_file("x")


def test_aliases_that_repeat_one_another_are_counted_and_not_made(folder):
    """Nine lines stand for a billion words."""
    grown = "\n".join(["a0: &a0 [x, x]", *(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 10))])
    for text in (grown, "a: &a [*a]", "a: &a {b: *a}", "<<: &a {<<: *a}"):
        with pytest.raises(UserError, match=r"its aliases repeat one another|is not YAML|nested too deeply"):
            untrusted.yaml_of(text, "x")
    few = "usual: &usual {steps: 5, rate: 1}\none: {<<: *usual, rate: 2}\ntwo: *usual\n"
    assert untrusted.yaml_of(few, "x") == {
        "usual": {"steps": 5, "rate": 1},
        "one": {"steps": 5, "rate": 2},
        "two": {"steps": 5, "rate": 1},
    }
    merged = "a: &a {x: 1}\nouter: {inner: &b {<<: *a, x: 2}}\nc: {<<: *b, x: 3}\n"
    assert untrusted.yaml_of(merged, "x") == {"a": {"x": 1}, "outer": {"inner": {"x": 2}}, "c": {"x": 3}}


@pytest.mark.parametrize(
    "text",
    ["a: 1\na: 2", "a: {b: 1, c: 2, b: 3}", "- {x: 1}\n- {x: 1, x: 1}", "a: {1: x, 0x1: y}", "a:\n  'b': 1\n  b: 2"],
)
def test_a_key_occurs_once_at_every_level(text):
    with pytest.raises(UserError, match=r"is not YAML \(the key .* occurs twice\)$"):
        untrusted.yaml_of(text, "x")


@pytest.mark.parametrize(
    "text",
    [
        *("a: [", "\tb", "a: 2001-99-99", "a: !!int x", "? [1, 2]\n: x", "? {a: b}\n: x", "!!python/name:os.x ''"),
        *("a: !!binary é", "- " * 3000, "[" * 60_000, "{a: " * 60_000, "? " * 60_000, "[*a," * 60_000),
        *("1" * 200, "a: 0x" + "f" * 200, "a: 1" + ":59" * 99, "!!float " + "1" * 200, f"{'1' * 200}: 2"),
        *("a: &b\nc: *d", "%YAML 9\n---\n", "a: \x1b[2J", "--- a\n--- b\n"),
    ],
)
def test_what_is_no_yaml_is_a_sentence(text):
    with pytest.raises(UserError, match=r"^x(, line \d+)?: this is (not YAML|nested too deeply)") as caught:
        untrusted.yaml_of(text, "x")
    assert str(caught.value).isprintable()


def test_what_is_yaml_is_read_as_the_library_reads_it():
    import yaml

    text = "a: [1, 2.5, true, null, 2001-01-01, ~]\nb: {c: 'x', d: \"\\u00e9\"}\ne: |\n  lines\n  more\n"
    assert untrusted.yaml_of(text, "x") == yaml.safe_load(text) == untrusted.yaml_of(text.encode(), "x")
    assert untrusted.yaml_of("", "x") is None
    deep = "[" * untrusted.DEEPEST + "]" * untrusted.DEEPEST
    assert str(untrusted.yaml_of(f"a: '{'[' * 1000}'\nb: &b {deep[1:-1]}", "x")["b"]) == deep[1:-1]
    assert untrusted.yaml_of(json.dumps({"a": [1, {"b": None}]}), "x") == {"a": [1, {"b": None}]}
