"""Diversity of tasks in a file, and of those of each tier, by the library and the verb."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures.diversity_coefficient import diversity
from eevee.measures.embedding_files import ALL, Embeddings, diversities, read_embeddings
from eevee.measures.task_distances import task2vec_distances
from eevee.tiers.file import load_tiers
from tests.cli.conftest import ROOT, Run, fails, misused, read_json, run  # noqa: F401  # fixtures

TIERS = ROOT / "data/zoo/tiers.yaml"


@pytest.fixture
def embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Embeddings:
    """A file tasks.npz with all but one of the benchmarks of the largest of the shipped tiers."""
    monkeypatch.chdir(tmp_path)
    names = sorted({one for tier in load_tiers(TIERS) for one in tier.benchmark_names})[1:]
    values = np.random.default_rng(0).gamma(0.5, size=(len(names), 30))
    np.savez("tasks.npz", embeddings=values, tasks=names)
    return Embeddings(tuple(names), values)


def test_a_tier_has_the_diversity_of_its_own_tasks(embedded: Embeddings):
    found = diversities(read_embeddings(Path("tasks.npz")), {"t": embedded.tasks[3:8]})
    expected = diversity(task2vec_distances(embedded.values[3:8]))
    assert found.of["t"].value == pytest.approx(expected.value, rel=1e-10)
    assert found.of["t"].stderr == pytest.approx(expected.stderr, rel=1e-10)
    assert found.of[ALL].n_tasks == len(embedded.tasks)
    assert found.notes == ()


def test_what_a_tier_lacks_is_said(embedded: Embeddings):
    found = diversities(embedded, {"s": [*embedded.tasks[:2], "new"]}, kind="asymmetric_kl")
    assert list(found.of) == [ALL]
    assert found.notes == (
        "s: no embedding of 'new'", "s: left out: 2 tasks with embeddings, of 3 or more",
    )  # fmt: skip


def test_the_verb_prints_what_the_library_finds(
    embedded: Embeddings,
    run: Run,  # noqa: F811
    read_json: Callable[..., Any],  # noqa: F811
):
    args = ("measure", "tasks.npz", "--diversity", "cosine", "--tiers", TIERS)
    tiers = {one.name: one.benchmark_names for one in load_tiers(TIERS)}
    known = diversities(embedded, tiers)
    said = read_json(*args)
    assert list(said["diversity"]) == list(known.of)
    for name, one in known.of.items():
        assert said["diversity"][name]["value"] == one.value
        assert said["diversity"][name]["high"] == one.high
    shown = run(*args).stdout
    assert f"{known.of[ALL].value:.4g}" in shown


def test_files_and_options_that_cannot_be_are_refused(
    embedded: Embeddings,
    fails: Callable[..., str],  # noqa: F811
    misused: Callable[..., str],  # noqa: F811
):
    for number, (arrays, said) in enumerate(
        [
            ({"embeddings": np.eye(3)}, "holds no array 'tasks'"),
            ({"other": np.eye(3)}, "holds none of the arrays"),
            ({"embeddings": np.eye(3), "tasks": ["a", "b"]}, "2 tasks, but 3 embeddings"),
            ({"embeddings": np.eye(3), "tasks": ["a", "b", "a"]}, "'a' appears twice"),
            ({"embeddings": np.eye(3), "tasks": [1, 2, 3]}, "must be names"),
        ]
    ):
        path = Path(f"{number}.npz")
        np.savez(path, **arrays)  # type: ignore[arg-type]
        with pytest.raises(EeveeError, match=rf"{number}\.npz: .*{said}"):
            read_embeddings(path)
    with pytest.raises(EeveeError, match="larger than"):
        read_embeddings(Path("tasks.npz"), max_mb=0.0001)
    assert "cannot be read" in fails("measure", "none.npz", "--diversity", "cosine")
    assert "did you mean 'cosine'" in fails("measure", "tasks.npz", "--diversity", "cosin")
    both = ("--diversity", "cosine", "--similarity", "cka")
    assert "give one" in misused("measure", "tasks.npz", *both)
    assert "--tiers needs --diversity" in misused("measure", "tasks.npz", "--tiers", TIERS)
    twice = ("tasks.npz", "0.npz", "--diversity", "cosine")
    assert "one file of embeddings" in misused("measure", *twice)
