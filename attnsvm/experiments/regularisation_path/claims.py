"""The minimiser on a ball goes in direction to the SVM solution of the ball's norm as the ball grows."""

from functools import partial

from attnsvm.audit.reading import Claim, NoInstance, Reading, some
from attnsvm.audit.rows import sample_mean


def path(norm, tables, most):
    table = tables.own()
    table = some(table[table["norm"] == norm], "instance with a certified solution")
    largest = table["R"].max()
    end = table[table["R"] == largest]
    medians = table[table["R"] >= largest / 100].groupby("R")["distance"].median()
    if len(medians) < 2:
        raise NoInstance("second R within two decades of the largest")
    value, low, high = sample_mean(end["distance"])
    parts = {
        "mean distance within the threshold": value <= most,
        "distance falls with R over the last two decades": medians.is_monotonic_decreasing,
        "first-order conditions met to 1e-5 on every ball": (table["gap"].abs() <= 1e-5).all(),
    }
    return Reading(value, low, high, len(end), parts)


CLAIMS = (
    Claim(
        key="path_fro",
        group="paper",
        short="regularisation path, Frobenius ball",
        statement="The minimiser of the loss on the Frobenius ball goes in direction to the Frobenius solution as the "
        "ball grows.",
        check="distance of the unit directions at the largest R, mean and its 95 % interval",
        threshold=0.02,
        why="the distance falls nearly like 1/R; at R = 1000 margins are a few hundred",
        measured="mean distance of the unit directions, Frobenius norm",
        wanted="≤ {}",
        read=partial(path, "fro"),
    ),
    Claim(
        key="path_nuc",
        group="paper",
        short="regularisation path, nuclear ball",
        statement="The minimiser of the loss on the nuclear ball goes in direction to the nuclear solution as the ball "
        "grows.",
        check="distance in nuclear norm of the unit directions at the largest R, mean and its 95 % interval",
        threshold=0.05,
        why="the distance falls nearly like 1/R; the nuclear norm of a difference exceeds its Frobenius norm by up to "
        "√rank",
        measured="mean distance of the unit directions, nuclear norm",
        wanted="≤ {}",
        read=partial(path, "nuc"),
    ),
)
