"""docs/inspect.md names every column with its meaning, and every option."""

import re

from harness import ROOT

from attnsvm.command import main
from attnsvm.inspect.columns import FROBENIUS_ONLY, LIFTED_ONLY, NUCLEAR_ONLY, OF_A_HEAD, OF_A_NORM, columns
from attnsvm.inspect.families import ENCODERS, LAYOUTS, OUTSIDE, SEVERAL
from attnsvm.inspect.reasons import COLUMNS

PAGE = (ROOT / "docs/inspect.md").read_text("utf-8")


def test_every_column_is_documented_in_the_words_of_the_package():
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| ([^|]*) \|$", PAGE, re.MULTILINE)
    said = {tuple(re.findall(r"`(\w+)`", names)): meaning for names, meaning in rows}
    assert said == {
        **{(name,): meaning for name, meaning in OF_A_HEAD.items()},
        **{(f"{name}_fro", f"{name}_nuc"): meaning for name, meaning in OF_A_NORM.items()},
        **{(f"{name}_fro",): meaning for name, meaning in (FROBENIUS_ONLY | LIFTED_ONLY).items()},
        **{(f"{name}_nuc",): meaning for name, meaning in NUCLEAR_ONLY.items()},
        **{(name,): meaning for name, meaning in COLUMNS.items()},
    }
    named = {name for names in said for name in names}
    assert named == set(columns(("fro", "nuc"))) | set(columns(["fro"], True)) | set(COLUMNS)


def test_every_kind_of_model_is_named():
    named = set(re.findall(r"`([\w-]+)`", PAGE))
    assert {*ENCODERS, *LAYOUTS, *SEVERAL, *OUTSIDE} <= named


def test_every_option_that_the_page_names_exists(capsys):
    helped = ""
    for name in ("inspect", "why", "solve", "verify"):
        try:
            main([name, "--help"])
        except SystemExit:
            helped += capsys.readouterr().out
    named = set(re.findall(r"(--[a-z][a-z-]*)", re.sub(r"`pip [^`]*`", "", PAGE)))
    assert {"--texts", "--query", "--tokens"} <= named
    assert all(option in helped for option in named)
