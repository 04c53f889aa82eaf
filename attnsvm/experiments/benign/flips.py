"""What tries the claims: a made-up table on which they hold, a number that flips each, and what leaves no instance."""

from attnsvm.audit.flips import Empty, Flip, spread


def table():
    """Errors of a threshold at √2, thresholds on their law, and descent that unlearns below it."""
    rows = []
    for n, flips in ((50, 0.05), (200, 0.05), (100, 0.2)):
        who = {"n": n, "flips": flips}
        for run, errors in RUNS.items():
            each = who | {"run": run}
            rows += [
                each | {"quantity": "error", "at": at, "value": value} for at, value in zip(AT, errors, strict=True)
            ]
            if run.endswith("steps"):
                rows += [each | {"quantity": "fitted", "at": at, "value": 1.0} for at in AT]
        each = who | {"run": "max margin", "at": 0.0}
        rows += [each | {"quantity": "threshold", "value": 1.001}]
        rows += [each | {"quantity": "all counted", "value": (1.0 - flips) ** -0.5}]
    return spread(rows, share=0.002, instances=50, smallest=0.0, largest=1.0)


AT = (0.25, 0.5, 1.0, 2.0)
RUNS = {
    "max margin": (0.5, 0.5, 0.5, 1e-5),
    "signal tokens": (0.2, 0.03, 1e-3, 1e-6),
    "2 steps": (0.3, 0.05, 1e-4, 1e-6),
    "200 steps": (0.4, 0.3, 0.15, 1e-4),
}
FLIPS = {
    "benign_two_steps": Flip("n == 200 and run == '2 steps' and quantity == 'error' and at == 0.25", "low", 0.1),
    "benign_threshold": Flip("n == 50 and run == 'max margin' and quantity == 'error' and at == 1.0", "low", 0.3),
    "benign_constant": Flip("flips == 0.2 and quantity == 'all counted'", "low", 1.0),
    "benign_choice": Flip("n == 100 and run == 'max margin' and quantity == 'error' and at == 0.5", "low", 0.1),
    "benign_unlearned": Flip("n == 200 and run == '2 steps' and quantity == 'error' and at == 1.0", "high", 0.2),
}
EMPTY = {
    "benign_two_steps": [
        Empty("run != '200 steps'", "descent of two steps and of more"),
        Empty("at != 2.0", "error of 2 steps at 2"),
    ],
    "benign_threshold": [Empty("at < 2.0", "error of max margin at such signals")],
    "benign_constant": [Empty("quantity != 'threshold'", "threshold")],
    "benign_choice": [Empty("at != 0.5", "error of signal tokens at such signals")],
    "benign_unlearned": [Empty("at != 1.0", "error of 2 steps at 1")],
}
