"""Every plot on a small table: what is drawn is the table, and the same table gives the same bytes."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from attnsvm import plots
from attnsvm.errors import UserError
from attnsvm.plots.style import save

SETTINGS = {"width": 6.75, "font_size": 8}


def local_convergence():
    rows = [
        {"parametrisation": p, "quantity": q, "step": k, "mean": 1 - 0.9**k, "std": 0.1, "instances": 100}
        for p in ("W", "KQ")
        for q in ("softmax", "corr_fro", "corr_nuc")
        for k in range(0, 50, 10)
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


def types(experiment=None):
    frame = pd.DataFrame(
        {"n": n, "T": T, "d": d, "parametrisation": p, "type": kind, "share": 0.1 * k + 0.01 * d, "instances": 500}
        for n, T in ((3, 3), (5, 5))
        for d in (2, 8)
        for p in ("W", "KQ")
        for k, kind in enumerate(("global", "local", "not_local", "not_saturated", "all_support"))
    )
    return frame.assign(low=frame.share - 0.02, high=frame.share + 0.02)


def token_count():
    table = types()
    return table[table.n == 5].assign(T=lambda rows: rows.d, d=10)


def self_attention():
    tables = {"self_local_convergence": local_convergence(), "self_convergence_types": types()}
    return pd.concat([table.assign(experiment=name) for name, table in tables.items()], ignore_index=True)


def feasibility():
    return pd.DataFrame(
        {"n": n, "T": 5, "d": d, "attention": attention, "alpha": alpha, "share": d / 10 + n / 100, "low": 0, "high": 1}
        | {"instances": 300}
        for n in (5, 10)
        for d in (1, 4, 8)
        for attention in ("cross", "self")
        for alpha in ("optimal", "random", "worst")
    )


def regularisation_path():
    return pd.DataFrame(
        {"norm": norm, "R": R, "correlation": 1 - 0.1 / R, "distance": 1 / R, "loss": 0.5 + s / R, "seed": s}
        for norm in ("fro", "nuc")
        for R in (1.0, 10.0, 100.0)
        for s in range(3)
    )


def norm_growth():
    return pd.DataFrame(
        {"condition": c, "step": k, "norm": 1 + k, "gradient_norm": 0.1 / k, "seed": s}
        | {"correlation": np.nan if c == "contradicting" else 1 - 0.5 / k}
        for c in ("all_support", "equal_scores", "neither", "contradicting")
        for k in (1, 10, 100)
        for s in range(3)
    )


def cone():
    return pd.DataFrame(
        {"kind": kind, "R": R, "mu": mu, "end": end, "share": 0.9 - mu + R / 1e4, "low": 0.1, "high": 1, "instances": 9}
        for kind in ("locally_optimal", "not_locally_optimal")
        for R in (10.0, 100.0)
        for mu in (0.0, 0.1)
        for end in ("stayed", "converged")
    )


TABLES = {
    "local_convergence": local_convergence(),
    "svm_rank": svm_rank(),
    "convergence_types": types(),
    "token_count": token_count(),
    "self_attention": self_attention(),
    "feasibility": feasibility(),
    "regularisation_path": regularisation_path(),
    "norm_growth": norm_growth(),
    "cone": cone(),
}


def drawn_points(figure: Figure) -> set[tuple[float, float]]:
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    return {(round(float(x), 9), round(float(y), 9)) for line in lines for x, y in zip(*line.get_data(), strict=True)}


def expected_points(name: str, table: pd.DataFrame):
    if name == "local_convergence":
        return table[["step", "mean"]]
    if name == "svm_rank":
        return table[["d", "rank_mean"]].dropna()
    if name in ("convergence_types", "token_count"):
        return table[["T" if name == "token_count" else "d", "share"]]
    if name == "self_attention":
        curves, shares = table.dropna(subset=["mean"]), table.dropna(subset=["share"])
        return pd.DataFrame(np.concatenate([curves[["step", "mean"]], shares[["d", "share"]]]))
    if name == "feasibility":
        return table[["d", "share"]]
    if name == "regularisation_path":
        return _medians(table, ["norm", "R"], "R", ["correlation", "distance", "loss"])
    if name == "norm_growth":
        table = table.assign(correlation=1 - table.correlation)
        return _medians(table, ["condition", "step"], "step", ["norm", "gradient_norm", "correlation"])
    if name == "cone":
        place = table.mu.map({0.0: 0, 0.1: 1}) + 0.06 * (table.R.map({10.0: 0, 100.0: 1}) - 1)
        return pd.DataFrame({"x": place, "y": table.share})[table.end == "converged"]


def _medians(table, keys, x, quantities):
    middle = table.groupby(keys)[quantities].median().reset_index()
    return pd.DataFrame(np.concatenate([middle[[x, y]].dropna() for y in quantities]))


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
