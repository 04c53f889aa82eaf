"""The rank of the solutions: who is counted, certified and as published."""

from attnsvm.experiments.paper.svm_rank.problems import cells
from attnsvm.pipeline.configuration import resolve

SMALL = {"problems": {"n": [5, 10], "T": [5, 8], "d": [2, 6], "first_seed": 0, "instances": 6}}


def test_the_papers_grid_varies_n_at_the_first_T_and_T_at_the_first_n():
    found = cells(resolve({})["experiments"]["svm_rank"]["problems"])
    assert {(cell.n, cell.T) for cell in found} == {(5, 5), (10, 5), (15, 5), (5, 10), (5, 15)}
    assert len({cell.label for cell in found}) == len(found) == 5 * 8
    assert all(len(cell.seeds) == 100 for cell in found)


def test_feasible_instances_are_counted_apart(run):
    certified = run.table[run.table.method == "certified"]
    assert (certified.drawn == 6).all()
    assert (certified.instances == certified.feasible).all()
    hard = certified[(certified.n == 10) & (certified.d == 2)]
    assert (hard.feasible < 6).all()  # far below the bound max(T − 1, n) some instance has no separator
    assert (certified[certified.d == 6].feasible == 6).all()
    for row in certified[certified.feasible > 0].itertuples():
        sample = run.instances.query(
            "n == @row.n and T == @row.T and d == @row.d and norm == @row.norm and method == 'certified' and solved"
        )
        assert len(sample) == row.feasible
        assert row.value == sample["rank"].mean()
        assert (sample["rank_low"] <= sample["rank"]).all()
        assert (sample["rank"] <= sample["rank_bound"]).all()
        assert (sample["rank_error"] <= 1e-6).all()  # the root of twice the tolerance of the Frobenius norm is 1.4e-5
    published = run.table[(run.table.method == "published") & (run.table.n == 10) & (run.table.d == 2)]
    assert (published.value >= 1).all()  # the defect: rank 1 for every instance without a separator
    assert run.outcomes.instances.sum() == 2 * 6 * 6  # both norms, six cells, six instances
