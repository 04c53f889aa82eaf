"""Tokens, trajectories W(k) z_i and SVM directions in the plane: what trajectories and hyperplanes share."""

from collections.abc import Callable

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from attnsvm.plots.style import DASHES, GREY, MARKERS, NAME, SERIES

BAND = {"linewidth": 4.5, "alpha": 0.28, "solid_capstyle": "butt", "dash_capstyle": "butt"}
DART = Path([(1, 0), (-1, 0.6), (-0.5, 0), (-1, -0.6), (1, 0)], closed=True)
ARROWS = (0.25, 0.5, 0.75)  # where along the visible part of a trajectory its arrow heads sit


def of_kind(table, *kinds: str):
    return table[table["kind"].isin(kinds)]


def limits(points, pad: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """x and y limits around `points` and the origin, widened by the share `pad` of the extent."""
    bounds = []
    for name in ("x", "y"):
        low, high = min(points[name].min(), 0.0), max(points[name].max(), 0.0)
        margin = pad * (high - low) or 1.0
        bounds.append((low - margin, high + margin))
    return tuple(bounds)


def frame(axes, bounds) -> None:
    axes.set(xlim=bounds[0], ylim=bounds[1], xlabel="first coordinate", ylabel="second coordinate")
    for line in (axes.axhline, axes.axvline):
        line(0, color="0.75", linewidth=0.6, zorder=1)


def equal_scales(axes, bounds) -> None:
    """Equal units on both axes, showing at least `bounds`: angles look as they are. Call it last."""
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlim(bounds[0], auto=True)  # auto: the layout may widen them
    axes.set_ylim(bounds[1], auto=True)


def as_they_are(points: np.ndarray) -> np.ndarray:
    return points


def from_afar(points: np.ndarray) -> np.ndarray:
    """The points (L, 2) with log10(1 + r) instead of their distance r to the origin: every direction stays."""
    radius = np.hypot(*points.T)[:, None]
    return points / np.where(radius == 0, 1.0, radius) * np.log10(1 + radius)


def rings(axes, radii: tuple[float, ...], reach: float) -> None:
    """The frame of what is seen `from_afar`: circles of these radii about the origin, up to the distance `reach`."""
    limit = np.log10(1 + reach)
    axes.set(xlim=(-limit, limit), ylim=(-limit, limit), aspect="equal")
    axes.set_axis_off()
    turn = np.linspace(0, 2 * np.pi, 200)
    for radius in radii:
        drawn = np.log10(1 + radius)
        axes.plot(drawn * np.cos(turn), drawn * np.sin(turn), color="0.8", linewidth=0.6, zorder=1)
        axes.text(-0.71 * drawn, 0.71 * drawn, f"{radius:g}", color=GREY, ha="right", va="bottom")


def paths(axes, table, place: Callable[[np.ndarray], np.ndarray] = as_they_are) -> None:
    """Every trajectory with its arrow heads, on a pale band along the SVM direction it should take.

    `place` says where the points of the plane are drawn.
    """
    for (name, i), rows in of_kind(table, "svm_direction").groupby(["parametrisation", "input"]):
        for x, y in place(rows[["x", "y"]].to_numpy()):
            axes.plot([0, x], [0, y], color=colour(i), linestyle=_wide(DASHES[name]), **BAND, zorder=2)
    for (name, i), rows in of_kind(table, "trajectory").groupby(["parametrisation", "input"]):
        points = place(rows.sort_values("step")[["x", "y"]].to_numpy())
        axes.plot(*points.T, color=colour(i), linestyle=DASHES[name], zorder=3)
        _arrow_heads(axes, points, colour(i))


def angles(axes, table) -> None:
    """The angle between each trajectory and its SVM direction, versus the step, on logarithmic axes.

    A band lies between each two steps that follow one another, a line in its middle.
    """
    for (name, i), rows in of_kind(table, "trajectory").groupby(["parametrisation", "input"]):
        seen = rows[rows["angle"] > 0].sort_values("step")
        dashes = DASHES[name] if DASHES[name] == "-" else (2.3 * i, DASHES[name][1])  # two that coincide are both seen
        both = seen["angle"].rolling(2, min_periods=1)
        low, high = both.min(), both.max()
        axes.fill_between(seen["step"], low, high, color=colour(i), alpha=0.3, linewidth=0)
        axes.plot(seen["step"], np.sqrt(low * high), color=colour(i), linestyle=dashes)
    axes.set(xscale="log", yscale="log", xlabel="step", ylabel="degrees")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")


def last_directions(axes, table, bounds) -> None:
    """A dart near the frame `bounds` where each trajectory, followed to its last step, points from the origin."""
    for (_, i), rows in of_kind(table, "trajectory").groupby(["parametrisation", "input"]):
        last = rows.loc[rows["step"].idxmax(), ["x", "y"]].to_numpy(dtype=float)
        sides = [side / x for (low, high), x in zip(bounds, last, strict=True) for side in (low, high) if side * x > 0]
        x, y = 0.97 * min(sides) * last
        axes.plot([x], [y], color=colour(i), markersize=10, zorder=6, **last_marker(np.degrees(np.arctan2(y, x))))


def last_marker(angle: float = 0.0) -> dict:
    """How `last_directions` marks a direction, an angle in degrees."""
    marker = DART.transformed(Affine2D().rotate_deg(angle))
    return {"marker": marker, "linestyle": "none", "markeredgecolor": "black", "markeredgewidth": 0.5}


def tokens(axes, table, size: float = 4.5, place: Callable[[np.ndarray], np.ndarray] = as_they_are) -> None:
    """A marker per input; stars for the optimal tokens. `place` says where the points of the plane are drawn."""
    for (kind, i), rows in of_kind(table, "token", "optimal_token").groupby(["kind", "input"]):
        axes.plot(*place(rows[["x", "y"]].to_numpy()).T, **_token(kind, i, size), zorder=5)


def separators(axes, table) -> None:
    for i, ends in of_kind(table, "separator").groupby("input"):
        axes.plot(ends["x"], ends["y"], color=colour(i), linestyle=":", linewidth=1.3, zorder=3)


def legend(figure, table, *extra: Line2D) -> None:
    """What colours, markers and lines mean, above the panels."""
    inputs = sorted(int(i) for i in table["input"].dropna().unique())
    drawn = [p for p in ("W", "KQ") if (table["parametrisation"] == p).any()]
    handles = [
        *(Line2D([], [], **_token("token", i, 4.5), label=f"tokens of input {i}") for i in inputs),
        Line2D([], [], **(_token("optimal_token", 1, 4.5) | {"color": GREY}), label="optimal token"),
        *(Line2D([], [], color=GREY, linestyle=DASHES[p], label=f"training {NAME[p]}") for p in drawn),
        Line2D([], [], color="black", **BAND, label="SVM direction"),
        *extra,
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 4))


def colour(i) -> str:
    """Of input number i, from 1."""
    return SERIES[(int(i) - 1) % len(SERIES)]


def marker(i) -> str:
    """Of input number i, from 1."""
    return MARKERS[(int(i) - 1) % len(MARKERS)]


def _token(kind: str, i, size: float) -> dict:
    optimal = kind == "optimal_token"
    return {
        "linestyle": "none",
        "color": colour(i),
        "marker": "*" if optimal else marker(i),
        "markersize": 2.2 * size if optimal else size,
        "markeredgecolor": "black" if optimal else "white",
        "markeredgewidth": 0.5,
    }


def _wide(dashes):
    """The same dashes in points on the thick band: matplotlib scales them with the line width."""
    return dashes if dashes == "-" else (0, tuple(0.35 * x for x in dashes[1]))


def _arrow_heads(axes, points, colour: str) -> None:
    """Heads at shares of the visible length, each along the step it sits on."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    inside = (points >= [left, bottom]).all(1) & (points <= [right, top]).all(1)
    leaves = len(points) if inside.all() else int(inside.argmin())
    seen = points[:leaves:2]  # a step that swings to and fro has no direction of its own
    lengths = np.linalg.norm(np.diff(seen, axis=0) / [right - left, top - bottom], axis=1)
    if not lengths.sum() > 0:
        return
    along = np.concatenate([[0], lengths.cumsum()]) / lengths.sum()
    for share in ARROWS:
        k = int(np.clip(np.searchsorted(along, share), 1, len(seen) - 1))
        style = {"arrowstyle": "-|>", "color": colour, "linewidth": 0, "mutation_scale": 11, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", seen[k], seen[k - 1], arrowprops=style, zorder=4)
