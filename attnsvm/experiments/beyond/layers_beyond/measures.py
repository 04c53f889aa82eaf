"""How far both layers of every kind are from their SVMs, which kinds saturate, and how far their norms go."""

import numpy as np

from attnsvm.analysis.measured import curves, gathered, outcomes
from attnsvm.analysis.medians import largest, medians, named_share, without_shares
from attnsvm.analysis.stacked import certain, distance, norms
from attnsvm.experiments.beyond.layers_beyond.ends import corrected, saturated
from attnsvm.experiments.beyond.layers_beyond.kinds import KINDS, seen

KEYS = ["kind", "layer", "quantity", "step"]


@gathered
def measures(cell, problems, trained, solved, settings):
    for name, run in trained.items():
        kind, seeds, steps, length = KINDS[name], problems.seeds, run["steps"], norms(run["weights"])
        own = seen(kind, problems)
        whole = saturated(own, run, kind, corrected(own, run, kind))
        answers = [answer for layers in solved[name].values() for answer in layers.values()]
        status = np.concatenate([by_instance(answer, seeds) for answer in answers], axis=1)
        proved, unproved = (status == "solved").all(1), (status == "uncertified").any(1)
        cases = [unproved, ~proved, ~whole]
        words = np.select(cases, ["uncertified", "not separable", "counting rows are mixed"], "measured")
        yield outcomes(cell, seeds, [f"{word} ({name})" for word in words])
        columns = {"kind": name, "layer": 0}
        yield curves(seeds, steps, {"value": length}, **columns, quantity="norm")
        yield curves(seeds, steps[-1:], {"value": whole}, **columns, quantity="share saturated")
        growth = length[:, -1:] / length[:, [np.searchsorted(steps, steps[-1] // 2)]]
        worst = np.max(
            [distance(run["weights"], int(layer), of["W"]) for layer, of in solved[name]["corrected"].items()], axis=0
        )
        for words, some in (("saturated", whole), ("mixed", ~whole)):
            for quantity, value, kept in (("growth", growth, some), ("corrected", worst[:, -1:], some & proved)):
                named = columns | {"quantity": f"{quantity}, {words}"}
                yield curves(seeds[kept], steps[-1:], {"value": value[kept]}, **named)
        for rule, layers in solved[name].items():
            for layer, answer in layers.items():
                far = distance(run["weights"], int(layer), answer["W"])
                good = certain(answer, len(seeds))
                where = {"kind": name, "layer": int(layer), "quantity": rule}
                yield curves(seeds[good], steps, {"value": far[good]}, **where)
        size = [np.linalg.norm(solved[name]["corrected"][k]["W"].reshape(len(seeds), -1), axis=1) for k in ("1", "2")]
        long = np.sqrt(np.square(run["weights"][:, -1]).sum((2, 3, 4)))
        ratio = np.log(long[:, 0] / size[0]) - np.log(long[:, 1] / size[1])
        where = {"kind": name, "layer": 1, "quantity": "ratio"}
        yield curves(seeds[proved], steps[-1:], {"value": ratio[proved]}, **where)


def by_instance(answer, seeds):
    """The statuses of the heads of each instance, (S, H)."""
    return answer["status"].reshape(len(seeds), -1)


def table(measures, settings):
    return without_shares(medians(measures.instances, KEYS, named_share, largest=largest), "largest")
