"""Many names in few words."""

import pytest

from attnsvm.pipeline import terse


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a", "b"], ["a", "b"]), (list("abcdef"), list("abcdef")), (list("abcdefg"), ["a", "b", "c", "and 4 more"])],
)
def test_a_long_list_of_files_is_cut(names, said):
    assert terse.files(names) == said
