"""Loss-data curves: what is drawn is what is read off them."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from eevee import plots
from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataCurve
from eevee.plots.probes import MOST_CURVES, draw_probes

N = np.array([10, 100, 1000])


def curves(names: list[str]) -> list[LossDataCurve]:
    return [
        LossDataCurve.of(N, np.stack([5 / N**0.5, 6 / N**0.5 + i], 1), n_classes=4, name=name)
        for i, name in enumerate(names)
    ]


def test_every_measure_of_a_curve_is_drawn_and_lower_bounds_are_open():
    found = curves(["a", "b"])
    data = plots.probes_data(found, epsilon=0.5, rule="right")
    assert list(data["measure"].unique()) == ["va", "mdl", "sdl", "esc"]
    figure = Figure()
    for i, curve in enumerate(found):
        own = data[data["curve"] == curve.name].set_index(["measure", "n"])
        for n in map(int, N):
            assert own.loc[("va", n), "value"] == curve.va(n).value
            assert own.loc[("mdl", n), "value"] == curve.mdl(n, "right").value
            assert own.loc[("sdl", n), "value"] == curve.sdl(0.5, n, "right").value
            assert own.loc[("esc", n), "bound"] == curve.esc(0.5, n).bound
        ax = figure.add_subplot()
        draw_probes(ax, data, "esc")
        line, open_ones = ax.lines[2 * i : 2 * i + 2]
        assert list(line.get_ydata()) == [curve.esc(0.5, int(n)).value for n in N]
        bounds = [n for n in N if curve.esc(0.5, int(n)).bound == "lower"]
        assert list(open_ones.get_xdata()) == bounds


def test_the_data_survives_a_csv_file(tmp_path):
    data = plots.probes_data(curves(["$x_1$", "two\nlines", "NA"]), epsilon=0.5)
    data.to_csv(tmp_path / "data.csv", index=False)
    read = plots.read_data(tmp_path / "data.csv")
    drawn = []
    for one in (data, read):
        ax = Figure().subplots()
        draw_probes(ax, one)
        drawn.append([line.get_xydata().tolist() for line in ax.lines])
        assert ax.get_legend_handles_labels()[1] == [r"\$x_1\$", "two lines", "NA", "ε = 0.5"]
    assert drawn[0] == drawn[1]


def test_more_curves_than_colours_are_grey_and_counted():
    data = plots.probes_data(curves([f"model {i}" for i in range(30)]), epsilon=0.5)
    ax = Figure().subplots()
    draw_probes(ax, data, "mdl")
    (grey,) = [one for one in ax.collections if isinstance(one, LineCollection)]
    assert len(grey.get_segments()) == 30 - MOST_CURVES
    assert f"({30 - MOST_CURVES} more)" in ax.get_legend_handles_labels()[1]
    highest = data.loc[data["measure"] == "mdl", "value"].max()
    assert ax.get_ylim()[1] > highest


@pytest.mark.figures
@pytest.mark.parametrize("width", [3.3, 7.0])
def test_nothing_is_cut_off_and_no_two_texts_meet(width: float):
    names = ["b", "a_rather_long_name_of_a_model_that_goes_on"]
    figure = plots.probes_figure(plots.probes_data(curves(names), epsilon=0.5), width)
    page = figure.bbox
    assert figure.get_figheight() <= 9.1
    assert len(figure.axes) == 4
    boxes = []
    for text in figure.findobj(mpl.text.Text):
        box = text.get_window_extent()
        if text.get_text() and text.get_visible() and box.width:
            boxes.append((text.get_text(), box))
    shown = [one for one in boxes if not one[0].startswith("$")]
    for text, box in shown:
        assert box.x0 >= -1, text
        assert box.x1 <= page.x1 + 1, text
        assert box.y1 <= page.y1 + 1, text
    for (one, a), (other, b) in combinations(shown, 2):
        wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide <= 0.5 or high <= 0.5 or not ({one, other} & set(names)), (one, other)


@pytest.mark.parametrize("change", [{"n": 0.0}, {"measure": "accuracy"}, {"value": "high"}])
def test_what_is_no_curve_of_a_probe_is_refused(change):
    data = plots.probes_data(curves(["a"]), epsilon=0.5)
    with pytest.raises(EeveeError, match="probes"):
        plots.probes_figure(data.assign(**change))
    with pytest.raises(EeveeError, match="no curve"):
        plots.probes_data([], epsilon=0.5)
    with pytest.raises(EeveeError, match="no 'mi'"):
        draw_probes(Figure().subplots(), data, "mi")
