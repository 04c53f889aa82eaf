"""(K, Q) under several rules: the table against single solves, what is trained, and what is drawn."""

import drawing
import numpy as np
from by_hand import cosine

from attnsvm import geometry
from attnsvm.analysis.rows import where
from attnsvm.experiments.beyond.factors import descent, figure
from attnsvm.pipeline.configuration import resolve
from attnsvm.svm import separation, solve

SMALL = {
    "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 5, "instances": 3},
    "descent": {"steps": 300, "cause_steps": 200, "short_steps": 100, "points": 4, "columns": [2], "scales": [10]},
    "measures": {"left": 1.2},
}


def test_the_table_is_its_definition(run):
    found = {}
    for _, s, p, trained, _ in run.each():
        for log in trained.values():
            constraints = separation(p["tokens"][s], p["queries"][s], log["probabilities"][s].argmax(1))
            best = {norm: solve(constraints, norm).W for norm in ("nuc", "spectral")}
            distances = []
            for step, W in zip(log["steps"], log["weights"][s], strict=True):
                values = {"distance": 1 - cosine(W, best["nuc"])}
                for norm, solution in best.items():
                    measure = geometry.get(norm)
                    ratio = constraints.apply(W).min() / measure.value(W) * measure.value(solution)
                    values["nuclear" if norm == "nuc" else norm] = 1 - ratio
                distances.append(values["distance"])
                for quantity, value in values.items():
                    key = int(log["m"]), float(log["scale"]), int(step), quantity
                    found.setdefault(key, []).append(value)
            key = int(log["m"]), float(log["scale"]), int(log["steps"][-1]), "left"
            found.setdefault(key, []).append(distances[-1] / min(distances))
    table = run.table
    for (m, scale, step, quantity), values in found.items():
        rows = table[(table.m == m) & (table.scale == scale) & (table.step == step) & (table.quantity == quantity)]
        values = np.array(values).reshape(3, len(rows))  # the runs of one instance stand in the order of the table
        # 1e-5: a nuclear solution of a batch and of a single solve agree to the root of their gap of 1e-7 at worst
        expected = np.quantile(values, (0.5, 0.25, 0.75), axis=0).T
        np.testing.assert_allclose(rows[["value", "low", "high"]], expected, rtol=1e-5, atol=1e-5)
        if quantity == "left":
            grown = where(table, m=m, scale=scale, step=step, quantity="grown")
            np.testing.assert_array_equal(grown["value"], (values > 1.2).mean(0))


def test_what_remains_is_the_median_over_that_a_decade_before(run):
    """At the last step of every run, in the runs that go as far."""
    distances = where(run.table, quantity="distance")
    ends = set(distances.groupby(["rule", "m", "scale"]).step.max())
    rows = where(run.table, quantity="remaining")
    assert len(rows) == sum(step in ends for step in distances.step)
    for row in rows.itertuples():
        way = where(distances, rule=row.rule, m=row.m, scale=row.scale).set_index("step").value
        earlier = min(way[: row.step].index, key=lambda step: abs(np.log10(step * 10 / row.step)))
        assert row.value == way[row.step] / way[earlier]


def test_what_is_trained():
    runs = descent.planned(resolve({})["experiments"]["factors"]["descent"], 10)
    longest = {name for name, (_, steps, _, _) in runs.items() if steps == 10**6}
    assert longest == {"published_m10_x1", "joint_m10_x1"}
    assert {m for _, _, m, _ in runs.values()} == {1, 2, 5, 10}
    assert {scale for *_, scale in runs.values()} == {0.1, 1, 10}


def test_every_number_of_the_way_is_drawn():
    made = drawing.released("factors", "value", "low", "high")
    usual = made[(made.m == 10) & (made.scale == 1) & (made.quantity == "distance")]
    last = made.step == made.groupby(["rule", "m", "scale"]).step.transform("max")
    starts = made[((made.m != 10) | (made.scale != 1)) & (made.quantity == "distance") & last]
    ways = usual[usual.rule.isin(figure.CAUSE)]
    drawing.assert_drawn(figure.draw, made, ways[["step", "value"]], y=starts["value"])
