"""Columns whose role is proxy: inputs, never targets, however the table says so."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from eevee.analysis.describe import summary
from eevee.analysis.standings import standings
from eevee.cli.app import app
from eevee.completion.complete import impute
from eevee.readers import read_table
from eevee.readers.harness.sources import gather
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.splits.splits import shuffle_splits
from eevee.tables.results_table import ResultsTable

from .conftest import Fails, Read

MODELS = [f"m{i}" for i in range(9)]


def long(role: str = "proxy", models: list[str] = MODELS, noise: int = 0) -> str:
    """Scores of x and y, and a proxy of x that `noise` decides."""
    rng = np.random.default_rng(5)
    scores = {"x": rng.normal(size=len(models)), "y": rng.normal(size=len(models))}
    cheap = np.random.default_rng(noise).normal(size=len(models))
    rows = ["model,benchmark,score,cost_seconds,role"]
    rows += [f"{m},{b},{v!r},9.0," for b in scores for m, v in zip(models, scores[b], strict=True)]
    rows += [f"{m},x:p,{v!r},0.5,{role}" for m, v in zip(models, cheap, strict=True)]
    return "\n".join(rows).replace("np.float64(", "").replace(")", "") + "\n"


def proxies(table: ResultsTable) -> list[str]:
    return list(table.columns.index[table.columns["role"] == "proxy"])


def test_a_long_table_says_which_columns_are_proxies(read: Read) -> None:
    table = read(long())
    assert proxies(table) == ["x:p"]
    assert list(table.targets) == ["x", "y"]
    assert table.target_benchmarks == ("x", "y")
    assert table.costs == {"x": 9.0, "x:p": 0.5, "y": 9.0}
    assert table.total_cost == 18.0
    about = summary(table)
    assert (about["proxies"], about["benchmarks"]) == (["x:p"], 2)
    assert "role" not in table.models


def test_what_the_rows_say_is_checked(read: Read, fails: Fails) -> None:
    assert proxies(read(long("PROXY"))) == ["x:p"]
    assert proxies(read(long("score"))) == []
    assert proxies(read(long("proxy").replace("proxy\n", "\n", 3))) == ["x:p"]
    mixed = long().replace(",proxy\n", ",score\n", 1)
    assert "'x:p' is score in row 20; make them agree" in fails(mixed)
    assert "'king' is not a role; write 'score'" in fails(long().replace(",proxy", ",king", 1))
    assert "all columns are proxies" in fails(long().replace("9.0,\n", "9.0,proxy\n"))


def test_a_role_that_is_no_role_of_columns_is_an_attribute_of_the_models(read: Read) -> None:
    rows = ["model,benchmark,score,role"]
    rows += [f"{m},{b},{i * (1 + ord(b))}.5,chat" for b in "xyz" for i, m in enumerate(MODELS)]
    table = read("\n".join(rows))
    assert proxies(table) == []
    assert list(table.models.columns) == ["role"]


def test_options_overrule_what_the_file_says(read: Read) -> None:
    assert proxies(read(long(), column_roles={"x:*": "score"})) == []
    assert proxies(read(long(), column_roles={"y": "proxy"})) == ["y", "x:p"]


def test_metrics_as_columns_and_tables_on_their_side_say_roles_too(read: Read) -> None:
    rows = ["model,benchmark,role,acc,loss"]
    for b, role in (("x", ""), ("y", "score"), ("x:p", "proxy")):
        rows += [f"{m},{b},{role},{i + ord(b[0])}.{i * i},{i % 4}.5" for i, m in enumerate(MODELS)]
    assert proxies(read("\n".join(rows))) == ["x:p.acc", "x:p.loss"]
    across = ["benchmark,role,w,v,u,t", "x,,1.5,2,4,3", "y,score,3,2,1.5,7", "p,proxy,1,2,2.5,3"]
    assert proxies(read("\n".join(across))) == ["p"]


def test_a_wide_table_takes_roles_from_options_and_from_a_table_file(tmp_path: Path) -> None:
    table = read_wide(tmp_path)
    assert proxies(read_table(table, column_roles={"*:p": "proxy"})) == ["x:p"]
    (tmp_path / "table.toml").write_text('column = ["x:p=proxy"]\n')
    asked = ["describe", str(table), "--table", str(tmp_path / "table.toml")]
    said = CliRunner().invoke(app, asked, catch_exceptions=False).output
    assert "9 models x 2 benchmarks (2 columns)" in said
    assert "proxies, inputs that are never targets: 1 (x:p)" in said


def read_wide(folder: Path) -> Path:
    path, wide = folder / "long.csv", folder / "wide.csv"
    path.write_text(long())
    read_table(path).scores.rename_axis("model").to_csv(wide)
    return wide


def test_proxies_change_no_mean_no_rank_no_loss_and_no_summary(read: Read) -> None:
    with_them, others = read(long()), read(long(noise=1))
    alone = read(long(), drop_columns=["x:p"])
    assert with_them.coverage == alone.coverage
    assert with_them.total_cost == alone.total_cost
    for table in (with_them, others):
        pd.testing.assert_frame_equal(standings(table, {}).means, standings(alone, {}).means)
        for name in ("effective_rank", "model_coverage", "coverage", "total_cost", "benchmarks"):
            assert summary(table)[name] == summary(alone)[name]
    splits = shuffle_splits(alone, n_splits=4, seed=0)
    losses = [RidgeScorer(t, splits).losses([("x",), ("x", "y")]) for t in (with_them, alone)]
    np.testing.assert_allclose(*losses, rtol=1e-12)
    assert RidgeScorer(with_them, splits).mean_predictor().tolist() == pytest.approx(
        RidgeScorer(alone, splits).mean_predictor().tolist()
    )


def test_a_model_that_has_proxies_alone_is_left_out(read: Read) -> None:
    table = read(long() + "new,x:p,0.3,0.5,proxy\n")
    assert "new" not in table.model_names
    assert any(n.name == "new" and n.why == "has no score" for n in table.provenance.notes)


def test_proxies_hide_no_aggregate(read: Read) -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(50, 9, (12, 4)), columns=list("abcd"))
    frame["overall"] = frame.mean(axis=1)
    frame["p"] = np.random.default_rng(1).normal(size=12)
    table = read_table(frame.rename(index=lambda i: f"m{i}"), column_roles={"p": "proxy"})
    assert list(table.scores) == [*"abcd", "p"]


def test_impute_fills_no_proxy_and_leaves_them_out_of_the_file(read: Read, tmp_path: Path) -> None:
    lines = [line for line in long().splitlines() if not line.startswith(("m3,x:p", "m4,y"))]
    found = impute(read("\n".join(lines)))
    assert found.basis[["model", "column"]].to_numpy().tolist() == [["m4", "y"]]
    assert np.isnan(found.scores.loc["m3", "x:p"])
    assert list(found.by_column["column"]) == ["x", "y"]
    found.write_csv(tmp_path / "completed.csv")
    assert list(pd.read_csv(tmp_path / "completed.csv")) == ["model", "x", "y"]


def test_import_keeps_roles_and_takes_them_from_options(read: Read, tmp_path: Path) -> None:
    source, out = tmp_path / "long.csv", tmp_path / "all.csv"
    source.write_text(long())
    table = read_table(source, cost_unit="seconds")
    for i in range(2):
        gather([source], cost_unit="seconds").write_csv(out)
        again = read_table(out)
        assert proxies(again) == ["x:p"]
        assert again.costs == table.costs, i
        names = list(table.scores)
        pd.testing.assert_frame_equal(again.scores[names], table.scores, check_names=False)
        source = out
    wide = read_wide(tmp_path)
    asked = ["import", str(wide), "--column", "x:p=proxy", "--out", str(out)]
    assert CliRunner().invoke(app, asked, catch_exceptions=False).exit_code == 0
    assert proxies(read_table(out)) == ["x:p"]
    gather([wide]).write_csv(out)
    assert "role" not in out.read_text().splitlines()[0]
