"""What each verb finds and leaves behind, on tables small enough to check."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest

from eevee.tiers.file import load_tiers, tiers_schema
from tests.cli.conftest import FAST, FAST_SCORER, TIERS_JOB, Run, command, environment
from tests.cli.forked import Forked

ReadJson = Callable[..., Any]
NAMES = [f"b{i:02d}" for i in range(8)]
SMALL = {"small": 3.6, "v1.5-big": 9.0}  # 20 % of 18, and 9


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_tiers_run_holds_these_files_and_no_other(finished: Path):
    run = finished / "done"
    figures = ["rank", "cost", "heatmap", "ablation-small", "ablation-v1.5-big"]
    assert {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()} == {
        "tiers.yaml",
        "tiers.json",
        "subsets.csv",
        "logbook.csv",
        "config.json",
        "baselines.csv",
        *(f"figures/{name}.{kind}" for name in figures for kind in ("csv", "png", "pdf")),
    }
    for path in run.rglob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert not list(finished.glob(".*"))


def test_tier_files_load_validate_and_fit_the_budgets(finished: Path):
    tiers = load_tiers(finished / "done/tiers.yaml")
    assert tiers == load_tiers(finished / "done/tiers.json")
    jsonschema.validate(json.loads((finished / "done/tiers.json").read_text()), tiers_schema())
    costs = pd.read_csv(finished / "costs.csv", index_col=0)["cost"]
    assert {tier.name: tier.budget for tier in tiers} == pytest.approx(SMALL)
    for tier in tiers:
        assert tier.cost == pytest.approx(costs[list(tier.benchmark_names)].sum())
        assert tier.cost <= SMALL[tier.name] + 1e-9
    assert tiers.table.sha256 == sha256(finished / "small.csv")
    assert tiers.seed == 0


def test_subsets_are_ranked_and_the_tiers_are_the_first(finished: Path):
    subsets = pd.read_csv(finished / "done/subsets.csv")
    subsets["benchmarks"] = subsets["benchmarks"].map(json.loads)
    costs = pd.read_csv(finished / "costs.csv", index_col=0)["cost"]
    tiers = load_tiers(finished / "done/tiers.yaml")
    assert list(dict.fromkeys(subsets["tier"])) == list(tiers.names)
    for name, ranked in subsets.groupby("tier"):
        assert ranked["rank"].tolist() == list(range(1, len(ranked) + 1))
        assert ranked["rescored_mean"].is_monotonic_increasing
        assert not ranked["benchmarks"].map(tuple).duplicated().any()
        assert tuple(ranked["benchmarks"].iloc[0]) == tiers[str(name)].benchmark_names
        for row in ranked.itertuples():
            assert set(row.benchmarks) <= set(NAMES)
            assert row.size == len(row.benchmarks)
            assert row.cost == pytest.approx(costs[row.benchmarks].sum())
            assert row.cost <= SMALL[str(name)] + 1e-9


def test_logbook_has_a_row_per_generation(finished: Path):
    logbook = pd.read_csv(finished / "done/logbook.csv")
    for _, rows in logbook.groupby("tier"):
        assert rows["generation"].tolist() == [0, 1]
        assert rows["best"].is_monotonic_decreasing
        assert rows["evaluated"].is_monotonic_increasing


def test_config_holds_what_makes_the_run_again(finished: Path):
    config = json.loads((finished / "done/config.json").read_text())
    assert config["schema"] == "eevee.run/1"
    assert config["command"] == "tiers"
    assert config["seed"] == 0
    options = config["options"]
    assert options["budgets"] == {"small": "20%", "v1.5-big": "9"}
    assert (options["paper"], options["n_splits"], options["test_size"]) == (True, 2, 0.2)
    assert (options["generations"], options["exhaustive"]) == (1, False)
    assert (options["min_coverage"], options["duplicates"]) == (0.0, "error")
    assert options["device"] == "auto"
    assert config["inputs"] == {
        "scores": {"file": "small.csv", "sha256": sha256(finished / "small.csv")},
        "costs": {"file": "costs.csv", "sha256": sha256(finished / "costs.csv")},
    }
    assert config["table"]["sha256"] == sha256(finished / "small.csv")
    assert {"eevee", "python", "torch", "numpy", "deap"} <= {
        "eevee" if "eevee" in config["created_with"] else "",
        *config["versions"],
    }


def test_every_option_of_a_search_is_in_the_config(finished: Path):
    import typer

    from eevee.cli import app

    verb = typer.main.get_command(app).commands["tiers"]  # type: ignore[attr-defined]
    config = json.loads((finished / "done/config.json").read_text())
    recorded = {"seed", "budget", "size", *config["options"], *config["inputs"]}
    about_printing = {
        "as_json", "quiet", "verbose", "out", "help", "resume", "baselines", "report",
    }  # fmt: skip
    assert {option.name for option in verb.params} - about_printing <= recorded


WITHOUT_FIGURES = """
import eevee.report.searches, eevee.cli
eevee.report.searches.save_figure = lambda *args, **options: None  # they take most of the time
eevee.cli.main()
"""


@pytest.mark.slow
def test_same_seed_same_bytes_in_another_process(finished: Path, here: Path):
    subprocess.run(
        [sys.executable, "-c", WITHOUT_FIGURES, *TIERS_JOB, "--out", "run"],
        env=environment(PYTHONHASHSEED="12345"),
        capture_output=True,
        check=True,
    )
    for name in ("tiers.yaml", "tiers.json", "subsets.csv", "logbook.csv"):
        assert Path("run", name).read_bytes() == (finished / "done" / name).read_bytes()


@pytest.mark.slow
def test_another_seed_differs(run: Run, finished: Path, here: Path):
    run(*TIERS_JOB, "--out", "run", "--seed", 1)
    for name in ("tiers.yaml", "subsets.csv"):
        assert Path("run", name).read_bytes() != (finished / "done" / name).read_bytes()


@pytest.mark.figures
@pytest.mark.slow
def test_plot_draws_a_run_again_from_its_data(run: Run, finished: Path, here: Path):
    shutil.copytree(finished / "done", "done")
    before = {path.name: path.read_bytes() for path in Path("done/figures").glob("*.p*")}
    for path in Path("done/figures").glob("*.p*"):
        path.unlink()
    for name in ("ablation-v1.5-big", "cost", "heatmap", "ablation-small"):
        Path(f"done/figures/{name}.csv").rename(f"{name}.csv")
    ranking = pd.read_csv("done/figures/rank.csv")
    shown = run("plot", "done").stdout
    assert shown.split() == ["done/figures/rank.png", "done/figures/rank.pdf"]
    assert Path("done/figures/rank.png").read_bytes() == before["rank.png"]
    ranking.assign(loss=ranking["loss"] * 2).to_csv("done/figures/rank.csv", index=False)
    run("plot", "done")
    assert Path("done/figures/rank.png").read_bytes() != before["rank.png"]
    Path("done/figures/rank.csv").unlink()
    Path("ablation-v1.5-big.csv").rename("done/figures/ablation-v1.5-big.csv")
    Path("cost.csv").rename("done/figures/cost.csv")
    run("plot", "done")
    for name in ("ablation-v1.5-big.png", "cost.png", "cost.pdf"):
        assert Path("done/figures", name).read_bytes() == before[name]


@pytest.mark.parametrize(
    ("args", "files"),
    [
        (["rank", "small.csv", *FAST_SCORER], {"ranking.csv", "figures/rank.png"}),
        (
            ["sweep", "small.csv", "--sizes", "1,8", *FAST],
            {"sweep.csv", "subsets.csv", "logbook.csv", "figures/sweep.png"},
        ),
        (
            ["ablate", "small.csv", "-s", "b00,b01", *FAST_SCORER],
            {"ablation.csv", "figures/ablation-list.png"},
        ),
        (
            ["rate", "small.csv", "-s", "b00", "--n-random", 5, *FAST_SCORER],
            {"ratings.json"},
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_other_verbs_leave_a_run_folder_too(run: Run, here: Path, args: list[Any], files: set[str]):
    """And say where, last; an earlier run there is replaced whole."""
    Path("run").mkdir()
    Path("run/config.json").write_text('{"schema": "eevee.run/1"}')
    Path("run/tiers.yaml").write_text("from before")
    assert run(*args, "--out", "run").stdout.endswith("\nwritten to run\n")
    there = {path.relative_to("run").as_posix() for path in Path("run").rglob("*")}
    assert {"config.json", *files} <= there
    assert "tiers.yaml" not in there
    assert json.loads(Path("run/config.json").read_text())["command"] == args[0]


def test_all_benchmarks_leave_nothing_unseen_and_a_run_folder_all_the_same(run: Run, here: Path):
    """Blank losses are drawn nowhere."""
    unseen = ("--targets", "unseen", "--n-splits", "2", "--epochs", "5", "--out", "run")
    run("ablate", "two.csv", "-s", "b00,b01", *unseen)
    assert not Path("run/figures").exists()
    run("select", "two.csv", "-k", 2, *unseen)
    assert {path.name for path in Path("run/figures").glob("*.png")} == {"rank.png", "heatmap.png"}


def test_rank_is_in_order(read_json: ReadJson, here: Path):
    ranking = read_json("rank", "small.csv", *FAST_SCORER)["ranking"]
    losses = [row["loss"] for row in ranking]
    assert losses == sorted(losses)
    assert sorted(row["benchmark"] for row in ranking) == NAMES


@pytest.mark.parametrize("k", [1, 3, 8])
def test_select_scores_every_subset_where_there_are_few(read_json: ReadJson, here: Path, k: int):
    from math import comb

    found = read_json("select", "small.csv", "-k", k, *FAST)
    assert found["exact"] is True
    assert found["evaluated"] == comb(8, k)
    assert len(found["best"]) == k


def test_select_under_the_whole_budget_may_take_everything(read_json: ReadJson, here: Path):
    found = read_json("select", "small.csv", "--costs", "costs.csv", "--budget", "100%", *FAST)
    assert found["evaluated"] == 2**8 - 1
    assert found["cost_unit"] == "GPU-hours"


def test_sweep_gives_blanks_where_nothing_is_unseen(read_json: ReadJson, here: Path):
    curve = read_json("sweep", "four.csv", "--sizes", "1:5", *FAST)["curve"]
    assert [row["k"] for row in curve] == [1, 2, 3, 4, 5]
    assert [row["best_unseen"] is None for row in curve] == [False] * 4 + [True]
    assert all(row["best_all"] <= row["random_all"] for row in curve)


def test_the_bounds_of_score_are_those_of_its_list(read_json: ReadJson, here: Path):
    everything = read_json("rate", "small.csv", "-s", ",".join(NAMES), *FAST_SCORER)
    found = everything["subsets"]["list"]
    assert found["loss"] == found["everything"]
    assert found["swap"] is None
    one = read_json("rate", "small.csv", "-s", "b00", *FAST_SCORER)["subsets"]["list"]
    assert one["everything"] == found["everything"]
    assert one["swaps_possible"] == 7


@pytest.mark.slow
def test_the_loss_of_a_list_is_the_same_in_every_verb(read_json: ReadJson, here: Path):
    args = ("small.csv", "-s", "b03,b01,b01", *FAST_SCORER)
    scored = read_json("rate", *args)["subsets"]["list"]
    ablated = read_json("ablate", *args)["subsets"]["list"]
    searched = read_json("select", "small.csv", "-k", 2, *FAST)["ranked"]
    (found,) = (row["loss"] for row in searched if row["benchmarks"] == ["b01", "b03"])
    assert scored["loss"] == ablated["loss"] == found


def test_a_zero_weight_takes_a_benchmark_out_of_the_targets(read_json: ReadJson, here: Path):
    """What the other scores of b00 are then has no part in the loss of a list without it."""
    scores = pd.read_csv("small.csv", index_col=0)
    scores["b00"] = scores["b00"].iloc[::-1].to_numpy()
    scores.to_csv("turned.csv")

    def loss(file: str, *more: str) -> float:
        args = ("-s", "b01,b02", "--n-splits", "2", "--epochs", "20", *more)
        return read_json("ablate", file, *args)["subsets"]["list"]["loss"]

    weights = ("--weights", "weights.csv")
    assert loss("small.csv") != pytest.approx(loss("turned.csv"))
    assert loss("small.csv", *weights) == pytest.approx(loss("turned.csv", *weights))
    assert loss("small.csv", *weights) != loss("small.csv")


@pytest.mark.slow
def test_the_smallest_tables_are_enough(read_json: ReadJson, here: Path):
    for table, k in (("four.csv", 2), ("two.csv", 1), ("two.csv", 2)):
        assert len(read_json("select", table, "-k", k, *FAST)["best"]) == k
    Path("one.csv").write_text("model,a\nw,1\nx,2\ny,3\nz,4\n")
    assert read_json("select", "one.csv", "-k", 1, *FAST)["best"] == ["a"]
    assert read_json("tiers", "one.csv", "--budget", "s=100%", *FAST)["tiers"][0]["cost"] == 1


def test_describe_lists_what_was_dropped_and_guessed(run: Run, here: Path):
    Path("scores.csv").write_text(
        "model,a.loss,b,same,Average,params\nw,1,2,5,1,7B\nx,2,4,5,2,7B\ny,3,1,5,3,7B\nz,4,2,5,4,7B\n"
    )
    shown = run("describe", "scores.csv").stdout
    assert "4 models x 2 benchmarks" in shown
    assert re.search(r"set aside column same: .*constant", shown)
    assert re.search(r"set aside column Average: .*aggregate", shown)
    assert re.search(r"a\.loss .*lower \(guessed\)", shown)
    assert sha256(Path("scores.csv")) in shown


def started(start: Callable[..., Any]) -> Any:
    """A search of 40 tiers that is long from over, in a folder with an earlier run."""
    from eevee.report.out import FORMAT

    Path("run").mkdir()
    Path("run/config.json").write_text(json.dumps({"schema": FORMAT}))
    many = [option for i in range(40) for option in ("--budget", f"t{i}={1 + i / 5}")]
    long = ("--n-splits", "60", "--n-generations", "40", "--epochs", "60", "--no-exhaustive")
    job = start("tiers", "small.csv", *many, *long, "--out", "run")
    begun = time.monotonic()
    while time.monotonic() - begun < 60:
        if list(Path("run.checkpoint").glob("*.json")):
            break
        time.sleep(0.05)
    time.sleep(0.2)
    assert job.poll() is None, "it was over before Ctrl-C"
    return job


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.slow
def test_ctrl_c_writes_the_best_so_far_and_exits_with_130(finished: Path, here: Path):
    job = started(partial(Forked, cwd=here))
    job.send_signal(signal.SIGINT)
    shown, wrong = job.communicate(timeout=60)
    assert job.poll() == 130
    assert "Traceback" not in wrong
    assert "Ctrl-C again stops at once" in wrong
    assert "--resume --out run goes on from here" in wrong
    found = load_tiers(Path("run/tiers.yaml"))
    assert 0 < len(found.tiers) < 40
    assert "written to run" in shown
    assert Path("run.checkpoint").is_dir()
    assert not list(here.glob(".*"))


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.slow
def test_a_second_ctrl_c_stops_at_once_and_leaves_an_earlier_run_as_it_was(
    finished: Path, here: Path
):
    job = started(partial(command, env=environment()))
    for _ in range(2):
        job.send_signal(signal.SIGINT)
        time.sleep(0.01)
    shown, wrong = job.communicate(timeout=60)
    assert (job.returncode, shown) == (130, "")
    assert "Traceback" not in wrong
    assert [path.name for path in Path("run").iterdir()] == ["config.json"]
    assert not list(here.glob(".*"))
