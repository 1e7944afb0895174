"""Samples that measures are computed on: made ones, and fixtures with reference numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FIXTURES = Path(__file__).parents[2].parent / "shared/fixtures"


@dataclass(frozen=True)
class Fixture:
    features: np.ndarray
    labels: np.ndarray
    source_probs: np.ndarray
    gmm_probs: np.ndarray
    numbers: dict[str, Any]


@pytest.fixture(params=["tall", "wide"])
def known(request: pytest.FixtureRequest) -> Fixture:
    """Inputs and what public implementations, or exact formulas, make of them."""
    path = FIXTURES / f"transferability_{request.param}"
    if not path.with_suffix(".npz").exists():
        pytest.skip(f"needs {path}.npz, which is not part of the project")
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
        numbers = json.loads(path.with_suffix(".json").read_text())
        return Fixture(**arrays, numbers=numbers)


@dataclass(frozen=True)
class Made:
    features: np.ndarray
    labels: np.ndarray
    source_probs: np.ndarray


def made(n: int, d: int, k: int, seed: int = 0, n_source: int = 5, apart: float = 1.0) -> Made:
    """Gaussian classes, and a source model that knows something of them."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n) % k)
    features = rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[labels]
    logits = rng.normal(size=(n, n_source)) + 2 * rng.normal(size=(k, n_source))[labels]
    probs = np.exp(logits)
    return Made(features, labels, probs / probs.sum(axis=1, keepdims=True))


@pytest.fixture
def make() -> Callable[..., Made]:
    return made


def one_hot(classes: np.ndarray, n: int) -> np.ndarray:
    return np.eye(n)[classes]
