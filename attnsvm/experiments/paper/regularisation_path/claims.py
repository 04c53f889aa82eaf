"""The minimiser on a ball goes in direction to the SVM solution of the ball's norm as the ball grows."""

from functools import partial

from attnsvm.audit.evaluation import ABSTRACT, Claims, NoInstance, Reading, some
from attnsvm.audit.numbers import Limit, sample_mean
from attnsvm.audit.rows import where

OPTIMAL = Limit(1e-5, "violation of the first-order conditions ≤ {}", "far less than what moves a distance of 1e-2")
CLAIMS = Claims(group="paper")


def path(norm, tables, limit, optimal):
    table = some(where(tables.own(), norm=norm), "instance with a certified solution")
    largest = table["R"].max()
    end = sample_mean(where(table, R=largest)["distance"])
    medians = table[table["R"] >= largest / 100].groupby("R")["distance"].median()
    if len(medians) < 2:
        raise NoInstance("second R within two decades of the largest")
    near = {"mean distance within the threshold": limit(end)}
    further = {
        "distance falls with R over the last two decades": bool((medians.diff().iloc[1:] < 0).all()),
        "first-order conditions met to 1e-5 on every ball": all(map(optimal, table["gap"].abs())),
    }
    return Reading(*end, near, further)


CLAIMS.add(
    key="path_fro",
    kind="theorem",
    source=ABSTRACT,
    short="regularisation path, Frobenius ball",
    statement="The minimiser of the loss on the Frobenius ball goes in direction to the Frobenius solution of the "
    "optimal tokens as the ball grows.",
    measured="mean distance of the unit directions at the largest R, Frobenius norm",
    limit=Limit(0.02, "≤ {}", "the distance falls nearly like 1/R; at R = 1000 margins are a few hundred"),
    optimal=OPTIMAL,
    read=partial(path, "fro"),
)

CLAIMS.add(
    key="path_nuc",
    kind="theorem",
    source=ABSTRACT,
    short="regularisation path, nuclear ball",
    statement="The minimiser of the loss on the nuclear ball, (K, Q) with vanishing regularisation, goes in direction "
    "to the nuclear solution.",
    measured="mean distance of the unit directions at the largest R, nuclear norm",
    limit=Limit(
        0.05,
        "≤ {}",
        "the distance falls nearly like 1/R; the nuclear norm of a difference exceeds its Frobenius norm by up to "
        "√rank",
    ),
    optimal=OPTIMAL,
    read=partial(path, "nuc"),
)
