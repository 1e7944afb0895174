"""Run folders for the tests of the report: made once, by small settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eevee.analysis.describe import summary
from eevee.plots import _style
from eevee.readers import read_table
from eevee.report.run_folder import hash_files, run_folder, write_config, write_table
from eevee.tiers.file import SearchLoss, TableInfo, Tier, TierBenchmark, TierSet, dump_tiers
from tests.cli.conftest import run_in_process
from tests.conftest import made_table

SCRIPT = "<script>alert(1)</script>"
ODD = ["</title><b>x", "a & b", "café", "b3", "b4", "b5", "b6"]


def make_runs(folder: Path) -> None:
    """Folders `tiers`, `front`, `sweep` and `assess` of one table with gaps and hostile names."""
    scores = made_table(20, len(ODD), missing=0.05, seed=3).scores.set_axis(ODD, axis=1)
    scores = scores.rename(index={"m03": SCRIPT}).rename_axis("model")
    scores.to_csv(folder / "s.csv")
    costs = pd.DataFrame({"benchmark": ODD, "cost": np.arange(1, 8) / 2})
    costs.to_csv(folder / "c.csv", index=False)
    family = [f"<i>{i % 3}" for i in range(20)]
    pd.DataFrame({"model": scores.index, "family": family}).to_csv(folder / "m.csv", index=False)
    table = ("s.csv", "--costs", "c.csv", "--scorer", "ridge", "--n-splits", "3", "-q")
    quick = ("--search", "greedy")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(_style, "_save", lambda figure, path, kind: path.touch())
        budgets = ("--budget", "small=4", "--budget", "big=60%")
        models = ("--models-file", "m.csv")
        run_in_process("tiers", *table, *models, *quick, *budgets, "--out", "tiers", "--report")
        run_in_process("pareto", *table, *models, "--out", "front")
        run_in_process("sweep", *table, *quick, "--sizes", "1:3", "--out", "sweep")
        few = ("--n-folds", "2", "--n-repeats", "1", "--n-random", "5", "--budget", "4")
        run_in_process("assess", *table, *quick, *few, "--stability", "--out", "assess")


@pytest.fixture(scope="session")
def report_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    make_runs(folder)
    return folder


def make_wide_run(folder: Path) -> Path:
    """A run folder about 300 models and 300 benchmarks with gaps: without a search, but complete.

    Two tiers, 50 ranked subsets of each, a front of 300 subsets, ablations, a ranking, a sweep and
    groups of models.
    """
    made = made_table(300, 300, missing=0.1)
    names = [f"a_rather_long_name_of_a_benchmark_{i}" for i in range(300)]
    scores = made.scores.set_axis(names, axis=1).rename_axis("model")
    scores.to_csv(folder / "s.csv")
    family = pd.DataFrame({"model": scores.index, "family": [f"f{i % 9}" for i in range(300)]})
    family.to_csv(folder / "m.csv", index=False)
    table = read_table(folder / "s.csv", models=folder / "m.csv")
    inputs = hash_files({"scores": folder / "s.csv", "models": folder / "m.csv"})
    losses = 1 / np.sqrt(np.arange(1, 301))
    tiers = {"small": names[:30], "base": names[:75]}
    with run_folder(folder / "wide") as out:
        write_config(out, "tiers", {"table": summary(table), "inputs": inputs})
        dump_tiers(_tiers(tiers, inputs["scores"]["sha256"]), out / "tiers.yaml")
        write_table(out / "subsets.csv", pd.concat(_ranked(one, tiers[one]) for one in tiers))
        front = pd.DataFrame({"cost": np.arange(1, 301.0), "loss": losses, "size": range(1, 301)})
        front["benchmarks"] = [tuple(names[: i + 1]) for i in range(300)]
        write_table(out / "front.csv", front.assign(spread=0.1, unseen=losses * 1.2, kendall=0.9))
        rank = pd.DataFrame({"benchmark": names, "task": "", "cost": 1.0, "loss": losses})
        write_table(out / "ranking.csv", rank.assign(spread=0.1, mean_predictor=1.0))
        (out / "figures").mkdir()
        for name, subset in tiers.items():
            rise = np.linspace(0.2, 0.0, len(subset))
            ablated = pd.DataFrame({"benchmark": subset, "increase": rise, "loss": 0.3})
            more = {"loss_without": 0.3 + rise, "increase_spread": 0.05}
            write_table(out / f"figures/ablation-{name}.csv", ablated.assign(**more))
        quantiles = dict.fromkeys(("lowest", "p10", "q1", "median", "q3", "p90"), losses)
        sweep = pd.DataFrame({"k": range(1, 301), **quantiles})
        kinds = [sweep.assign(kind=kind, targets="all") for kind in ("top", "random")]
        write_table(out / "figures/sweep.csv", pd.concat(kinds))
    return folder / "wide"


def _tiers(subsets: Mapping[str, Sequence[str]], sha256: str) -> TierSet:
    loss = SearchLoss(0.3, 0.1, "all")
    tiers = tuple(
        Tier(
            name, None, float(len(subset)), tuple(TierBenchmark(b, (b,), 1.0) for b in subset), loss
        )
        for name, subset in subsets.items()
    )
    about = TableInfo("s.csv", sha256, models=300, benchmarks=300)
    return TierSet("eevee", "benchmarks", about, {"name": "ridge"}, {}, 0, tiers)


def _ranked(tier: str, subset: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame({"tier": tier, "rank": range(1, 51), "loss": np.linspace(0.3, 0.4, 50)})
    frame["benchmarks"] = [(*subset[i:], *subset[:i]) for i in range(50)]
    return frame.assign(size=len(subset), cost=len(subset), spread=0.1, objective="loss")
