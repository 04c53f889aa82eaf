"""A small manuscript and a small run."""

import pytest
from small import FIGURE, FULL, repository, run

from attnsvm.pipeline import cards
from attnsvm.publish.paper import declared, numbers


@pytest.fixture
def clone(tmp_path):
    return repository(tmp_path / "clone")


@pytest.fixture
def collected(tmp_path, clone):
    """A function that gives what numbers.json says of a run; its arguments are those of `small.run`."""

    def collect(resolved=FULL, text=None, figures=(FIGURE,), **given):
        folder = run(tmp_path / "run", [card.name for card in cards.experiments()], **given)
        known = declared.read(clone) if text is None else declared.parsed(text)
        return numbers.collect(folder, [folder / "results/audit/claims.csv"], known, figures, resolved)

    return collect
