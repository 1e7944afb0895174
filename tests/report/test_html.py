"""The HTML report without a browser: what it says, that names stay names, that bytes stay bytes."""

from __future__ import annotations

import base64
import json
import re
import shutil
import time
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from eevee.analysis.standings import correlation_map, group_means, standings
from eevee.base.errors import EeveeError
from eevee.report.html.page import gather, render, write_report
from tests.cli.conftest import run_in_process
from tests.conftest import made_table
from tests.report.html_runs import ODD, SCRIPT

ALL = ("tiers", "front", "sweep", "assess")
SECTIONS = {
    *("verdict", "tiers", "data", "budget-section", "subsets", "ablation", "ranking", "sizes"),
    *("assessed", "stability", "maps", "models", "groups", "limits", "reproduce"),
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


@pytest.mark.slow
def test_a_table_of_300_models_and_300_benchmarks_stays_small(runs: Path, tmp_path: Path):
    scores = made_table(300, 300, missing=0.1).scores.rename_axis("model")
    scores.to_csv(tmp_path / "s.csv")
    table = gather(["front"]).source.table
    assert table is not None
    from eevee.analysis.describe import summary
    from eevee.readers import read_table
    from eevee.report.run_folder import hash_files, run_folder, write_config

    path = tmp_path / "s.csv"
    about = {"table": summary(read_table(path)), "inputs": hash_files({"scores": path})}
    with run_folder(tmp_path / "run") as folder:
        write_config(folder, "tiers", about)
    started = time.process_time()
    text = render(gather([tmp_path / "run"]))
    assert {"maps", "models", "data"} <= Parsed(text).sections
    assert len(text) < 10_000_000
    assert time.process_time() - started < 60


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
    from eevee import ResultsTable

    table = ResultsTable.from_scores(made.scores, models=pd.DataFrame({"family": family}))
    unit = (made.scores - made.scores.mean()) / made.scores.std(ddof=0)
    found = group_means(table, "family")
    assert found.loc["b02", "c"] == pytest.approx(unit.loc[family == "c", "b02"].mean())
    twin = made.scores.assign(b03=made.scores["b00"] * 2)
    order = list(correlation_map(ResultsTable.from_scores(twin)).index)
    assert abs(order.index("b00") - order.index("b03")) == 1
