"""The HTML report without a browser: what it says, that names stay names, that bytes stay bytes."""

from __future__ import annotations

import base64
import csv
import itertools
import json
import re
import shlex
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from eevee.analysis.standings import correlation_map, group_means, standings
from eevee.base.errors import EeveeError
from eevee.readers import read_table
from eevee.report.html.page import gather, render, write_report
from eevee.report.html.pictures import Legend, matrix
from eevee.report.html.svg import text_width
from eevee.report.run_folder import write_table
from eevee.search.compare import best_baseline
from eevee.tables.results_table import ResultsTable
from tests.cli.conftest import run_in_process
from tests.conftest import made_table
from tests.report.html_runs import ODD, SCRIPT

ALL = ("tiers", "front", "sweep", "assess")
SECTIONS = {
    *("verdict", "tiers", "data", "budget-section", "subsets", "ablation", "ranking", "sizes"),
    *("assessed", "stability", "maps", "models", "groups", "limits", "lacking", "reproduce"),
}


class Parsed(HTMLParser):
    """Tags and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def sections(self) -> set[str | None]:
        return {about.get("id") for tag, about in self.tags if tag == "section"}


@pytest.fixture
def runs(report_runs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(report_runs)
    return report_runs


def test_several_folders_make_one_page_with_every_section(runs: Path):
    page = Parsed(render(gather(ALL)))
    assert page.sections == SECTIONS
    told = " ".join(page.texts)
    assert "Not tested: new families of models" in told
    assert "random subsets (loss" in told  # the words of `assess`


def test_a_folder_alone_names_the_commands_that_add_what_it_lacks(runs: Path):
    page = Parsed(render(gather(["tiers"])))
    assert page.sections == SECTIONS - {"budget-section", "sizes", "assessed", "stability"} | {
        "lacking"
    }
    commands = [text for text in page.texts if text.startswith("eevee ")]
    front = "eevee pareto s.csv --costs c.csv --models-file m.csv --scorer ridge --n-splits 3"
    assert f"{front} --out front" in commands
    assert any(one.startswith("eevee assess s.csv") and "--budget 4" in one for one in commands)


def test_names_are_text(runs: Path):
    text = render(gather(ALL))
    page = Parsed(text)
    assert SCRIPT not in text
    assert SCRIPT in page.texts
    assert {"script", "b", "i"} & {tag for tag, _ in page.tags} == {"script"}
    assert sum(tag == "script" for tag, _ in page.tags) == 2
    assert ODD[0] in page.texts


def test_nothing_is_loaded_and_no_other_script_may_run(runs: Path):
    page = Parsed(render(gather(ALL)))
    (policy,) = (
        about["content"] or "" for tag, about in page.tags if about.get("http-equiv") is not None
    )
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    for tag, about in page.tags:
        assert not {"onclick", "onload", "style", "src"} & set(about), tag
        link = about.get("href")
        assert link is None or link.startswith(("#", "data:"))


def test_the_download_is_the_tier_file(runs: Path):
    page = Parsed(render(gather(["tiers"])))
    (link,) = (about["href"] for tag, about in page.tags if about.get("download"))
    content = base64.b64decode(str(link).partition("base64,")[2])
    assert content == Path("tiers/tiers.yaml").read_bytes()


def test_the_same_folders_give_the_same_bytes_and_figures_have_words(runs: Path):
    text = render(gather(ALL))
    assert render(gather(ALL)) == text
    assert text.count("<svg") == text.count("<desc") == text.count('role="img"') > 8
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_the_report_of_the_run_itself_is_that_of_its_folder(runs: Path):
    assert Path("tiers/report.html").read_text(encoding="utf-8") == render(gather(["tiers"]))
    assert "report.html" in json.loads(Path("tiers/config.json").read_text())["files"]


def test_a_changed_table_is_said_and_not_shown(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("tiers", "s.csv", "c.csv", "m.csv"):
        copy = shutil.copytree if (runs / name).is_dir() else shutil.copy
        copy(runs / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(Path("s.csv").read_text() + "late,1,1,1,1,1,1,1\n")
    page = Parsed(render(gather(["tiers"])))
    assert "models" not in page.sections
    assert any("s.csv has changed since the run" in text for text in page.texts)
    Path("s.csv").unlink()
    assert any("s.csv is not there" in text for text in Parsed(render(gather(["tiers"]))).texts)


def test_folders_of_two_tables_and_folders_that_are_none_are_refused(runs: Path, tmp_path: Path):
    other = tmp_path / "other"
    shutil.copytree("tiers", other)
    config = json.loads((other / "config.json").read_text())
    config["table"]["sha256"] = "0" * 64
    (other / "config.json").write_text(json.dumps(config))
    with pytest.raises(EeveeError, match="one report is about one table"):
        gather(["tiers", other])
    with pytest.raises(EeveeError, match="is no run folder"):
        gather([tmp_path])
    (other / "subsets.csv").write_text("tier,rank\nsmall,first\n")
    with pytest.raises(EeveeError, match=r"subsets\.csv"):
        gather([other])


def test_a_report_that_no_run_wrote_is_not_replaced(runs: Path, tmp_path: Path):
    shutil.copytree("front", tmp_path / "front")
    (tmp_path / "front/report.html").write_text("mine")
    with pytest.raises(EeveeError, match="no run wrote it"):
        write_report([tmp_path / "front"])
    assert (tmp_path / "front/report.html").read_text() == "mine"


def test_the_verb_writes_where_it_is_told(runs: Path, tmp_path: Path):
    out = tmp_path / "x.html"
    shown = run_in_process("report", "front", "--models-file", "m.csv", "--out", out)
    assert shown.stdout.split() == ["written", "to", str(out)]
    assert "groups" in Parsed(out.read_text(encoding="utf-8")).sections


def test_a_benchmark_alone_has_the_mean_of_its_columns():
    rng = np.random.default_rng(0)
    scores = pd.DataFrame(rng.normal(size=(9, 4)), columns=["a.x", "a.y", "b", "c"])
    scores.iloc[0, 0] = np.nan
    columns = pd.DataFrame(
        {
            "benchmark": ["a", "a", "b", "c"],
            "metric": "m",
            "direction": ["higher", "lower", "higher", "higher"],
            "direction_source": "read",
            "role": "score",
        },
        index=scores.columns,
    )
    table = ResultsTable.from_scores(scores, columns=columns)
    turned = scores * [1, -1, 1, 1]
    unit = (turned - turned.mean()) / turned.std(ddof=0)
    true = pd.DataFrame({"a": unit[["a.x", "a.y"]].mean(axis=1), "b": unit["b"], "c": unit["c"]})
    found = correlation_map(table).loc[list("abc"), list("abc")]
    for one, other in itertools.combinations("abc", 2):
        rho = stats.spearmanr(true[one], true[other]).statistic
        assert found.loc[one, other] == pytest.approx(rho)


def test_models_are_ranked_by_their_mean_score():
    table = made_table(12, 6, missing=0.1, seed=2)
    scores = table.scores
    unit = (scores - scores.mean()) / scores.std(ddof=0)
    found = standings(table, {"two": ["b00", "b03"]})
    for name, part in (("all benchmarks", unit), ("two", unit[["b00", "b03"]])):
        true = part.mean(axis=1)
        np.testing.assert_allclose(found.means[name], true[found.means.index], rtol=1e-12)
        ranks = stats.rankdata(-true[found.means.index], method="min", nan_policy="omit")
        np.testing.assert_array_equal(found.ranks[name].to_numpy(float), ranks)
    pairs = found.means.dropna()
    tau = stats.kendalltau(pairs["two"], pairs["all benchmarks"]).statistic
    assert found.kendall["two"] == pytest.approx(tau)


def test_groups_are_means_over_their_models_and_like_benchmarks_are_neighbours():
    made = made_table(12, 4, seed=2)
    family = pd.Series(list("aabbccaabbcc"), index=made.scores.index)
    table = ResultsTable.from_scores(made.scores, models=pd.DataFrame({"family": family}))
    unit = (made.scores - made.scores.mean()) / made.scores.std(ddof=0)
    found = group_means(table, "family")
    assert found.loc["b02", "c"] == pytest.approx(unit.loc[family == "c", "b02"].mean())
    twin = made.scores.assign(b03=made.scores["b00"] * 2)
    order = list(correlation_map(ResultsTable.from_scores(twin)).index)
    assert abs(order.index("b00") - order.index("b03")) == 1


def root(loss: float) -> str:
    return f"{np.sqrt(loss):.2f}"


def test_the_first_lines_say_what_to_run_what_it_costs_and_how_far_to_trust_it(runs: Path):
    text = render(gather(["tiers"]))
    first = " ".join(Parsed(text[: text.index("<nav")]).texts)
    tiers = yaml.safe_load(Path("tiers/tiers.yaml").read_text())
    costs = pd.read_csv("tiers/figures/cost.csv")
    for tier in tiers["tiers"]:
        unseen = costs[(costs["kind"] == "unseen") & (costs["name"] == tier["name"])]["loss"].item()
        verdict = tiers["search"]["verdicts"][tier["name"]]
        others = 7 - len(tier["benchmarks"])
        assert f"The {others} other benchmark" in first
        assert f"predicted with an error of {root(unseen)} standard deviations" in first
        assert (
            f"it is {root(tier['search_loss']['mean'])}; {root(verdict['random_median'])}" in first
        )
    ranked = pd.read_csv("tiers/figures/rank.csv")
    assert f"mean has {root(ranked['mean_predictor'].max())}." in first
    assert "Not checked on models that the search did not see" in first


def test_the_next_steps_are_commands_that_run(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("tiers", "s.csv", "c.csv", "m.csv"):
        copy = shutil.copytree if (runs / name).is_dir() else shutil.copy
        copy(runs / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    check, choose, measure, predict, hand_on = gather(["tiers"]).next_steps
    assert "costs" in choose.what
    assess, other, report = (shlex.split(line) for line in check.lines)
    assert other[:2] == ["eevee", "assess"]
    quick = ("--search", "greedy", "--n-folds", "2", "--n-repeats", "1", "--n-random", "5", "-q")
    assert assess[:2] == ["eevee", "assess"]
    run_in_process(*assess[1:], *quick)
    run_in_process(*other[1:], *quick)
    assert report[:3] == ["eevee", "report", "tiers"]
    page = gather(report[2:])
    assert "On models that no search saw" in render(page)
    for tier in page.decision.tiers:
        assert tier.assessed.startswith("an error of ")
        assert tier.luck == ""  # what was checked is said instead
    assert "Check the search" not in page.next_steps[0].what
    again, export = (shlex.split(line) for line in hand_on.lines)
    run_in_process(*again[1:], "-q")
    tiers = yaml.safe_load(Path("tiers/tiers.yaml").read_text())["tiers"]
    assert all(tier["assessed_loss"] for tier in tiers)
    run_in_process(*export[1:])
    cards = [path.read_text() for path in Path("card").iterdir()]
    assert cards
    assert not any("Not assessed" in card for card in cards)
    assert len(gather(["tiers"]).next_steps[-1].lines) == 1  # they are there
    (header,) = measure.lines
    columns = next(csv.reader([header]))
    scores = pd.read_csv("s.csv", index_col=0).loc[["m00", "m01"], columns[1:]]
    scores.rename_axis(columns[0]).to_csv("new.csv")
    words = shlex.split(predict.lines[0])
    assert "--costs" not in words
    assert ODD[0] in run_in_process(*words[1:], "--scorer", "ridge", "--json").stdout


def test_commands_of_what_lacks_write_to_folders_of_their_own(runs: Path, tmp_path: Path):
    shutil.copytree("tiers", tmp_path / "tiers")
    shutil.copytree("assess", tmp_path / "assess")
    (tmp_path / "assess/stability.json").unlink()
    path = tmp_path / "tiers/config.json"
    config = json.loads(path.read_text())
    config["table"]["near_duplicates"] = {"models": 2, "said": "2 models are nearly equal"}
    path.write_text(json.dumps(config))
    page = gather([tmp_path / "tiers", tmp_path / "assess"])
    words = [shlex.split(one.command) for one in page.lacking]
    outs = [line[line.index("--out") + 1] for line in words if "--out" in line]
    assert len({*outs, str(tmp_path / "assess"), str(tmp_path / "tiers")}) == len(outs) + 2
    checks = [line for line in words if line[1] == "assess"]
    assert len(checks) == 2
    assert all("--group-duplicates" in line for line in checks)


def test_what_no_assessment_tested_is_said_once_and_not_if_one_did(runs: Path, tmp_path: Path):
    for name in ("one", "two"):
        shutil.copytree("assess", tmp_path / name)
    folders = [tmp_path / "one", tmp_path / "two"]
    said = [word for word in gather(folders).decision.assessment if word.startswith("Not known")]
    assert len(said) == 1
    path = tmp_path / "two/verdict.json"
    verdict = json.loads(path.read_text())
    verdict["against"]["frontier"] = verdict["against"]["random"]
    path.write_text(json.dumps(verdict))
    assert not any(word.startswith("Not known") for word in gather(folders).decision.assessment)


def test_the_best_simple_search_is_that_of_the_terminal(runs: Path):
    page = gather(["tiers"])
    rows = pd.read_csv("tiers/baselines.csv")
    for one in page.decision.tiers:
        best = best_baseline(rows[rows["tier"] == one.tier.name])
        assert best is not None
        assert one.rival == (best["method"], pytest.approx(best["loss"]))
        same = root(best["loss"]) == root(one.tier.search_loss.mean)
        said = "does as well" if same else f"{root(best['loss'])} by the best simple search"
        assert said in one.buys


def test_a_card_says_how_its_own_mean_orders_the_models(runs: Path):
    page = gather(["tiers"])
    table = read_table("s.csv", costs="c.csv")
    scores = (table.scores - table.scores.mean()) / table.scores.std(ddof=0)
    text = render(page)
    for one in page.decision.tiers:
        tau = stats.kendalltau(scores.mean(axis=1), scores[list(one.names)].mean(axis=1)).statistic
        assert f"Kendall&#39;s tau of {tau:.2f} (1 is" in text
        pairs = itertools.combinations(scores.columns, len(one.names))
        taus = [
            stats.kendalltau(scores.mean(axis=1), scores[list(pair)].mean(axis=1)).statistic
            for pair in pairs
        ]
        assert one.random_order == pytest.approx(np.median(taus), abs=0.05)
        assert ("predict the other benchmarks before" in one.leaderboard) == (round(tau, 2) < 0.9)


def test_an_error_is_said_in_points_of_a_benchmark_that_is_not_run(runs: Path):
    page = gather(["tiers"])
    first = page.decision.tiers[0]
    units = read_table("s.csv", costs="c.csv").scores.std(ddof=0).drop(list(first.names))
    name = units.sort_values().index[len(units) // 2]
    points = units[name] * first.unseen**0.5
    assert page.decision.example.endswith(f"is {points:.2g} points.")


def test_costs_per_model_are_said_to_be_a_statistic_with_their_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    table = made_table(12, 5, seed=1)
    table.scores.rename_axis("model").to_csv("s.csv")
    rng = np.random.default_rng(0)
    costs = pd.DataFrame(rng.lognormal(size=(12, 5)), table.scores.index, table.scores.columns)
    costs.rename_axis("model").round(3).to_csv("c.csv")
    how = ("--scorer", "ridge", "--n-splits", "2", "--search", "greedy", "--out", "run", "-q")
    run_in_process("tiers", "s.csv", "--costs", "c.csv", "--budget", "a=50%", *how)
    page = gather(["run"])
    (one,) = page.decision.tiers
    paid = costs.round(3)[list(one.names)].sum(axis=1)
    assert one.paid == pytest.approx((paid.min(), paid.max()))
    assert f"Costs are the median over models: {one.per_model}" in render(page)


def test_sizes_without_costs_speak_of_no_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    made_table(12, 5, seed=1).scores.rename_axis("model").to_csv("s.csv")
    how = ("--scorer", "ridge", "--n-splits", "2", "--search", "greedy", "--out", "run", "-q")
    run_in_process("tiers", "s.csv", "--size", "one=1", "--size", "two=2", *how)
    page = gather(["run"])
    text = render(page)
    first = text[: text.index('<section id="data"')]
    assert "no costs were given, each counts 1" in first
    assert "of the cost of everything" not in first
    assert 'scope="col" class="n">Budget' not in first
    assert "has 2 times as many benchmarks as one" in page.next_steps[1].what
    assert [line.split()[-4:-2] for line in page.next_steps[0].lines[:2]] == [
        ["-k", "1"],
        ["-k", "2"],
    ]


def test_what_limits_the_search_and_near_duplicates_are_in_the_check(runs: Path, tmp_path: Path):
    shutil.copytree("tiers", tmp_path / "tiers")
    path = tmp_path / "tiers/config.json"
    config = json.loads(path.read_text())
    config["command_line"]["more"] += ["--max-size", "3"]
    config["table"]["near_duplicates"] = {"models": 2, "said": "2 models are nearly equal"}
    path.write_text(json.dumps(config))
    (line, *_) = gather([path.parent]).next_steps[0].lines
    words = shlex.split(line)
    assert words[words.index("--max-size") + 1] == "3"
    assert "--group-duplicates" in words


def test_outer_splits_are_as_many_as_assess_has():
    from eevee.assessment.study import Study
    from eevee.report.html.next_steps import OUTER_SPLITS

    study = Study.of(made_table(12, 5, seed=1), 2, scorer="ridge")
    assert study.n_folds * study.n_repeats == OUTER_SPLITS


def test_the_word_for_luck_is_that_of_the_verdict(runs: Path):
    from eevee.report.html import decision
    from eevee.search import verdict

    assert decision.LEAST_SHARE == verdict.LEAST_SHARE


def test_charts_stand_on_errors_and_tables_have_the_losses(runs: Path):
    page = gather(ALL)
    assert page.front is not None
    frame = pd.read_csv("front/front.csv").sort_values("cost", ignore_index=True)
    heights = np.array([step.y for step in page.front.steps])
    errors = np.sqrt(frame["loss"].clip(lower=0).to_numpy())
    slope, at_zero = np.polyfit(errors, heights, 1)
    np.testing.assert_allclose(slope * errors + at_zero, heights, atol=0.06)
    assert [step["error"] for step in page.front.data["steps"]] == [f"{e:.2f}" for e in errors]
    assert page.ablations is not None
    for one in page.ablations.each:
        ablated = pd.read_csv(f"tiers/figures/ablation-{one.name}.csv").set_index("benchmark")
        for shown in one.rows:
            row = ablated.loc[shown.name]
            assert shown.increase == pytest.approx(row["increase"])
            whole = row["loss_without"] - row["increase"]
            assert one.error == pytest.approx(np.sqrt(whole))
            for side, found in ((0, shown.rise), (-1, shown.low), (1, shown.high)):
                loss = row["loss_without"] + side * row["increase_spread"]
                assert found == pytest.approx(np.sqrt(loss) - np.sqrt(whole))
    text = render(page)
    assert "squared standard deviations" not in text
    assert text.count("error (standard deviations)") >= 5


def test_a_unit_of_costs_that_nobody_gave_is_said_to_be_guessed(runs: Path, tmp_path: Path):
    assert "GPU-hours (guessed: no --cost-unit), everything once" in render(gather(["tiers"]))
    shutil.copytree("tiers", tmp_path / "tiers")
    path = tmp_path / "tiers/config.json"
    config = json.loads(path.read_text())
    notes = config["table"]["notes"]
    config["table"]["notes"] = [note for note in notes if note["kind"] != "unit"]
    path.write_text(json.dumps(config))
    assert "GPU-hours, everything once" in render(gather([path.parent]))


def test_ablations_of_a_sweep_are_one_grid_over_k(runs: Path):
    page = gather(["sweep"])
    frame = pd.read_csv("sweep/ablation.csv")
    assert page.ablations is not None
    assert page.ablations.by_size
    assert page.ablations.each == ()
    grid = str(page.ablations.grid)
    for k in frame["subset"].unique():
        assert f"k = {k}<" in grid
    assert f"{frame['benchmark'].nunique()} benchmarks down, 3 subsets across" in grid
    merged = gather(["tiers", "sweep"]).ablations
    assert merged is not None
    assert [one.name for one in merged.each] == ["small", "big"]
    assert merged.by_size


def test_ranking_agreement_on_the_slider_is_that_of_the_front(runs: Path, tmp_path: Path):
    frame = pd.read_csv("front/front.csv").sort_values("cost", ignore_index=True)
    page = gather(["front"])
    assert page.front is not None
    assert frame["kendall"].notna().all()
    said = [step["kendall"] for step in page.front.data["steps"]]
    assert said == [f"{tau:.4g}" for tau in frame["kendall"]]
    shutil.copytree("front", tmp_path / "old")  # of scorers without predictions it is blank
    frame.drop(columns="kendall").to_csv(tmp_path / "old/front.csv", index=False)
    older = gather([tmp_path / "old"]).front
    assert older is not None
    assert {step["kendall"] for step in older.data["steps"]} == {"\u2013"}


def test_no_column_is_empty_and_names_have_room(runs: Path):
    page = gather(ALL)
    text = render(page)
    assert "Rescored" not in text  # ridge has no initialisations
    for name in ("m" * 24, "W" * 24, "漢字" * 12):
        frame = pd.DataFrame(np.eye(3), index=["a", name, "c"], columns=["a", name, "c"])
        drawn = str(matrix("x", "x", "x", frame, Legend("viridis", 0, 1, ("a", "b")), strong=bool))
        for picture in drawn.split("</svg>")[:2]:
            (height,) = re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', picture)
            parts = re.findall(
                r'<text x="([\d.]+)" y="([\d.]+)" class="end name strong"( transform=[^>]*)?>'
                r"([^<]+)(?:<title>([^<]+)</title>)?</text>",
                picture,
            )
            assert len(parts) == 6
            for x, y, turned, shown, whole in parts:
                assert name in (whole, shown) or shown in "ac"
                needed = text_width(shown, bold=True)
                assert needed < (float(height) - float(y) if turned else float(x))


def test_a_search_that_was_skipped_is_a_row_with_blanks(runs: Path, tmp_path: Path):
    shutil.copytree("tiers", tmp_path / "tiers")
    path = tmp_path / "tiers/baselines.csv"
    frame = pd.read_csv(path).astype({"size": "Int64", "evaluated": "Int64"})
    skipped = {"tier": "small", "method": "greedy-backward", "note": "skipped: too many"}
    frame = pd.concat([frame, pd.DataFrame([skipped])], ignore_index=True)
    write_table(path, frame.astype({"size": "Int64", "evaluated": "Int64"}))
    assert "<NA>" not in path.read_text()
    (row,) = [
        one
        for one in gather([path.parent]).searches[0].baselines
        if one.note == "skipped: too many"
    ]
    assert np.isnan(row.size)
    path.write_text(
        path.read_text().replace("greedy-backward,,,,,,,", "greedy-backward,,,,,,<NA>,")
    )
    assert "<NA>" in path.read_text()  # as runs of version 0.1 left it
    assert "skipped: too many" in render(gather([path.parent]))


def test_doubts_about_the_table_are_said_before_the_tiers_are_trusted(runs: Path, tmp_path: Path):
    shutil.copytree("tiers", tmp_path / "tiers")
    path = tmp_path / "tiers/config.json"
    config = json.loads(path.read_text())
    said = [
        {"severity": "wrong", "said": f"column {i} runs <b>", "do": "--column"} for i in range(9)
    ]
    config["table"]["findings"] = [*said, {"severity": "note", "said": "few models"}]
    path.write_text(json.dumps(config))
    text = render(gather([path.parent]))
    first = " ".join(Parsed(text[: text.index("<nav")]).texts)
    assert re.search(r"9 doubts about\s+the table\s*: Column 0 runs <b>", first)
    assert text.count("runs &lt;b&gt;") == 10  # the first also before the tiers are trusted
    assert "<summary>2 more</summary>" in text
    config["table"]["findings"] = said[:1]
    path.write_text(json.dumps(config))
    assert "1 doubt about" in render(gather([path.parent]))
