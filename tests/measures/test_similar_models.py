"""Pairs of models by their features, groups of them, and the splits that keep groups together."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from eevee.base.errors import EeveeError
from eevee.measures.layers import Layer
from eevee.measures.similar_models import ModelDistances, Pair, compare_files
from eevee.measures.similarity import cka, pwcca
from eevee.measures.similarity_kinds import find_similarity
from eevee.readers import read_table
from eevee.splits import shuffle_splits
from tests.cli.conftest import Run, fails, misused, read_json, run  # noqa: F401  # fixtures

MODELS = tuple("abcdefgh")


@pytest.fixture
def features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, np.ndarray]:
    """Features of eight models on one task; b and d are rotations of a, up to a little noise."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    made = {model: rng.normal(size=(90, 5)) for model in MODELS}
    for number, model in enumerate("bd"):
        turned = made["a"] @ np.linalg.qr(rng.normal(size=(5, 5)))[0]
        made[model] = 3 * turned + 0.05 * (1 + number) * rng.normal(size=(90, 5)) + 1
    for model, rows in made.items():
        np.savez(f"{model}__pets.npz", features=rows, labels=np.arange(90) % 3)
    return made


def paths() -> list[Path]:
    return [Path(f"{model}__pets.npz") for model in MODELS]


def test_distances_are_those_of_the_arrays(features: dict[str, np.ndarray]):
    found = compare_files(paths(), find_similarity("cka"))
    assert len(found.pairs) == 28
    for pair in found.pairs:
        assert pair.distance == cka(features[pair.first], features[pair.second]).value
    matrix = found.matrix
    assert np.array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()


@pytest.mark.parametrize("kind", ["cka-debiased", "pwcca"])
def test_standard_errors_are_those_of_leaving_out_rows(features: dict[str, np.ndarray], kind: str):
    found = compare_files(paths()[:4], find_similarity(kind), n_groups=90)
    assert len(found.pairs) == 6
    for pair in found.pairs:
        one, other = features[pair.first], features[pair.second]
        without = []
        for i in range(90):  # a group per row, so that no groups need to be known
            layers = (Layer.of(np.delete(rows, i, axis=0)) for rows in (one, other))
            without.append(find_similarity(kind).between(*layers))
        spread = np.asarray(without) - np.mean(without)
        assert pair.stderr == pytest.approx(np.sqrt(89 / 90 * np.square(spread).sum()), rel=1e-9)
    again = compare_files(paths()[:4], find_similarity(kind), n_groups=7, seed=1)
    other = compare_files(paths()[:4], find_similarity(kind), n_groups=7, seed=2)
    assert again.pairs[0].distance == found.pairs[0].distance
    assert again.pairs[0].stderr != other.pairs[0].stderr
    assert all(
        math.isnan(one.stderr) for one in compare_files(paths(), find_similarity(kind)).pairs
    )


def test_where_a_jackknife_does_not_exist_there_is_no_standard_error(features: Any, tmp_path: Path):
    rows = np.zeros((90, 2))
    rows[5] = 1  # without this row all columns are constant
    np.savez("z__pets.npz", features=rows, labels=np.arange(90) % 3)
    found = compare_files([*paths()[:2], Path("z__pets.npz")], find_similarity("cka"), n_groups=5)
    missing = {(one.first, one.second): math.isnan(one.stderr) for one in found.pairs}
    assert missing == {("a", "b"): False, ("a", "z"): True, ("b", "z"): True}
    found.write_pairs(tmp_path / "pairs.csv")
    cells = [line.split(",")[-1] for line in (tmp_path / "pairs.csv").read_text().split()]
    assert cells[0] == "stderr"
    assert sorted(map(bool, cells[1:])) == [False, False, True]
    with pytest.raises(EeveeError, match="at least 2 groups"):
        compare_files(paths(), find_similarity("cka"), n_groups=1)


def test_of_pwcca_the_mean_of_both_directions_is_taken(features: dict[str, np.ndarray]):
    found = compare_files(paths()[:2], find_similarity("pwcca"))
    both = pwcca(features["a"], features["b"]).value + pwcca(features["b"], features["a"]).value
    assert found.pairs[0].distance == pytest.approx(both / 2, rel=1e-12)


@pytest.mark.parametrize("kind", ["cka", "cka-debiased", "opd"])
def test_models_that_are_nearly_the_same_are_one_group(features: Any, kind: str):
    found = compare_files(paths(), find_similarity(kind))
    assert found.groups().tolist() == [0, 0, 1, 0, 2, 3, 4, 5]
    assert found.groups(0.9999).tolist() != found.groups().tolist()


def test_groups_do_not_depend_on_the_order_of_files(features: Any):
    found = compare_files(paths()[::-1], find_similarity("opd"))
    names = found.named_groups()
    assert {name for name in MODELS if names[name] == names["a"]} == set("abd")


def test_models_are_linked_in_chains_and_apart_if_any_task_says_so():
    pairs = (
        *(Pair("a", "b", "t", 0.01), Pair("b", "c", "t", 0.01), Pair("a", "c", "t", 0.03)),
        *(Pair("c", "d", "t", 0.01), Pair("c", "d", "u", 0.2)),
    )
    found = ModelDistances(tuple("abcde"), pairs)
    assert found.groups().tolist() == [0, 0, 0, 1, 2]
    assert found.groups(0.2).tolist() == [0, 0, 0, 0, 1]
    assert np.isnan(found.matrix[0, 4])
    assert [one.distance for one in found.nearest] == [0.01, 0.01, 0.01, 0.03, 0.2]
    for wrong in (0, -1, np.nan, np.inf):
        with pytest.raises(EeveeError, match="threshold must be"):
            found.groups(wrong)


def test_groups_of_a_run_of_the_verb_keep_models_on_one_side_of_a_split(
    features: Any,
    run: Run,  # noqa: F811
    read_json: Callable[..., Any],  # noqa: F811
):
    args = ("measure", *paths(), "--similarity", "cka-debiased", "--groups-out", "groups.csv")
    shown = run(*args, "--out", "pairs.csv").stdout
    assert "8 models in 6 groups" in shown
    assert "--models-file groups.csv --groups group" in shown
    with Path("pairs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {rows[0]["first"], rows[0]["second"]} == {"a", "b"}
    said = read_json(*args)
    for column in ("distance", "stderr"):
        assert [one[column] for one in said["pairs"]] == [float(one[column]) for one in rows]
    kind, a, b = find_similarity("cka-debiased"), *(Layer.of(features[one]) for one in "ab")
    assert float(rows[0]["stderr"]) == kind.measure(a, b, n_groups=10).stderr
    alone = read_json(*args[:3], *args[-4:-2], "--n-groups", "0", "--seed", "3")
    assert [one["stderr"] for one in alone["pairs"]] == [None]
    scores = np.random.default_rng(1).normal(size=(8, 4)).round(6)
    frame = pd.DataFrame(scores, list(MODELS), ["w", "x", "y", "z"]).rename_axis("model")
    frame.to_csv("scores.csv")
    table = read_table("scores.csv", models="groups.csv")
    splits = shuffle_splits(table, n_splits=20, groups="group")
    places = [list(table.model_names).index(name) for name in "abd"]
    for test in splits.test:
        assert test[places].all() or not test[places].any()
    options = ("--scorer", "ridge", "--n-splits", "4", "--models-file", "groups.csv")
    ranked = read_json("rank", "scores.csv", *options, "--groups", "group")
    alone = read_json("rank", "scores.csv", *options)
    assert ranked != alone


def test_what_does_not_belong_together_is_refused_in_one_line(
    features: Any,
    fails: Callable[..., str],  # noqa: F811
    misused: Callable[..., str],  # noqa: F811
):
    kind = find_similarity("cka")
    with pytest.raises(EeveeError, match="same model and task"):
        compare_files([paths()[0], paths()[0]], kind)
    with pytest.raises(EeveeError, match="no two models"):
        compare_files(paths()[:1], kind)
    np.savez("z__pets.npz", features=np.ones((90, 2)), labels=np.arange(90) % 3)
    with pytest.raises(EeveeError, match=r"z__pets\.npz: features: all columns are constant"):
        compare_files([*paths(), Path("z__pets.npz")], kind)
    np.savez("z__pets.npz", features=np.eye(90), labels=np.arange(90) % 2)
    with pytest.raises(EeveeError, match=r"z__pets\.npz: other labels than in a__pets\.npz"):
        compare_files([*paths(), Path("z__pets.npz")], kind)
    np.savez("z__pets.npz", features=np.eye(90)[:80], labels=np.arange(90) % 3)
    with pytest.raises(EeveeError, match="80 rows of features, but labels of shape"):
        compare_files([*paths(), Path("z__pets.npz")], kind)
    np.savez("z__pets.npz", source_probs=np.eye(90), labels=np.arange(90) % 3)
    found = compare_files([*paths(), Path("z__pets.npz")], kind)
    assert "holds no features" in found.notes[0]
    assert "z" not in found.models
    args = ("measure", *paths())
    assert "did you mean 'cka'" in fails(*args, "--similarity", "ckaa")
    said = fails(*args, "--similarity", "pwcca", "--margin", "50")
    assert "a and b on pets: pwcca: 90 rows for 5 columns" in said
    groups = ("--groups-out", "g.csv")
    assert "needs --similarity" in misused(*args, *groups)
    assert "give --with and --out, or --similarity, or --diversity" in misused(
        *args, "--with", "logme"
    )
    for unused in (("--with", "logme"), ("--null", "9"), ("--prior", "a__pets.npz")):
        assert "give one" in misused(*args, "--similarity", "cka", *unused)
    same = ("--out", "g.csv", "--groups-out", "./g.csv")
    assert "are one file" in misused(*args, "--similarity", "cka", *same)
    assert "--out needs" in misused("measure", "a__pets.npz", "--diversity", "kl", "--out", "x")
    said = fails(*args, "--similarity", "opd", "--convention", "reference")
    assert "opd: convention must be paper" in said
    assert "--threshold lies in" in misused(*args, "--similarity", "cka", "--threshold", "0")
    overwriting = ("--similarity", "cka", "--groups-out", "a__pets.npz")
    assert "--groups-out is one of the files" in misused(*args, *overwriting)
