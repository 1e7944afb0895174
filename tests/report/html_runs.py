"""Run folders for the tests of the report: made once, by small settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eevee.plots import _style
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
