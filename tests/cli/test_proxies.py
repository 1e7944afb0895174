"""`--proxies`: columns of another file join the table of every verb that reads one."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner, Result

from eevee.cli.app import app
from eevee.tiers.file import load_tiers, tiers_schema

MODELS = [f"m{i}" for i in range(24)]
SCORER = ["--scorer", "ridge", "--n-splits", "3", "--search", "greedy", "--quiet"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Scores that cost 10 seconds each, and a good proxy of each for a tenth."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    scores = pd.DataFrame(rng.normal(size=(24, 4)), MODELS, list("abcd"))
    scores.rename_axis("model").to_csv("scores.csv")
    Path("costs.csv").write_text("benchmark,cost\n" + "".join(f"{b},10\n" for b in "abcd"))
    rows = ["model,benchmark,score,cost_seconds,role"]
    rows += [f"{m},{b}:p,{scores.loc[m, b] + rng.normal() / 9},1,proxy"
             for b in "abcd" for m in MODELS[:-1]]  # fmt: skip
    Path("columns.csv").write_text("\n".join(rows))
    return tmp_path


def run(words: str, *more: str) -> Result:
    given = "scores.csv --costs costs.csv --cost-unit seconds --proxies columns.csv"
    return CliRunner().invoke(app, [words, *given.split(), *more], catch_exceptions=False)


def test_tiers_hold_proxies_at_their_cost_and_say_how_diverse_they_are(folder: Path) -> None:
    found = run(
        "tiers", "--budget", "small=10%", "--no-baselines", "--verbose", *SCORER, "--out", "run"
    )
    assert found.exit_code == 0, found.output
    tiers = yaml.safe_load(Path("run/tiers.yaml").read_text())
    assert tiers["table"]["benchmarks"] == 4
    assert tiers["table"]["proxies"] == ["a:p", "b:p", "c:p", "d:p"]
    assert load_tiers("run/tiers.yaml").table.proxies == ("a:p", "b:p", "c:p", "d:p")
    jsonschema.validate(tiers, tiers_schema())
    assert "24 models x 4 benchmarks and 4 proxies" in found.output
    about = json.loads(Path("run/config.json").read_text())["table"]
    assert (about["benchmarks"], about["columns"], len(about["proxies"])) == (4, 4, 4)
    small = tiers["tiers"][0]
    assert small["budget"] == 4.0  # of what the four benchmarks cost
    assert {one["name"] for one in small["benchmarks"]} == {"a:p", "b:p", "c:p", "d:p"}
    assert small["cost"] == 4.0
    columns = pd.read_csv("columns.csv").pivot_table("score", "model", "benchmark")
    apart = 1 - columns.corr(method="spearman").abs().to_numpy()[np.triu_indices(4, 1)]
    said = tiers["search"]["diversity"]["small"]
    assert said["mean"] == pytest.approx(apart.mean(), rel=1e-5)
    assert said["low"] < said["mean"] < said["high"]
    assert "Diversity: mean of 1 - |Spearman's rho|" in found.output
    brief = run("tiers", "--budget", "small=10%", "--no-baselines", *SCORER).output
    words = f"small {said['mean']:.3g} ({said['low']:.3g} to {said['high']:.3g})"
    assert f"diversity, 1 - |Spearman's rho| between columns: {words}" in " ".join(brief.split())
    assert "proxies, inputs that are never targets: 4 (a:p, b:p, c:p, ...)" in found.output
    assert "has no proxies of 1 model ('m23')" in found.output


@pytest.mark.slow
def test_assess_says_first_whether_proxies_help(folder: Path) -> None:
    few = ["--n-folds", "3", "--n-repeats", "1", "--n-random", "2"]
    found = run("assess", "--budget", "10", *SCORER, *few)
    assert found.exit_code == 0, found.output
    said = [line for line in found.output.splitlines() if line.startswith("verdict:")]
    assert said[0].startswith("verdict: proxies ")
    assert "at equal cost (10 seconds), on models that the search never saw" in said[0]
    assert "3 of 3 searches chose some" in said[0]
    assert found.output.index(said[0]) < found.output.index("Assessed loss")
    assert "without proxies" in found.output


def test_units_and_costs_must_fit_and_a_table_file_takes_the_option(folder: Path) -> None:
    wrong = CliRunner().invoke(app, ["describe", "scores.csv", "--proxies", "columns.csv"])
    assert wrong.exit_code == 1
    assert "proxies are chosen at their cost" in wrong.output
    wrong = CliRunner().invoke(
        app, ["describe", "scores.csv", "--costs", "costs.csv", "--proxies", "columns.csv"]
    )
    assert wrong.exit_code == 1
    assert "costs are in seconds, those of scores.csv in GPU-hours" in wrong.output
    assert run("describe", "--save", "table.toml").exit_code == 0
    assert 'proxies = "columns.csv"' in Path("table.toml").read_text()
    again = CliRunner().invoke(app, ["describe", "scores.csv", "--table", "table.toml"])
    assert "24 models x 4 benchmarks (4 columns)" in again.output
    assert "everything costs 40 seconds" in again.output
