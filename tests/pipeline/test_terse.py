"""Walls of files and hashes in few words."""

import pytest

from attnsvm.pipeline import terse

HASH = "26318729ffc9b7213ce44495399dbb5468f1375115b78860645a136dcf955e07"


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a", "b"], ["a", "b"]), (list("abcdef"), list("abcdef")), (list("abcdefg"), ["a", "b", "c", "and 4 more"])],
)
def test_a_long_list_of_files_is_cut(names, said):
    assert terse.files(names) == said


def test_a_reason_keeps_its_words():
    many = ", ".join(f"figures/{k}.pdf" for k in range(300))
    said = terse.reason(f"Missing output files: x.csv; Input files updated by another job: {many}")
    first = "figures/0.pdf, figures/1.pdf, figures/2.pdf"
    assert said == f"Missing output files: x.csv; Input files updated by another job: {first}, and 297 more"
    changed = (
        "Params have changed since last execution: Union of exclusive params, before: '{}' now: {{'d': 8, 'n': 3}}"
    )
    assert terse.reason(changed.format(HASH)) == changed.format(HASH[:8])
