"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Flow is near from both starts, diagonal factors are at the best margin, the published rule is behind."""
    ends = {
        ("flow", "random"): {"distance": 5e-3, "remaining": 0.3},
        ("flow", "aligned"): {"distance": 5e-4, "remaining": 0.2},
        ("one matrix", "random"): {"distance": 0.2},
        ("diagonal", "two factors"): {"ratio": 0.98},
        ("diagonal", "one vector"): {"ratio": 0.8},
        ("published", "random"): {"behind": 3.0},
        ("published", "aligned"): {"behind": 9.0},
    }
    rows = [
        {"run": run, "start": start, "step": step, "quantity": quantity, "value": value, "norm": float(step)}
        for (run, start), found in ends.items()
        for quantity, value in found.items()
        for step in (100, 1000)
    ]
    return spread(rows, share=0.01, instances=64)


FLIPS = {
    "flow_aligned": Flip("run == 'flow' and start == 'aligned' and quantity == 'remaining'", "high", 0.9),
    "flow_random": Flip("run == 'one matrix'", "low", 0.001),
    "flow_diagonal": Flip("start == 'one vector'", "high", 0.97),
    "flow_alignment": Flip("run == 'published' and start == 'aligned'", "low", 0.9),
}
EMPTY = {
    "flow_aligned": [Empty("start != 'aligned'", "distance of flow, aligned")],
    "flow_random": [Empty("run != 'one matrix'", "distance of one matrix, random")],
    "flow_diagonal": [Empty("start != 'one vector'", "ratio of diagonal, one vector")],
    "flow_alignment": [Empty("run != 'published'", "behind of published, random")],
}
