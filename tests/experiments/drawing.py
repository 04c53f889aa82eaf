"""What every figure is tested for, on a small table: all of it is drawn, and the same table gives the same bytes."""

import pandas as pd
from matplotlib.figure import Figure

from attnsvm.plots.style import save

SETTINGS = {"width": 6.75, "font_size": 8}


class FigureCases:
    """Subclass it as `TestFigure`, with the `draw` of an experiment, a `table` and the `points` drawn of it (x, y)."""

    draw = None
    table: pd.DataFrame

    def points(self) -> pd.DataFrame:
        raise NotImplementedError

    def figure(self, settings=SETTINGS) -> Figure:
        return type(self).draw(self.table, settings)

    def test_every_number_of_the_table_is_drawn(self):
        wanted = {(round(float(x), 9), round(float(y), 9)) for x, y in self.points().to_numpy()}
        assert wanted
        assert wanted <= drawn_points(self.figure())

    def test_every_axis_is_labelled_and_some_text_explains_the_lines(self):
        figure = self.figure()
        assert all(axes.get_xlabel() for axes in figure.axes[-1:])
        assert any(axes.get_ylabel() for axes in figure.axes) or figure.get_supylabel()
        assert figure.legends or any(axes.get_legend() for axes in figure.axes)

    def test_the_same_table_gives_the_same_bytes(self, tmp_path):
        first, second = (save(self.figure(), tmp_path / name, dpi=80) for name in "ab")
        for one, other in zip(first, second, strict=True):
            assert one.read_bytes() == other.read_bytes()
        assert len(list(tmp_path.glob("[!.]*"))) == 4
        assert not list(tmp_path.glob("*.tmp"))

    def test_the_width_is_the_configured_one(self):
        assert self.figure({"width": 5.0, "font_size": 7}).get_size_inches()[0] == 5.0


def drawn_points(figure: Figure) -> set[tuple[float, float]]:
    lines = [line for axes in figure.axes for line in axes.get_lines()]
    return {(round(float(x), 9), round(float(y), 9)) for line in lines for x, y in zip(*line.get_data(), strict=True)}


def medians(table: pd.DataFrame, keys: list[str], x: str, quantities: list[str]) -> pd.DataFrame:
    """The points (x, median) of each quantity over the groups of `keys`."""
    middle = table.groupby(keys)[quantities].median().reset_index()
    return pd.concat([middle[[x, y]].dropna().set_axis(["x", "y"], axis=1) for y in quantities])


def convergence_types() -> pd.DataFrame:
    """Rows as the convergence types have them."""
    frame = pd.DataFrame(
        {"n": n, "T": T, "d": d, "parametrisation": p, "type": kind, "share": 0.1 * k + 0.01 * d, "instances": 500}
        for n, T in ((3, 3), (5, 5))
        for d in (2, 8)
        for p in ("W", "KQ")
        for k, kind in enumerate(("global", "local", "not_local", "not_saturated", "all_support"))
    )
    return frame.assign(low=frame.share - 0.02, high=frame.share + 0.02)
