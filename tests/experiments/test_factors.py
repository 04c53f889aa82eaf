"""(K, Q) under several rules: what is trained."""

from attnsvm.experiments.beyond.factors import descent
from attnsvm.pipeline.configuration import resolve


def test_what_is_trained():
    runs = descent.planned(resolve({})["experiments"]["factors"]["descent"], 10)
    longest = {name for name, (_, steps, _, _) in runs.items() if steps == 10**6}
    assert longest == {"published_m10_x1", "joint_m10_x1"}
    assert {m for _, _, m, _ in runs.values()} == {1, 2, 5, 10}
    assert {scale for *_, scale in runs.values()} == {0.1, 1, 10}
