"""Figures: what is drawn is computed exactly; drawing survives odd names and sizes."""

import os
import subprocess
import sys
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from eevee import plots
from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataCurve
from eevee.plots._style import every, label
from eevee.plots.cost import _levels
from eevee.search.front.pareto import ParetoResult
from eevee.search.result import SearchResult
from eevee.tables.results_table import ResultsTable

ODD_NAMES = [
    "$x_1$",
    "a_b^c",
    "100 % \\frac",
    "漢字",
    "🦊",
    "a" * 200,
    "two\nlines",
    "NA",
    "007",
    "<b>",
]
NOTHING = float("nan")


def ranking(n: int = 6, names: list[str] | None = None) -> pd.DataFrame:
    names = names or [f"b{i:03}" for i in range(n)]
    rng = np.random.default_rng(0)
    losses = rng.uniform(0.2, 1.2, len(names))
    return pd.DataFrame(
        {"benchmark": names, "task": "t", "cost": 1.0, "loss": losses, "spread": 0.1}
    )


def ablation(names: list[str]) -> pd.DataFrame:
    increase = np.linspace(-0.1, 0.3, len(names))
    return pd.DataFrame(
        {
            "benchmark": names,
            "loss_without": 0.3 + increase,
            "increase": increase,
            "increase_spread": 0.05,
        }
    )


def losses_over_k(ks: list[int], targets: tuple[str, ...] = ("all", "unseen")) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"k": k, "kind": kind, "targets": t, "loss": start / k + 0.01 * i}
            for k in ks
            for t in targets
            for kind, start in (("top", 1.0), ("random", 1.4))
            for i in range(5)
        ]
    )


def cloud(tiers: list[str], n: int = 50) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    cost = rng.uniform(1, 20, n)
    dots = pd.DataFrame(
        {
            "kind": np.where(np.arange(n) % 2, "random", "evaluated"),
            "name": "",
            "cost": cost,
            "loss": 1 / cost + rng.uniform(0, 0.2, n),
        }
    )
    costs = np.linspace(2, 18, len(tiers))
    marked = pd.DataFrame({"kind": "tier", "name": tiers, "cost": costs, "loss": 1 / costs})
    return pd.concat([dots, marked])


def front(tiers: list[str], n: int = 50) -> tuple[ParetoResult, dict[str, SearchResult]]:
    """A front of what `cloud` holds, and tiers that stand on no subset of it."""
    rows = cloud(tiers, n)
    dots = rows[rows["kind"] != "tier"].sort_values("cost", ignore_index=True)
    dots["benchmarks"] = [(f"b{i}",) for i in range(n)]
    lowest = dots[dots["loss"] < dots["loss"].cummin().shift(fill_value=np.inf)]
    blank = pd.DataFrame()
    found = {
        row.name: SearchResult((), pd.DataFrame([row._asdict()]), blank, blank, "all", False, 1.0)
        for row in rows[rows["kind"] == "tier"].itertuples(index=False)
    }
    return ParetoResult(lowest, dots, blank, "all", False, 1.0, 20.0, 0.5), found


def results(n_models: int = 7, names: list[str] | None = None) -> ResultsTable:
    names = names or ["a", "b", "c", "d"]
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(n_models, 1)) + rng.normal(size=(n_models, len(names)))
    scores[0, 0] = NOTHING
    index = [f"model {i}" for i in range(n_models)]
    return ResultsTable.from_scores(pd.DataFrame(scores, index=index, columns=names))


def all_data(names: list[str]) -> dict[str, pd.DataFrame]:
    return {
        "rank": plots.rank_data(ranking(names=names), mean_predictor=1.0),
        "ablation": plots.ablation_data(ablation(names), loss=0.3),
        "sweep": plots.sweep_data(losses_over_k([1, 2, 5])),
        "heatmap": plots.heatmap_data(results(names=names)),
        "cost": plots.cost_data(cloud(names)),
        "pareto": plots.pareto_data(*front(names)),
        "learning": plots.learning_data(sizes([5, 9, 40, 1245])),
        "probes": plots.probes_data(curves(names), epsilon=0.5),
    }


def curves(names: list[str]) -> list[LossDataCurve]:
    return [
        LossDataCurve.of([10, 100, 1000], [2.0 + i, 0.7 + i, 0.3], n_classes=4, name=name)
        for i, name in enumerate(names)
    ]


def sizes(n_models: list[int]) -> pd.DataFrame:
    loss = 0.2 + 3 / np.array(n_models)
    columns = {"n_models": n_models, "loss": loss, "t_low": loss - 0.1, "t_high": 2 * loss}
    return pd.DataFrame(columns).assign(random=1.2 * loss, mean_predictor=1.1)


def texts(figure: Figure) -> list[str]:
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(mpl.text.Text) if text.get_text()]


# --- rank


def test_ranking_is_by_loss_then_cost_then_name():
    frame = pd.DataFrame(
        {
            "benchmark": ["d", "c", "b", "a"],
            "task": ["x", None, "x", "y"],
            "cost": [1.0, 1.0, 2.0, 1.0],
            "loss": [0.5, 0.2, 0.5, 0.5],
            "spread": 0.1,
        }
    )
    data = plots.rank_data(frame, mean_predictor=1.1)
    assert list(data) == ["benchmark", "task", "cost", "loss", "spread", "mean_predictor"]
    assert data["benchmark"].tolist() == ["c", "a", "d", "b"]
    assert data["task"].tolist() == ["", "y", "x", "x"]
    assert data["mean_predictor"].tolist() == [1.1] * 4


def test_ranking_leaves_out_what_has_no_loss_and_needs_neither_task_nor_cost():
    frame = pd.DataFrame({"benchmark": ["a", "b"], "loss": [NOTHING, 0.2], "spread": 0.1})
    data = plots.rank_data(frame)
    assert data["benchmark"].tolist() == ["b"]
    assert data[["cost", "mean_predictor"]].isna().all(axis=None)


def test_lowest_loss_is_at_the_top():
    figure = plots.rank_figure(plots.rank_data(ranking(3)))
    (ax,) = figure.axes
    best = plots.rank_data(ranking(3))["benchmark"][0]
    heights = {t.get_text(): ax.transData.transform((0, y))[1] for t, y in ticks(ax)}
    assert max(heights, key=heights.__getitem__) == best


def ticks(ax):
    return zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)


def test_tasks_have_looks_of_their_own_up_to_eight():
    def legend(n_tasks: int) -> list[str]:
        frame = ranking(20).assign(task=[f"task {i % n_tasks}" for i in range(20)])
        legends = plots.rank_figure(plots.rank_data(frame)).legends
        return [text.get_text() for legend in legends for text in legend.get_texts()]

    assert legend(1) == []
    assert legend(8) == [f"task {i}" for i in range(8)]
    assert legend(9) == []


def test_a_long_ranking_shows_both_ends():
    figure = plots.rank_figure(plots.rank_data(ranking(300)))
    order = plots.rank_data(ranking(300))["benchmark"].tolist()
    shown = [t.get_text() for t, _ in ticks(figure.axes[0])]
    assert shown == [*order[:36], "(256 more)", *order[-8:]]


# --- ablation


def test_ablation_is_by_falling_increase_then_name():
    frame = ablation(["b", "a", "c"]).assign(increase=[0.1, 0.1, 0.2])
    data = plots.ablation_data(frame, loss=0.25)
    columns = ["benchmark", "loss_without", "increase", "increase_spread", "loss"]
    assert list(data) == columns
    assert data["benchmark"].tolist() == ["c", "a", "b"]
    assert data["loss"].tolist() == [0.25] * 3


def test_bars_reach_to_the_rise_of_the_error():
    data = plots.ablation_data(ablation(["a", "b", "c"]), loss=0.25)
    (ax,) = plots.ablation_figure(data).axes
    rises = np.sqrt(0.25 + data["increase"]) - 0.5
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(rises.tolist())


# --- sweep


def test_sweep_has_the_quantiles_of_each_size_and_kind():
    frame = pd.DataFrame(
        {
            "k": [2] * 11 + [1] * 3,
            "kind": ["top"] * 11 + ["random"] * 3,
            "targets": ["all"] * 11 + ["unseen"] * 3,
            "loss": [*np.arange(11) / 10, 0.5, 0.7, NOTHING],
        }
    )
    data = plots.sweep_data(frame)
    top, random = data.to_dict("records")
    assert top == pytest.approx(
        {
            **{"targets": "all", "kind": "top", "k": 2, "subsets": 11},
            **{"lowest": 0.0, "p10": 0.1, "q1": 0.25, "median": 0.5, "q3": 0.75, "p90": 0.9},
            "highest": 1.0,
        }
    )
    assert (random["targets"], random["k"], random["subsets"]) == ("unseen", 1, 2)
    assert random["median"] == pytest.approx(0.6)


def test_the_lowest_loss_is_marked_and_of_equal_ones_the_smallest_k():
    frame = pd.DataFrame(
        {"k": [1, 2, 3], "kind": "top", "targets": "unseen", "loss": [0.3, 0.2, 0.2]}
    )
    (ax,) = plots.sweep_figure(plots.sweep_data(frame)).axes
    assert ax.get_title(loc="left").endswith("lowest at k = 2")
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    assert list(star.get_xdata()) == [2]
    assert list(star.get_ydata()) == pytest.approx([0.2**0.5])


def test_sweep_has_a_panel_for_each_kind_of_targets():
    both = plots.sweep_data(losses_over_k([1, 2, 3]))
    assert len(plots.sweep_figure(both).axes) == 2
    assert len(plots.sweep_figure(both[both["targets"] == "unseen"]).axes) == 1
    with pytest.raises(EeveeError, match="no losses with targets 'all'"):
        plots.draw_sweep(Figure().add_subplot(), both[both["targets"] == "unseen"], "all")


# --- heat map


def test_standing_is_one_for_the_best_and_zero_for_the_last():
    scores = pd.DataFrame(
        {"up": [3.0, 2.0, 1.0, NOTHING], "down": [0.1, 0.2, 0.2, 0.3]}, index=list("wxyz")
    )
    columns = pd.DataFrame(
        {
            "benchmark": ["up", "down"],
            "metric": "m",
            "direction": ["higher", "lower"],
            "direction_source": "read",
            "role": "score",
        },
        index=["up", "down"],
    )
    data = plots.heatmap_data(ResultsTable.from_scores(scores, columns=columns), by="up")
    assert list(data) == ["model", "benchmark", "standing", "correlation", "by"]
    cells = {(row.model, row.benchmark): row.standing for row in data.itertuples()}
    assert [cells[m, "up"] for m in "wxy"] == [1.0, 0.5, 0.0]
    assert np.isnan(cells["z", "up"])
    assert [cells[m, "down"] for m in "wxyz"] == [1.0, 0.5, 0.5, 0.0]


def test_models_are_by_mean_standing_and_benchmarks_by_correlation():
    scores = pd.DataFrame(
        {
            "against": [4.0, 3.0, 2.0, 1.0],
            "with": [1.0, 2.0, 3.0, 5.0],
            "near": [1.0, 2.0, 4.0, 3.0],
            "same": [10.0, 20.0, 30.0, 40.0],
        },
        index=list("wxyz"),
    )
    data = plots.heatmap_data(ResultsTable.from_scores(scores), by="with")
    assert data["benchmark"].unique().tolist() == ["with", "same", "near", "against"]
    assert data["model"].unique().tolist() == ["y", "z", "x", "w"]
    assert data["correlation"][:4].tolist() == pytest.approx([1.0, 1.0, 0.8, -1.0])


def test_a_benchmark_with_several_columns_has_the_mean_of_their_standings():
    scores = pd.DataFrame(
        {
            "a.x": [1.0, 2.0, 3.0],
            "a.y": [3.0, 2.0, 1.0],
            "a.p": [9.0, 1.0, 5.0],
            "b": [1.0, 3.0, 2.0],
        }
    )
    columns = pd.DataFrame(
        {
            "benchmark": ["a", "a", "a", "b"],
            "metric": "m",
            "direction": "higher",
            "direction_source": "read",
            "role": ["score", "score", "proxy", "score"],
        },
        index=scores.columns,
    )
    data = plots.heatmap_data(ResultsTable.from_scores(scores, columns=columns), by="b")
    assert data.query("benchmark == 'a'")["standing"].tolist() == [0.5, 0.5, 0.5]


def test_by_default_benchmarks_are_compared_with_the_most_typical_one():
    scores = pd.DataFrame(
        {
            "odd": [2.0, 4.0, 1.0, 3.0],
            "typical": [1.0, 2.0, 3.0, 4.0],
            "other": [1.0, 2.0, 4.0, 3.0],
        }
    )
    data = plots.heatmap_data(ResultsTable.from_scores(scores))
    assert data["by"].unique().tolist() == ["typical"]


def test_a_heat_map_can_show_only_the_benchmarks_of_a_tier():
    data = plots.heatmap_data(results(), by="c", benchmarks=["d", "a"])
    assert set(data["benchmark"]) == {"a", "d"}
    assert set(data["by"]) == {"c"}


def test_an_unknown_benchmark_is_an_error():
    with pytest.raises(EeveeError, match="no benchmark 'z'"):
        plots.heatmap_data(results(), by="z")
    with pytest.raises(EeveeError, match="no benchmark 'z'"):
        plots.heatmap_data(results(), benchmarks=["z"])


def test_cells_without_overlap_are_no_trouble():
    scores = pd.DataFrame(
        {
            "a": [1.0, 2.0, 3.0, NOTHING],
            "b": [NOTHING, NOTHING, 1.0, 2.0],
            "c": [1.0, 1.0, 1.0, 2.0],
        }
    )
    data = plots.heatmap_data(ResultsTable.from_scores(scores), by="a")
    assert data["benchmark"].unique().tolist() == ["a", "b", "c"]
    assert data["correlation"].isna().sum() == 8
    plots.heatmap_figure(data).draw_without_rendering()


def test_missing_cells_are_said_to_be_hatched():
    data = plots.heatmap_data(results())
    assert "not measured" in plots.heatmap_figure(data).axes[0].get_xlabel()
    complete = data.fillna({"standing": 0.5})
    assert "not measured" not in plots.heatmap_figure(complete).axes[0].get_xlabel()


def test_labels_are_thinned_out_where_there_is_no_room():
    """Every model of a hundred has its name; of more, every nth."""
    assert len(plots.heatmap_figure(plots.heatmap_data(results(90))).axes[0].get_yticks()) == 90
    figure = plots.heatmap_figure(plots.heatmap_data(results(287)))
    assert figure.get_figheight() < 15
    assert 20 < len(figure.axes[0].get_yticks()) < 100
    assert every(10, inches=5.0) == 1
    assert every(100, inches=5.0) * 5.0 / 100 > 7 / 72  # a line of 7 pt


# --- cost


def test_cost_is_the_front_random_subsets_in_short_and_the_tiers():
    frame = pd.DataFrame(
        {
            "kind": ["tier", "evaluated", "random", "random", "random", "evaluated", "unseen"],
            "name": ["small", None, "small", "small", "big", None, "small"],
            "cost": [2.0, 1.0, 1.0, 2.0, 3.0, NOTHING, 2.0],
            "loss": [0.4, 0.6, 0.5, 0.7, 0.45, 0.1, 0.8],
        }
    )
    data = plots.cost_data(frame)
    assert list(data) == ["kind", "name", "cost", "loss", "low", "high"]
    drawn = dict(list(data.groupby("kind")))
    assert drawn["front"][["cost", "loss"]].to_numpy().tolist() == [[1.0, 0.5], [2.0, 0.4]]
    random = drawn["random"].set_index("name")[["cost", "loss", "low", "high"]]
    assert random.loc["small"].tolist() == pytest.approx([1.5, 0.6, 0.52, 0.68])
    assert random.loc["big"].tolist() == pytest.approx([3.0, 0.45, 0.45, 0.45])
    assert drawn["tier"][["name", "loss"]].to_numpy().tolist() == [["small", 0.4]]
    assert drawn["unseen"]["loss"].tolist() == [0.8]
    assert len(plots.cost_data(cloud(["small"], 6000))) < 200  # a line, not 6,000 dots


def test_cost_of_an_earlier_run_folder_can_still_be_drawn():
    earlier = cloud(["small"]).assign(best=0.1)
    (ax,) = plots.cost_figure(earlier).axes
    (line,) = [one for one in ax.lines if one.get_drawstyle() == "steps-post"]
    assert min(line.get_ydata()) == pytest.approx(earlier["loss"].min() ** 0.5)


def test_a_name_stands_below_the_names_right_of_it_that_it_would_meet():
    assert _levels([0.1, 0.5, 0.9], [0.2, 0.2, 0.2]) == [0, 0, 0]
    assert _levels([0.1, 0.2, 0.9], [0.2, 0.2, 0.2]) == [1, 0, 0]
    assert _levels([0.1, 0.2, 0.3], [0.15, 0.15, 0.15]) == [2, 1, 0]
    assert _levels([0.1, 0.2, 0.3], [0.5, 0.05, 0.05]) == [1, 0, 0]


@pytest.mark.parametrize("log_x", [False, True])
def test_names_of_tiers_stand_below_every_dot(log_x):
    data = plots.cost_data(cloud(["small", "base", "big"]))
    figure = plots.cost_figure(data, "GPU-hours", log_x=log_x)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    lowest = ax.transData.transform((1, data["loss"].min() ** 0.5))[1]
    names = [t for t in ax.texts if t.get_text()]
    assert [t.get_text() for t in names] == ["small", "base", "big"]
    assert all(t.get_window_extent().y1 < lowest for t in names)
    assert ax.get_xlabel() == "cost (GPU-hours)"


# --- pareto


def test_pareto_data_is_the_front_by_both_losses_and_the_tiers():
    result, found = front(["small", "big"])
    result = replace(result, front=result.front.assign(unseen=result.front["loss"] + 0.1))
    data = plots.pareto_data(result, found)
    assert list(data) == ["kind", "name", "cost", "loss"]
    counts = data["kind"].value_counts().to_dict()
    assert counts == {"unseen": len(result.front), "front": len(result.front), "tier": 2}
    assert data["cost"].is_monotonic_increasing
    assert set(data.loc[data["kind"] == "tier", "name"]) == {"small", "big"}


@pytest.mark.parametrize("n", [10, 3000])
def test_front_is_one_step_line_in_both_panels_and_tiers_are_named(n: int):
    result, found = front(["small", "base", "big"], n)
    figure = plots.pareto_figure(plots.pareto_data(result, found), "GPU-hours")
    shown = texts(figure)
    for name in ("small", "base", "big"):
        assert shown.count(name) == 2
    left, right = figure.axes
    assert (left.get_xscale(), right.get_xscale()) == ("linear", "log")
    assert left.get_ylim() == right.get_ylim()
    for ax in (left, right):
        (line,) = [line for line in ax.lines if line.get_label() == "front"]
        assert line.get_drawstyle() == "steps-post"
        assert list(line.get_xdata()[:-1]) == result.front["cost"].tolist()
        roots = np.sqrt(result.front["loss"])
        assert list(line.get_ydata()[:-1]) == pytest.approx(roots.tolist())


def test_what_costs_nothing_is_left_out_of_the_log_panel_alone():
    frame = pd.DataFrame({"kind": "front", "name": "", "cost": [0.0, 2.0], "loss": [0.5, 0.2]})
    left, right = plots.pareto_figure(frame).axes
    assert [min(ax.lines[0].get_xdata()) for ax in (left, right)] == [0.0, 2.0]


# --- all of them


@pytest.mark.parametrize("kind", plots.FIGURES)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_data_survives_a_csv_file(tmp_path, kind):
    data = all_data(ODD_NAMES)[kind]
    data.to_csv(tmp_path / "data.csv", index=False)
    read = plots.read_data(tmp_path / "data.csv")
    assert list(read) == list(data)
    for name in data:
        if data[name].dtype.kind in "if":
            read_back = [float(value or "nan") for value in read[name]]
            np.testing.assert_array_equal(read_back, data[name])
        else:
            assert read[name].tolist() == data[name].tolist()
    plots.save_figure(plots.figure(kind, data), tmp_path / "a", ("png",))
    plots.save_figure(plots.figure(kind, read), tmp_path / "b", ("png",))
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("kind", plots.FIGURES)
@pytest.mark.slow
def test_the_same_data_gives_the_same_bytes(tmp_path, kind):
    for name in ("a", "b"):
        data = all_data(["x", "y", "z"])[kind]
        written = plots.save_figure(plots.figure(kind, data), tmp_path / name)
        assert written == [tmp_path / f"{name}.png", tmp_path / f"{name}.pdf"]
    for suffix in ("png", "pdf"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.pdf", "a.png", "b.pdf", "b.png"]
    assert b"CreationDate" not in (tmp_path / "a.pdf").read_bytes()


@pytest.mark.parametrize("kind", plots.FIGURES)
@pytest.mark.filterwarnings("ignore:Glyph")
def test_any_name_can_be_drawn(kind):
    figure = plots.figure(kind, all_data(ODD_NAMES)[kind])
    shown = texts(figure)
    if kind not in ("sweep", "learning"):  # no names in these
        assert r"\$x_1\$" in shown
        assert "a_b^c" in shown
        assert "two lines" in shown
    assert all(len(text) < 140 for text in shown)


@pytest.mark.parametrize("kind", plots.FIGURES)
@pytest.mark.slow
def test_one_benchmark_and_three_hundred_can_be_drawn(kind):
    for count in (1, 300):
        figure = plots.figure(kind, all_data([f"benchmark {i}" for i in range(count)])[kind])
        figure.draw_without_rendering()
        width, height = figure.get_size_inches()
        most = 15 if kind == "heatmap" else 9.5
        assert width < most
        assert height < most


@pytest.mark.parametrize("kind", plots.FIGURES)
def test_all_text_can_be_read_in_print(kind):
    figure = plots.figure(kind, all_data(["x", "y", "z"])[kind])
    sizes = [t.get_fontsize() for t in figure.findobj(mpl.text.Text) if t.get_text()]
    assert min(sizes) >= 7


LONG = "a_rather_long_name_of_a_benchmark_that_goes_on"


def in_a_paper(kind: str, count: int) -> pd.DataFrame:  # noqa: PLR0911
    """Data of a figure with this many benchmarks, or sizes, and long names among them."""
    names = [f"{LONG}_{i}" if i % 2 else f"b{i}" for i in range(count)]
    if kind == "heatmap":
        return plots.heatmap_data(results(240 if count > 100 else 6, names))
    if kind == "rank":
        tasks = [f"a task of several words {i % 3}" for i in range(count)]
        return plots.rank_data(ranking(names=names).assign(task=tasks), mean_predictor=1.0)
    if kind == "ablation":
        return plots.ablation_data(ablation(names), loss=0.3)
    if kind == "sweep":
        return plots.sweep_data(losses_over_k(list(range(1, count + 1))))
    if kind == "learning":
        return plots.learning_data(sizes([43, 52, 60, 69, 78, 86]))
    if kind == "probes":
        return plots.probes_data(curves(names), epsilon=0.5)
    tiers = ["small", "base", LONG]
    if kind == "pareto":
        return plots.pareto_data(*front(tiers, 20 * count))
    rows = cloud(tiers, 20 * count)
    return plots.cost_data(pd.concat([rows, rows[rows["kind"] == "tier"].assign(kind="unseen")]))


def overlap(one, other) -> bool:
    width = min(one.x1, other.x1) - max(one.x0, other.x0)
    height = min(one.y1, other.y1) - max(one.y0, other.y0)
    return width > 0.5 and height > 0.5  # dots of 72 an inch and more


PAGES = [
    *[pytest.param(5, width, id=f"5-{width}") for width in (3.3, 7.0)],
    pytest.param(300, 3.3, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("count", "width"), PAGES)
@pytest.mark.parametrize("kind", plots.FIGURES)
def test_in_a_column_of_a_paper_nothing_is_cut_off_and_no_two_texts_meet(kind, count, width):
    figure = plots.figure(kind, in_a_paper(kind, count), width=width)
    figure.draw_without_rendering()
    page = figure.bbox
    assert figure.get_figwidth() == width
    assert figure.get_figheight() <= 9.1  # a page, less its margins
    shown = [t for t in figure.findobj(mpl.text.Text) if t.get_text() and t.get_visible()]
    hidden = out_of_sight(figure)
    boxes = [(t.get_text(), t.get_window_extent()) for t in shown if id(t) not in hidden]
    for text, box in boxes:
        assert box.x0 >= -1, text
        assert box.y0 >= -1, text
        assert box.x1 <= page.x1 + 1, text
        assert box.y1 <= page.y1 + 1, text
    meeting = [
        (one, other)
        for i, (one, box) in enumerate(boxes)
        for other, its in boxes[i + 1 :]
        if overlap(box, its)
    ]
    assert not meeting


def out_of_sight(figure: Figure) -> set[int]:
    """Labels of ticks that lie outside of their axes, or of an axis that is not drawn."""
    hidden = set()
    for axes in figure.findobj(mpl.axes.Axes):
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not axis.get_visible() or not low <= tick.get_loc() <= high:
                    hidden |= {id(tick.label1), id(tick.label2)}
    return hidden


def test_thinned_names_are_said_to_be(monkeypatch):
    figure = plots.heatmap_figure(in_a_paper("heatmap", 60), width=3.3)
    ax = figure.axes[0]
    step = int(ax.get_xticks()[1] - ax.get_xticks()[0])
    assert step > 1
    assert f"every {step}" in ax.get_xlabel().replace("\n", " ")
    assert "every" not in ax.get_ylabel()
    figure = plots.rank_figure(in_a_paper("rank", 60), width=3.3)
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(names) == 45
    assert names[36] == "(16 more)"


def test_an_error_is_the_root_of_the_loss_beside_it():
    figure = plots.cost_figure(in_a_paper("cost", 5))
    figure.draw_without_rendering()
    (left,) = figure.axes
    (right,) = left.child_axes
    assert left.get_ylabel() == "error (standard deviations)"
    assert right.get_ylabel() == "search loss"
    assert len(right.get_yticks()) > 2
    for loss in right.get_yticks():
        there = right.transData.transform((0, loss))[1]
        assert there == pytest.approx(left.transData.transform((0, loss**0.5))[1])


def test_dots_and_whiskers_of_a_ranking_are_roots_of_losses():
    data = plots.rank_data(ranking(3), mean_predictor=1.44)
    (ax,) = plots.rank_figure(data).axes
    (dots,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert list(dots.get_xdata()) == pytest.approx(np.sqrt(data["loss"]).tolist())
    (whiskers,) = ax.collections
    ends = [(path[0][0], path[1][0]) for path in whiskers.get_segments()]
    true = [(np.sqrt(loss - 0.1), np.sqrt(loss + 0.1)) for loss in data["loss"]]
    np.testing.assert_allclose(ends, true)
    (bound,) = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert set(bound.get_xdata()) == {1.2}


def test_importing_the_module_imports_no_pyplot_and_no_torch():
    code = (
        "import sys, eevee.plots;"
        "print([m for m in ('matplotlib.pyplot', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_drawing_leaves_settings_alone():
    before = dict(mpl.rcParams)
    for kind, data in all_data(["x", "y", "z"]).items():
        plots.figure(kind, data)
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("kind", "frame", "message"),
    [
        ("rank", pd.DataFrame({"benchmark": ["a"]}), "rank: the data has no column 'task'"),
        ("rank", plots.rank_data(ranking(3)).head(0), "rank: there is nothing to draw"),
        ("rank", plots.rank_data(ranking(1)).assign(loss="x"), "rank: column 'loss': could not"),
        ("sweep", pd.DataFrame({"targets": ["other"]}), "must be 'all' or 'unseen'"),
        ("sweep", pd.DataFrame({"k": [1]}), "sweep: the data has no column 'targets'"),
        ("cost", pd.DataFrame({"kind": ["tier"]}), "cost: the data has no column 'name'"),
        ("heatmap", pd.DataFrame({"model": ["m"]}), "heatmap: the data has no column"),
        ("ablation", pd.DataFrame(), "ablation: the data has no column 'benchmark'"),
        ("heat", pd.DataFrame(), r"no figure 'heat' \(did you mean 'heatmap'\?\)"),
    ],
)
def test_data_of_another_kind_is_one_line(kind, frame, message):
    with pytest.raises(EeveeError, match=message):
        plots.figure(kind, frame)


def test_files_that_cannot_be_read_or_written_are_one_line(tmp_path):
    with pytest.raises(EeveeError, match=r"nothing\.csv"):
        plots.read_data(tmp_path / "nothing.csv")
    (tmp_path / "empty.csv").touch()
    with pytest.raises(EeveeError, match=r"empty\.csv"):
        plots.read_data(tmp_path / "empty.csv")
    figure = plots.figure("rank", plots.rank_data(ranking(3)))
    with pytest.raises(EeveeError, match="cannot be written"):
        plots.save_figure(figure, tmp_path / "nowhere" / "rank")
    with pytest.raises(EeveeError, match="not as 'bmp'"):
        plots.save_figure(figure, tmp_path / "rank", ("bmp",))


def test_long_names_are_shortened_in_the_middle():
    assert label("short") == "short"
    assert label("x" * 32) == "x" * 32
    assert label("a" * 20 + "b" * 20, 10) == "aaaaa…bbbb"
    assert len(label("a" * 100, 9)) == 9
    assert label("tab\there\x00") == "tab here"
