"""A reader of exported Lean files, with the checks that LPVerify/Bool.lean of leanprover/lp-verify defines."""

import re
from fractions import Fraction

from vipr_reader import combined, inner

STATEMENT = re.compile(
    r"def (\w+) : Problem (\d+) (\d+) :=\n  \{ c := Vector.replicate \3 0, a := #\[(.*)\]\n"
    r"    rowBounds := #v\[(.*)\], colBounds := Vector.replicate \3 \(none, none\) \}\n"
    r"def \1Proof : Certificate \2 \3 :=\n  \{ primal := (?:none|some #v\[(.*)\]), ray := none\n"
    r"    dual := some \{ rowLower := #v\[(.*)\]\n +rowUpper := #v\[(.*)\]\n"
    r" +colLower := Vector.replicate \3 0, colUpper := Vector.replicate \3 0 \} \}\n"
    r"#eval match verifyOutcome \{\} none \1\n    \{ status := \.(\w+), .*\n  \| \.\9 .* => \"(.*)\"\n.*rejected\"\n"
)


def numbers(text):
    return [Fraction(one) for one in text.split(", ")] if text else []


def bound(text):
    return None if text == "none" else Fraction(text.removeprefix("some (").removesuffix(")"))


def check(path) -> dict[str, str]:
    """{statement: what it says}; AssertionError where `checkInfeasible` or `checkOptimal` would be false."""
    head, text, said = "import LPVerify\nopen LP LP.Verify\n", path.read_text(encoding="ascii"), {}
    assert text.startswith(head)
    assert not STATEMENT.sub("", text[len(head) :]), "not of the form of the format"
    for name, m, n, entries, bounds, point, lower, upper, status, words in STATEMENT.findall(text):
        rows = [{} for _ in range(int(m))]
        for k, a, number in re.findall(r"\((\d+), (\d+), (\S+?)\)", entries):
            assert int(a) < int(n)
            rows[int(k)][int(a)] = Fraction(number)
        ends = [tuple(map(bound, pair)) for pair in re.findall(r"\((none|some \(\S+\)), (none|some \(\S+\))\)", bounds)]
        duals = list(zip(numbers(lower), numbers(upper), strict=True))
        assert len(ends) == len(duals) == int(m)
        for pair, dual in zip(ends, duals, strict=True):
            assert all(y >= 0 and (y == 0 or end is not None) for y, end in zip(dual, pair, strict=True)), "a sign"
        assert combined((low - up, row) for (low, up), row in zip(duals, rows, strict=True)) == {}, "another row"
        pairs = zip(duals, ends, strict=True)
        total = sum((low * (a or 0) - up * (b or 0) for (low, up), (a, b) in pairs), Fraction(0))
        if status == "infeasible":
            assert total > 0, "no contradiction"
        else:
            x = dict(enumerate(numbers(point)))
            assert len(x) == int(n)
            assert total == 0
            for (low, high), row in zip(ends, rows, strict=True):
                value = inner(row, x)
                assert (value if low is None else low) <= value <= (value if high is None else high), "a row is broken"
        said[name] = words
    return said
