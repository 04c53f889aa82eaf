"""What sets the token count apart from convergence types; its run is tested in test_convergence_types.py."""

from drawing import assert_drawn, released

from attnsvm.experiments.paper.token_count import figure, problems

SETTINGS = {"shapes": [[3, 2], [3, 5]], "d": [4], "first_seed": 0, "instances": 2}


def test_the_cells_differ_in_their_number_of_tokens():
    found = [(cell.n, cell.T, cell.d, cell.seeds) for cell in problems.cells(SETTINGS)]
    assert found == [(3, 2, 4, range(2)), (3, 5, 4, range(2))]


def test_every_number_of_the_table_is_drawn():
    table = released("token_count", "value")
    assert_drawn(figure.draw, table, table[table.type != "all_support_not_global"][["T", "value"]])
