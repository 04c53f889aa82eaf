"""Every plot on a small table: what is drawn is the table, and the same table gives the same bytes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from attnsvm import plots
from attnsvm.errors import UserError
from attnsvm.plots.style import save

SETTINGS = {"width": 6.75, "font_size": 8}


def planar(separators):
    rng = np.random.default_rng(0)
    rows = [
        {"kind": "optimal_token" if t == 1 else "token", "input": i, "token": t, "x": rng.normal(), "y": rng.normal()}
        for i in (1, 2)
        for t in (1, 2, 3)
    ]
    for p in ("W", "KQ"):
        for i in (1, 2):
            rows += [
                {"kind": "trajectory", "parametrisation": p, "input": i, "step": k, "x": i * k, "y": -k}
                for k in range(5)
            ]
            rows.append({"kind": "svm_direction", "parametrisation": p, "input": i, "x": 100.0 * i, "y": -100.0})
            if separators:
                ends = [{"step": k, "x": 100.0 * k - 50, "y": 50.0 - 100 * k} for k in (0, 1)]
                rows += [{"kind": "separator", "parametrisation": p, "input": i, **end} for end in ends]
    return pd.DataFrame(rows)


def local_convergence():
    rows = [
        {"parametrisation": p, "quantity": q, "step": k, "mean": 1 - 0.9**k, "std": 0.1, "instances": 100}
        for p in ("W", "KQ")
        for q in ("softmax", "corr_fro", "corr_nuc")
        for k in range(0, 50, 10)
    ]
    return pd.DataFrame(rows)


def normalisation():
    rows = [
        {"normalisation": kind, "parametrisation": p, "step": k, "median": 1 / k, "low": 0.5 / k, "high": 2 / k}
        | {"mean": 1.1 / k, "instances": 10}
        for kind in ("published", "exact")
        for p in ("W", "KQ")
        for k in (1, 10, 100)
    ]
    return pd.DataFrame(rows)


def svm_rank():
    rows = [
        {"n": n, "T": T, "d": d, "norm": norm, "method": method, "instances": 10, "feasible": 0 if d == 1 else 10}
        | {
            "rank_mean": np.nan if d == 1 and method == "certified" else float(min(n, d)),
            "rank_std": 0.5,
            "gap_max": 1e-9,
        }
        for n, T in ((5, 5), (10, 5), (5, 10))
        for d in (1, 5, 20)
        for norm in ("fro", "nuc")
        for method in ("certified", "published")
    ]
    return pd.DataFrame(rows)


def multi_token():
    rows = []
    for d in (4, 6):
        common = {"d": d, "accepted": 3, "tried": 40}
        for solution in ("svmeq", "mm", "one_token"):
            curve = {"panel": "curve", "solution": solution}
            rows += [common | curve | {"step": k, "value": 1 / (k + d)} for k in (1, 101, 201)]
        scatter = {"panel": "scatter", "solution": "svmeq", "step": 201}
        rows += [common | scatter | {"seed": s, "value": 0.01 * s, "unselected_max": 10.0**-s} for s in (6, 9, 15)]
    return pd.DataFrame(rows)


def penalised_head():
    return pd.DataFrame(
        {
            "lambda": x,
            "selected": k,
            "optimal": k,
            "distance": 0.01,
            "solution": name,
            "value": 0.1 / (k + s),
            "seed": s,
        }
        for k, x in enumerate((0.1, 1.0, 10.0), start=1)
        for name in ("mm", "svmeq")
        for s in range(4)
    )


def sequence():
    return pd.DataFrame(
        {"attention": a, "parametrisation": p, "step": k, "mean": 1 - 0.5 / k, "std": 0.1, "instances": 100}
        for a in ("sequence", "causal")
        for p in ("W", "KQ")
        for k in (1, 10, 100)
    )


def positional():
    return pd.DataFrame(
        {"tokens": tokens, "quantity": quantity, "seed": s, "value": 1 - 0.1 / (s + k) if k else 2.0 + s}
        for tokens in ("plain", "encoded", "added")
        for k, quantity in enumerate(("norm", "correlation"))
        for s in range(1, 4)
    )


TABLES = {
    "trajectories": planar(separators=False),
    "hyperplanes": planar(separators=True),
    "local_convergence": local_convergence(),
    "normalisation": normalisation(),
    "svm_rank": svm_rank(),
    "multi_token": multi_token(),
    "penalised_head": penalised_head(),
    "sequence": sequence(),
    "positional": positional(),
}


def drawn_points(figure: Figure) -> set[tuple[float, float]]:
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    return {(round(float(x), 9), round(float(y), 9)) for line in lines for x, y in zip(*line.get_data(), strict=True)}


def expected_points(name: str, table: pd.DataFrame):
    if name in ("trajectories", "hyperplanes"):
        return table[["x", "y"]]
    if name == "local_convergence":
        return table[["step", "mean"]]
    if name == "normalisation":
        return table[["step", "median"]]
    if name == "svm_rank":
        return table[["d", "rank_mean"]].dropna()
    if name == "penalised_head":
        by_penalty = table.groupby(["lambda", "solution"]).value.median().reset_index()[["lambda", "value"]]
        by_count = table.groupby(["selected", "solution"]).value.median().reset_index()[["selected", "value"]]
        return pd.DataFrame(np.concatenate([table[["lambda", "selected"]], by_penalty, by_count]))
    if name == "sequence":
        return table[["step", "mean"]]
    if name == "positional":
        norms = table[table.quantity == "norm"].pivot(index="seed", columns="tokens", values="value")
        both = [1 / norms[["plain", name]] for name in ("encoded", "added")]
        return pd.DataFrame(np.concatenate(both))
    scatter = table[table.panel == "scatter"]
    return pd.concat(
        [
            table.loc[table.panel == "curve", ["step", "value"]].set_axis(["x", "y"], axis=1),
            scatter[["unselected_max", "value"]].set_axis(["x", "y"], axis=1),
        ]
    )


def test_there_is_a_table_here_for_every_figure():
    assert set(TABLES) == set(plots.FIGURES)


@pytest.mark.parametrize("name", plots.FIGURES)
def test_every_number_of_the_table_is_drawn(name):
    figure = plots.draw(name, TABLES[name], SETTINGS)
    wanted = {(round(float(x), 9), round(float(y), 9)) for x, y in expected_points(name, TABLES[name]).to_numpy()}
    assert wanted <= drawn_points(figure)


@pytest.mark.parametrize("name", plots.FIGURES)
def test_every_axis_is_labelled_and_some_text_explains_the_lines(name):
    figure = plots.draw(name, TABLES[name], SETTINGS)
    assert all(axes.get_xlabel() for axes in figure.axes[-1:])
    assert any(axes.get_ylabel() for axes in figure.axes) or figure.get_supylabel()
    assert figure.legends or any(axes.get_legend() for axes in figure.axes)


@pytest.mark.parametrize("name", plots.FIGURES)
def test_same_table_same_bytes(name, tmp_path):
    first = save(plots.draw(name, TABLES[name], SETTINGS), tmp_path / "a", dpi=80)
    second = save(plots.draw(name, TABLES[name], SETTINGS), tmp_path / "b", dpi=80)
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert len(list(tmp_path.glob("[!.]*"))) == 4
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.parametrize("name", plots.FIGURES)
def test_the_width_is_the_configured_one(name):
    figure = plots.draw(name, TABLES[name], {"width": 5.0, "font_size": 7})
    assert figure.get_size_inches()[0] == 5.0


def test_nothing_is_drawn_where_there_is_no_feasible_instance():
    figure = plots.draw("svm_rank", TABLES["svm_rank"].query("method == 'certified'"), SETTINGS)
    ranks = {y for x, y in drawn_points(figure) if x == 1.0 and np.isfinite(y)}
    assert ranks == {0.0}  # the share feasible, and no rank


def test_an_unknown_figure_is_refused_with_the_known_ones():
    with pytest.raises(UserError, match=r"'ranks'.*trajectories"):
        plots.draw("ranks", TABLES["svm_rank"], SETTINGS)
