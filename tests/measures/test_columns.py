from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures import (
    LossDataCurve,
    find_measures,
    leep,
    logme,
    loss_data_columns,
    measure_files,
    pactran_gaussian,
)
from eevee.measures.catalog import NAMES
from eevee.measures.columns import HEADER
from eevee.readers import read_table
from eevee.readers.harness import canonical
from tests.cli.conftest import Run, fails, misused, read_json, run  # noqa: F401  # fixtures
from tests.measures.conftest import made

MODELS = ("a", "b", "c", "d")


@pytest.fixture
def features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Files of four models on one task; a knows most of the classes, d nothing."""
    monkeypatch.chdir(tmp_path)
    paths = []
    for number, model in enumerate(MODELS):
        data = made(60, 5, 3, seed=number, apart=3 - number)
        path = Path(f"{model}__pets.npz")
        np.savez(path, features=data.features, labels=data.labels, seconds=number + 10.0,
                 source_probs=data.source_probs)  # fmt: skip
        paths.append(path)
    return paths


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_header_is_that_of_the_long_table_and_the_role():
    assert (*canonical.HEADER, "role") == HEADER


def test_rows_hold_scores_errors_and_costs_as_the_library_gives_them(features: list[Path]):
    measure_files(features, find_measures("logme,pactran-gaussian")).write_csv(Path("out.csv"))
    rows = rows_of(Path("out.csv"))
    assert [row["model"] for row in rows] == [*MODELS, *MODELS]
    data = made(60, 5, 3, seed=1, apart=2)
    for row, function in ((rows[1], logme), (rows[5], pactran_gaussian)):
        expected = function(data.features, data.labels, n_groups=10)
        assert float(row["score"]) == expected.score
        assert float(row["stderr"]) == expected.stderr
        assert (row["role"], row["direction"], row["metric"]) == ("proxy", "higher", "")
        assert 11 < float(row["cost_seconds"]) < 12
    assert {row["benchmark"] for row in rows} == {"pets:logme", "pets:pactran-gaussian"}


def test_columns_are_read_back_as_proxies_beside_a_benchmark(features: list[Path]):
    found = measure_files(features, find_measures("logme,h-score"), n_groups=4)
    found.write_csv(Path("out.csv"))
    with Path("out.csv").open("a", encoding="utf-8") as file:
        for model in MODELS:
            file.write(f"{model},pets,accuracy,0.{ord(model)},,higher,,9.0,,,x,\n")
    table = read_table("out.csv", column_roles={"pets:*": "proxy"})
    assert set(table.columns.index[table.columns["role"] == "proxy"]) == {
        "pets:logme", "pets:h-score",
    }  # fmt: skip
    assert table.scores.loc["c", "pets:logme"] == found.scores[2].measure.score
    assert table.stderrs is not None


def test_what_a_file_lacks_is_left_out_with_a_note_and_nothing_at_all_is_an_error(tmp_path: Path):
    data = made(30, 3, 2)
    path = tmp_path / "m__t.npz"
    np.savez(path, features=data.features, labels=data.labels)
    found = measure_files([path], find_measures("leep,logme"), n_groups=0)
    assert [one.name for one in found.scores] == ["logme"]
    assert math.isnan(found.scores[0].measure.stderr)
    assert "leep left out: it needs source_probs" in found.notes[0]
    assert "forward passes" in found.notes[1]
    with pytest.raises(EeveeError, match="no measure can be computed"):
        measure_files([path], find_measures("leep"))
    with pytest.raises(EeveeError, match="same model and task"):
        measure_files([path, path], find_measures("logme"))
    with pytest.raises(EeveeError, match="no file of features"):
        measure_files([tmp_path / "m__t.labels.npy"], find_measures("logme"))


def curves(tmp_path: Path, names: str, losses: list[float], **options: Any) -> Any:
    """What is read off curves that are given, for one file."""
    data = made(30, 3, 2)
    np.savez(tmp_path / "m__t.npz", features=data.features, labels=data.labels, seconds=1.0)
    curve = LossDataCurve.of([10, 20, 27], losses, n_classes=2, label_entropy=0.69)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loss_data_columns, "loss_data_curve", lambda *_, **__: curve)
        return measure_files([tmp_path / "m__t.npz"], find_measures(names), **options)


def test_curves_that_rise_are_noted_once_per_file(tmp_path: Path):
    found = curves(tmp_path, "va,mdl,sdl-e0.35,esc-e0.35", [0.5, 0.2, 0.3], n_groups=0)
    assert [one.measure.value for one in found.scores if one.name == "esc-e0.35"] == [20]
    said = [note.partition("npz: ")[2] for note in found.notes]
    assert said == ["the loss rises at 27 samples; SDL and eSC assume that it never does"]
    gone = curves(tmp_path, "esc-e0.25,sdl-e0.25", [0.5, 0.2, 0.3], n_groups=0)
    assert any("reaches a loss of 0.25 and leaves it again" in note for note in gone.notes)
    assert any("with 27 samples, so" in n and "such as sdl-e0.33" in n for n in gone.notes)
    assert curves(tmp_path, "va,mi", [0.5, 0.2, 0.3]).notes == ()


def test_a_permutation_that_does_not_reach_epsilon_is_worse_and_the_value_stays(tmp_path: Path):
    data = made(80, 3, 2, apart=4)
    np.savez(tmp_path / "m__t.npz", features=data.features, labels=data.labels, seconds=1.0)
    args = ([tmp_path / "m__t.npz"], find_measures("esc-e0.5,mdl"))
    found = measure_files(*args, n_groups=0, n_permutations=3)
    alone = measure_files(*args, n_groups=0)
    esc, mdl = found.scores
    assert esc.measure.value == alone.scores[0].measure.value
    assert esc.null is not None
    assert mdl.null is not None
    assert (esc.null.p, esc.null.n) == (0.25, 3)
    assert math.isnan(esc.null.mean)
    assert math.isfinite(mdl.null.mean)


def test_an_error_names_the_file(tmp_path: Path):
    np.savez(tmp_path / "m__t.npz", features=np.ones((9, 2)), labels=np.arange(9) % 2)
    with pytest.raises(EeveeError, match=r"m__t\.npz: features: all columns are constant"):
        measure_files([tmp_path / "m__t.npz"], find_measures("logme"))


def test_every_name_of_the_catalog_gives_a_finite_score_with_an_error(features: list[Path]):
    found = measure_files(features[:1], find_measures(list(NAMES)), n_groups=3)
    assert {one.name for one in found.scores} == set(NAMES)
    for one in found.scores:
        assert math.isfinite(one.measure.score)
        assert one.measure.stderr >= 0 or one.name == "esc"  # of a size there is none
        assert one.measure.seconds > 0


def test_names_are_found_expanded_and_refused():
    grid = find_measures("pactran-gaussian-grid")
    assert [one.name for one in grid][-1] == "pactran-gaussian-a0.1-b1"
    for names, said in (
        ("logm", "did you mean 'logme'"),
        ("", "is no measure"),
        ("logme,logme", "appears twice"),
        ("sdl,sdl-e0.1", "'sdl' and 'sdl-e0.1' are the same"),
        ("esc-e0.50,va,esc-e0.5", "'esc-e0.50' and 'esc-e0.5' are the same"),
        ("pactran-gaussian-a1..2-b1", "must be numbers"),
        ("pactran-gaussian-a0-b1", "a must be a positive number"),
    ):
        with pytest.raises(EeveeError, match=said):
            find_measures(names)
    with pytest.raises(EeveeError, match="convention must be"):
        find_measures("pactran-gamma", convention="code")


def test_the_verb_writes_what_it_prints(
    features: list[Path],
    run: Run,  # noqa: F811
    read_json: Callable[..., Any],  # noqa: F811
):
    args = ("measure", *features, "--with", "leep,logme", "--out", "out.csv", "--n-groups", "3")
    shown = run(*args, "--null", "5").stdout
    assert "8 scores written to out.csv" in shown
    assert "0.1667" in shown  # p of the best of 6
    found = read_json(*args, "--null", "5")
    rows = rows_of(Path("out.csv"))
    assert [one["score"] for one in found["scores"]] == [float(row["score"]) for row in rows]
    data = made(60, 5, 3, seed=0, apart=3)
    assert found["scores"][0]["value"] == leep(data.source_probs, data.labels).value
    assert found["scores"][0]["null"]["n"] == 5
    first = Path("out.csv").read_text()
    own = ("--prior", features[0], "--with", "task-prior-mean,logme", "--out", "prior.csv")
    assert "no null" in run("measure", features[0], *own, "--null", "2").stderr
    run(*args)
    timeless = [line.split(",")[:6] for line in Path("out.csv").read_text().splitlines()]
    assert timeless == [line.split(",")[:6] for line in first.splitlines()]


def test_wrong_usage_and_wrong_data_of_the_verb_are_told(
    features: list[Path],
    fails: Callable[..., str],  # noqa: F811
    misused: Callable[..., str],  # noqa: F811
):
    def args(names: str, out: str = "out.csv") -> tuple[Any, ...]:
        return ("measure", *features, "--with", names, "--out", out)

    assert "did you mean 'logme'" in fails(*args("logm"))
    assert "convention must be" in fails(*args("logme"), "--convention", "other")
    assert "at least 2 groups" in fails(*args("logme"), "--n-groups", "1")
    assert "--out is one of the files" in misused(*args("logme", str(features[0])))
    prior = ("measure", features[1], "--with", "task-prior-mean", "--prior", features[0])
    assert "--out is one of the files" in misused(*prior, "--out", features[0])
    assert "no measure uses a prior" in fails(*args("logme"), "--prior", str(features[0]))
    assert "--max-mb lies in" in misused(*args("logme"), "--max-mb", "0")
    assert "larger than 0.001 MB" in fails(*args("logme"), "--max-mb", "0.001")
    assert not Path("out.csv").exists()
