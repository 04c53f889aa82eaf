"""Adam beside sign descent: the table against single solves, the pace of the margin, and what is drawn."""

import drawing
import numpy as np

from attnsvm import geometry
from attnsvm.experiments.beyond.adam import descent, figure
from attnsvm.pipeline.configuration import resolve
from attnsvm.svm import separation, solve

SMALL = {
    "problems": {"n": 3, "T": 4, "d": 6, "first_seed": 5, "instances": 3},
    "descent": {"steps": 400, "long_steps": 500, "points": 6, "beta2": [0.9, 0.99]},
}


def test_the_table_is_its_definition(run):
    found = {}
    for _, s, p, trained, _ in run.each():
        for name, log in trained.items():
            constraints = separation(p["tokens"][s], p["queries"][s], log["probabilities"][s].argmax(1))
            margin = {int(k): constraints.apply(W).min() for k, W in zip(log["steps"], log["weights"][s], strict=True)}
            for norm in ("linf", "fro", "spectral", "l1", "nuc"):
                measure, best = geometry.get(norm), solve(constraints, norm).W
                for step, W in zip(log["steps"], log["weights"][s], strict=True):
                    ratio = margin[int(step)] / measure.value(W) * measure.value(best)
                    found.setdefault((name, norm, int(step)), []).append(ratio)
                if norm == "linf":
                    pace = float(log["rate"]) * constraints.apply(best).min() / np.abs(best).max()
            for step, value in margin.items():
                found.setdefault((name, "margin", step), []).append(value)
                found.setdefault((name, "sign_pace", step), []).append(pace)
                earlier = [k for k in margin if k <= step / 2]
                growth = (value - margin[earlier[-1]]) / (step - earlier[-1]) if earlier else np.nan
                found.setdefault((name, "growth", step), []).append(growth)
    table = run.table.set_index(["run", "quantity", "step"])
    assert len(table) == len(found)
    for key, values in found.items():
        # 1e-5: single and batched solves agree to their gaps of 1e-7, in directions to the root of that
        expected = np.quantile(values, (0.5, 0.25, 0.75))
        row = table.loc[key, ["value", "low", "high"]].astype(float)
        np.testing.assert_allclose(row, expected, rtol=1e-5, atol=1e-6)


def test_what_is_trained():
    runs = descent.planned(resolve({})["experiments"]["adam"]["descent"])
    assert {name for name, (_, steps, *_) in runs.items() if steps == 10**6} == {"Adam root 0.999"}
    assert {beta2 for _, _, _, beta2, _ in runs.values()} == {0.0, 0.9, 0.99, 0.999}


def test_the_ways_and_paces_are_drawn():
    made = drawing.released("adam", "value", "low", "high")
    ends = made[
        (made.quantity == "growth")
        & (made.step == made.groupby("run").step.transform("max"))
        & (made.schedule != "root")
    ]
    ways = made[made.quantity == "linf"]
    drawing.assert_drawn(figure.draw, made, ways[["step", "value"]], y=ends["value"])
