"""The moving picture of the front page: W(k) z turns towards its max-margin direction, and one token gets all weight.

An svg in the page, moved by the style sheet inside it, without JavaScript. It does not move for readers who asked their
system for less motion, and a checkbox stops it. It is drawn from the rows of W in figures/trajectories.csv.
"""

import numpy as np
import pandas as pd

from attnsvm.analysis.probabilities import softmax

FRAMES = 48
SECONDS, HELD = 12, 0.15  # of one round, and the share of it in which the end is held
SIZE, RIM = 400, 172  # of the picture, and of the disc in it
DOT, GLOW = 5.0, 24.0  # radius of a token, and of its glow with all the attention
STAR = [(np.sin(k * np.pi / 5) * r, -np.cos(k * np.pi / 5) * r) for k, r in enumerate((9.0, 3.8) * 5)]


def picture(table: pd.DataFrame) -> str:
    """What is inside the svg, from rows (kind, parametrisation, input, token, step, x, y).

    The attention of a token is its part of the softmax of x_tᵀ W(k) z_i.
    """
    run = table[(table["kind"] == "trajectory") & (table["parametrisation"] == "W")]
    goals = table[(table["kind"] == "svm_direction") & (table["parametrisation"] == "W")]
    steps = _steps(run["step"].max())
    style, back, front = [], [], []
    for number, own in run.groupby("input"):
        own = own.set_index("step").loc[steps]
        course = own[["x", "y"]].to_numpy()
        points = _bent(course)
        goal = goals[goals["input"] == number][["x", "y"]].to_numpy()[0]
        name = f"m{number:.0f}"
        back.append(_band(goal / np.hypot(*goal), name))
        front.append(_path(points, name))
        style += [_drawing(points, name), _moving(points, name)]
        tokens = table[table["kind"].isin(("token", "optimal_token")) & (table["input"] == number)]
        places = _bent(tokens[["x", "y"]].to_numpy())
        attention = softmax(course @ tokens[["x", "y"]].to_numpy().T)
        for k, (place, kind) in enumerate(zip(places, tokens["kind"], strict=True)):
            token = f"{name}t{k}"
            back.append(f'<circle class="{name} glow {token}" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{GLOW}"/>')
            front.append(_token(place, kind == "optimal_token", name))
            style.append(_glowing(attention[:, k], token))
    disc = f'<circle class="rim" cx="{SIZE / 2:.0f}" cy="{SIZE / 2:.0f}" r="{RIM}"/>'
    return f"<style>{''.join(style)}</style>{disc}{''.join(back)}{''.join(front)}"


def _steps(last: float) -> list[int]:
    """About `FRAMES` steps from 0 to the last, equally spaced on a logarithmic axis."""
    return sorted({0, *np.round(np.geomspace(1, last, FRAMES)).astype(int).tolist()})


def _bent(points: np.ndarray) -> np.ndarray:
    """Points (L, 2) of the plane in the picture: directions are true, the rim is infinitely far."""
    radius = np.hypot(*points.T)[:, None]
    return SIZE / 2 + RIM * points / (1 + radius) * (1, -1)


def _band(unit: np.ndarray, name: str) -> str:
    x, y = SIZE / 2 + RIM * unit * (1, -1)
    return f'<path class="{name} band" d="M{SIZE / 2:.0f} {SIZE / 2:.0f}L{x:.1f} {y:.1f}"/>'


def _path(points: np.ndarray, name: str) -> str:
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    x, y = points[-1]
    return (
        f'<path class="{name} course" pathLength="1" d="M{line}"/>'
        f'<circle class="{name} head" r="4" transform="translate({x:.1f} {y:.1f})"/>'
    )


def _token(place: np.ndarray, optimal: bool, name: str) -> str:
    x, y = place
    if optimal:
        corners = " ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in STAR)
        return f'<polygon class="{name} star" points="{corners}"/>'
    return f'<circle class="{name} token" cx="{x:.1f}" cy="{y:.1f}" r="{DOT}"/>'


def _drawing(points: np.ndarray, name: str) -> str:
    """The curve grows: its dash begins where the run has come to."""
    along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    return _frames(f"{name}d", [f"stroke-dashoffset:{1 - share:.4f}" for share in along / along[-1]], f".course.{name}")


def _moving(points: np.ndarray, name: str) -> str:
    return _frames(f"{name}h", [f"transform:translate({x:.1f}px,{y:.1f}px)" for x, y in points], f".head.{name}")


def _glowing(attention: np.ndarray, token: str) -> str:
    """A glow whose area is the attention."""
    last = f".{token}{{transform:scale({np.sqrt(attention[-1]):.3f})}}"
    return last + _frames(f"{token}g", [f"transform:scale({np.sqrt(share):.3f})" for share in attention], f".{token}")


def _frames(name: str, states: list[str], selector: str) -> str:
    times = np.linspace(0, 100 * (1 - HELD), len(states))
    frames = "".join(f"{time:.1f}%{{{state}}}" for time, state in zip(times[:-1], states[:-1], strict=True))
    frames += f"{times[-1]:.1f}%,to{{{states[-1]}}}"
    return f"@keyframes {name}{{{frames}}}{selector}{{animation:{name} {SECONDS}s linear infinite}}"
