"""From results to the files of a run folder, with any scorer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.analysis.overview import overview
from eevee.report import searches as jobs
from eevee.scorers.mlp.scorer import MLPScorer
from eevee.search.curve import best_losses
from eevee.search.procedure import Procedure
from eevee.splits.splits import shuffle_splits
from eevee.tables.results_table import ResultsTable
from eevee.tiers.goals import make_goals, search_tiers
from tests.conftest import made_table


@pytest.fixture(scope="module")
def scorer() -> MLPScorer:
    table = made_table(14, 5)
    return MLPScorer(table, shuffle_splits(table, n_splits=2), epochs=5)


def test_the_cost_figure_holds_every_subset_and_each_tier(scorer: MLPScorer):
    found = search_tiers(
        scorer, make_goals(scorer, {"big": 4, "small": 2}), procedure=Procedure(n_rescore=2)
    )
    both = best_losses(scorer, found)
    frame = overview(scorer, found, both).cloud
    tiers = frame[frame["kind"] == "tier"].set_index("name")
    assert set(tiers.index) == {"small", "big"}
    for name, result in found.items():
        assert tiers.loc[name, "cost"] == result.best_row["cost"]
        assert tiers.loc[name, "loss"] == result.best_row["loss"] == both.loc[name, "all"]
    unseen = frame[frame["kind"] == "unseen"].set_index("name")
    expected = scorer.with_targets("unseen").losses([found["small"].best, found["big"].best])
    assert unseen.loc[["small", "big"], "loss"].tolist() == expected.tolist()
    points = sum(result.evaluated["drawn"].clip(lower=1).sum() for result in found.values())
    assert len(frame) == 4 + points
    assert (frame["cost"] <= 4).all()


@pytest.mark.slow
def test_blank_losses_leave_out_costs_and_ablation(scorer: MLPScorer, tmp_path: Path):
    """At k = n nothing is unseen."""
    blank = scorer.with_targets("unseen")
    result = eevee.select(blank, 5, method="cheapest", baselines=False)
    assert result.evaluated["loss"].isna().all()
    shown = overview(blank, {"selected": result}, result.losses)
    jobs.save_selection(tmp_path / "run", blank, result, shown, {})
    names = {path.stem for path in (tmp_path / "run" / "figures").iterdir()}
    assert names == {"rank", "heatmap"}


@pytest.mark.slow
def test_a_tier_may_be_called_as_the_one_search_of_select(scorer: MLPScorer, tmp_path: Path):
    tiers = eevee.build_tiers(scorer, {"selected": 3}, baselines=False)
    shown = overview(scorer, tiers.searches, tiers.losses)
    jobs.save_tiers(tmp_path / "run", scorer, tiers, shown, {})
    assert (tmp_path / "run" / "figures" / "ablation-selected.png").is_file()


def test_a_figure_is_drawn_again_from_edited_data(tmp_path: Path):
    (tmp_path / "config.json").write_text(json.dumps({"table": {"cost_unit": "GPU-hours"}}))
    drop = pd.DataFrame(
        {
            "benchmark": ["a", "b"],
            "loss_without": [0.3, 0.4],
            "increase": [0.1, 0.2],
            "increase_spread": [0.0, 0.0],
        }
    )
    name = "ablation-v1.5-a.b"
    jobs.save_figure(tmp_path, name, jobs.plots.ablation_data(drop, 0.2))
    png, pdf, data = (tmp_path / "figures" / f"{name}.{kind}" for kind in ("png", "pdf", "csv"))
    first = png.read_bytes(), pdf.read_bytes()
    assert jobs.redraw(tmp_path) == [png, pdf]
    assert (png.read_bytes(), pdf.read_bytes()) == first
    edited = pd.read_csv(data)
    edited["benchmark"] = ["renamed", "b"]
    edited.to_csv(data, index=False)
    jobs.redraw(tmp_path)
    assert png.read_bytes() != first[0]


@pytest.mark.parametrize(
    ("figures", "part"),
    [
        ({}, "no run folder"),
        ({"nosuch.csv": "a\n1\n"}, "no figure 'nosuch'"),
        ({"rank.csv": "a\n1\n"}, "rank: the data has no column"),
        ({"cost.csv": "kind,name,cost,loss\n"}, "cost_unit"),
    ],
)
def test_what_is_no_run_cannot_be_redrawn(tmp_path: Path, figures: dict[str, str], part: str):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "figures").mkdir()
    for name, text in figures.items():
        (tmp_path / "figures" / name).write_text(text)
    with pytest.raises(eevee.EeveeError, match=part):
        jobs.redraw(tmp_path)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == sorted(figures)


@pytest.mark.parametrize("suffix", [".png", ".pdf", ".svg"])
def test_a_heat_map_is_written_under_the_name_that_was_asked(tmp_path: Path, suffix: str):
    values = np.random.default_rng(0).normal(size=(6, 4))
    table = ResultsTable.from_scores(pd.DataFrame(values, columns=list("abcd")))
    path = tmp_path / f"v1.5{suffix}"
    assert jobs.save_heatmap(path, table, "b") == path
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_other_figures_are_refused(tmp_path: Path):
    table = made_table(6, 4)
    for name in ("a.gif", "a", "a.PNG", ".png"):
        with pytest.raises(eevee.EeveeError, match=r"ends in \.png, \.pdf or \.svg"):
            jobs.save_heatmap(tmp_path / name, table)
    assert not list(tmp_path.iterdir())


def test_a_run_that_cannot_be_drawn_leaves_nothing(
    scorer: MLPScorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def fail(*args: object, **options: object) -> None:
        raise eevee.EeveeError("no figure")

    monkeypatch.setattr(jobs.plots, "figure", fail)
    result = eevee.select(scorer, 2, method=Procedure(n_rescore=2), baselines=False)
    shown = overview(scorer, {"selected": result}, result.losses)
    with pytest.raises(eevee.EeveeError, match="no figure"):
        jobs.save_selection(tmp_path / "run", scorer, result, shown, {})
    assert not list(tmp_path.iterdir())
