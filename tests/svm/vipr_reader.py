"""A reader of VIPR certificates of linear programs, from the format's description: it checks them in fractions."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

SENSES = {"G": 1, "E": 0, "L": -1}


class Words:
    """The words of a file, one after another."""

    def __init__(self, path):
        self.rest = iter(Path(path).read_text(encoding="ascii").split())

    def __next__(self) -> str:
        return next(self.rest)

    def expect(self, *words: str) -> None:
        for word in words:
            found = next(self)
            assert found == word, f"expected {word}, got {found}"

    def number(self) -> Fraction:
        return Fraction(next(self))

    def count(self) -> int:
        return int(next(self))

    def vector(self, length: int) -> dict[int, Fraction]:
        """Numbers by place, the places below `length`."""
        found = {}
        for _ in range(self.count()):
            place = self.count()
            assert 0 <= place < length, f"place {place} of {length}"
            assert place not in found, f"place {place} twice"
            found[place] = self.number()
        return {place: number for place, number in found.items() if number}


def combined(weighted) -> dict[int, Fraction]:
    total = Counter()
    for weight, row in weighted:
        for place, number in row.items():
            total[place] += weight * number
    return {place: number for place, number in total.items() if number}


def inner(a: dict, b: dict) -> Fraction:
    return sum((number * b[place] for place, number in a.items() if place in b), Fraction(0))


def check(path):
    """The claim of a certificate, "infeas" or the two ends of a range; AssertionError where it is not proved.

    It takes what a continuous program needs: minimisation, no integer variables, derivations by `lin`.
    """
    words = Words(path)
    words.expect("VER", "1.1", "VAR")
    n = words.count()
    assert len({next(words) for _ in range(n)}) == n, "a variable is named twice"
    words.expect("INT", "0", "OBJ", "min")
    objective = words.vector(n)
    words.expect("CON")
    rows, values, many = [], [], words.count()
    words.expect("0")
    for _ in range(many):
        next(words)
        rows.append((SENSES[next(words)], words.number(), words.vector(n)))
    words.expect("RTP")
    kind = next(words)
    ends = (words.number(), words.number()) if kind == "range" else None
    words.expect("SOL")
    for _ in range(words.count()):
        next(words)
        point = words.vector(n)
        for sense, bound, row in rows:
            excess = inner(row, point) - bound
            assert excess == 0 if sense == 0 else excess * sense >= 0, "a solution breaks a constraint"
        values.append(inner(objective, point))
    words.expect("DER")
    for _ in range(words.count()):
        next(words)
        words.expect("G")
        bound, row = words.number(), {"OBJ": objective, "0": {}}[next(words)]
        words.expect("{", "lin")
        weights = words.vector(len(rows))
        words.expect("}", "-1")
        assert all(weight * rows[k][0] >= 0 for k, weight in weights.items()), "a multiplier has the wrong sign"
        assert combined((weight, rows[k][2]) for k, weight in weights.items()) == row, "the combination is another row"
        assert sum(weight * rows[k][1] for k, weight in weights.items()) >= bound, "the combination reaches less"
        rows.append((1, bound, row))
    _, bound, row = rows[-1]
    if kind == "infeas":
        assert bound > 0 == len(row), "the last derivation is no falsehood"
        return kind
    assert row == objective
    assert bound >= ends[0], "the last derivation is below the range"
    assert min(values) <= ends[1], "no solution is within the range"
    return ends
