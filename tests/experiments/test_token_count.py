"""What sets the token count apart from convergence types; its run is tested in test_convergence_types.py."""

import pytest
from drawing import assert_drawn, made_up

from attnsvm.errors import UserError
from attnsvm.experiments.token_count import figure, problems

SETTINGS = {"shapes": [[3, 2], [3, 5]], "d": [4], "first_seed": 0, "instances": 2}


def test_the_cells_differ_in_their_number_of_tokens():
    found = [(cell.n, cell.T, cell.d, cell.seeds) for cell in problems.cells(SETTINGS)]
    assert found == [(3, 2, 4, range(2)), (3, 5, 4, range(2))]


@pytest.mark.parametrize("changed", [{"shapes": [[3, 2], [4, 2]]}, {"d": [4, 6]}])
def test_only_the_number_of_tokens_may_vary(changed):
    with pytest.raises(UserError, match=r"token_count\.problems: only T may vary, give one n and one d"):
        problems.cells(SETTINGS | changed)


def test_every_number_of_the_table_is_drawn():
    table = made_up("token_count", "share")
    assert_drawn(figure.draw, table, table[table.type != "all_support_not_global"][["T", "share"]])
