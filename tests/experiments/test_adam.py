"""Adam beside sign descent: what is trained."""

from attnsvm.experiments.beyond.adam import descent
from attnsvm.pipeline.configuration import resolve


def test_what_is_trained():
    runs = descent.planned(resolve({})["experiments"]["adam"]["descent"])
    assert {name for name, (_, steps, *_) in runs.items() if steps == 10**6} == {"Adam root 0.999"}
    assert {beta2 for _, _, _, beta2, _ in runs.values()} == {0.0, 0.9, 0.99, 0.999}
