"""Which arrays of the block files the later stages read, and which are kept for nobody."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attnsvm.pipeline import answers
from attnsvm.pipeline.running import stages
from attnsvm.store import Arrays, Cells


class Recorded(Arrays):
    """Arrays whose every reading is noted under the name of the array."""

    def __init__(self, tree: Arrays, name: tuple[str, ...], ledger: dict):
        super().__init__(tree.path, tree.place)
        self.name, self.ledger = name, ledger
        for key, value in tree.items():
            inside = (*name, key)
            if isinstance(value, dict):
                super().__setitem__(key, Recorded(value, inside, ledger))
            else:
                super().__setitem__(key, value)
                ledger.setdefault(inside, False)

    def __getitem__(self, key):
        self.note(key)
        return super().__getitem__(key)

    def note(self, key):
        if (*self.name, key) in self.ledger:
            self.ledger[*self.name, key] = True

    # What a plain dict would hand out past __getitem__, also to dict(x), {**x} and x | y.
    def __iter__(self):
        return super().__iter__()

    def keys(self):
        return super().keys()

    def get(self, key, default=None):
        self.note(key)
        return super().get(key, default)

    def items(self):
        return [(key, self[key]) for key in self]

    def values(self):
        return [self[key] for key in self]

    def __or__(self, other):
        return dict(self.items()) | other

    def pop(self, key, *default):
        self.note(key)
        return super().pop(key, *default)


@contextmanager
def reading() -> Iterator[dict[tuple[str, ...], bool]]:
    """{(stage, names of the array): whether anything read it} of all block files that the stages load inside.

    Counting certificates reads every answer, and by that only the proofs.
    """
    ledger, load, count = {}, stages.load_cells, answers.count

    def loaded(path):
        cells, stage = Cells(path), Path(path).stem
        for label, tree in load(path).items():
            cells[label] = Recorded(tree, (stage,), ledger)
        return cells

    def counted(tree, experiment):
        before = dict(ledger)
        found = count(tree, experiment)
        for name, was in before.items():
            ledger[name] = was or (ledger[name] and name[-1] in ("status", *answers.PROOF))
        return found

    stages.load_cells, answers.count = loaded, counted
    try:
        yield ledger
    finally:
        stages.load_cells, answers.count = load, count


def unread(ledger: dict[tuple[str, ...], bool]) -> set[str]:
    """The arrays that nothing read; of the fields of answers, those that are read of no answer of the experiment."""
    named = {name[-1] for name, was in ledger.items() if was}
    never = {name for name, was in ledger.items() if not was}
    return {"/".join(name) for name in never if not (name[-1] in answers.FIELDS and name[-1] in named)}
