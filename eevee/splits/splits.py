"""`Splits`: which models train, validate and test the meta-model. Models are held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, IntArray
from eevee.base.errors import EeveeError
from eevee.splits.drawing import (
    Draw,
    check_draw,
    draw_models,
    draw_validation,
    n_testing,
    too_large,
    validation_count,
)
from eevee.splits.groups import Groups, group_labels
from eevee.stats.folds import balanced_folds
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True, eq=False)
class Splits:
    """Boolean masks over the models of one table.

    Attributes
    ----------
    train, validation, test : bool arrays, shape (n_splits, n_models)
        Disjoint within a split; every split has a training and a test model.

    Raises
    ------
    EeveeError
        If the masks differ in shape, overlap, or leave a split without a side.

    Examples
    --------
    >>> import numpy as np
    >>> test = np.eye(3, dtype=bool)
    >>> splits = Splits(train=~test, validation=np.zeros_like(test), test=test)
    >>> splits.n_splits, splits.n_models
    (3, 3)
    """

    train: BoolArray
    validation: BoolArray
    test: BoolArray

    def __post_init__(self) -> None:
        shapes = {mask.shape for mask in (self.train, self.validation, self.test)}
        if len(shapes) != 1 or self.train.ndim != 2:
            raise EeveeError(f"split masks must share one shape (n_splits, n_models), got {shapes}")
        overlap = self.train.astype(int) + self.validation + self.test > 1
        if overlap.any():
            split, model = np.argwhere(overlap)[0]
            raise EeveeError(f"split {split}: model {model} is on two sides")
        for side, mask in (("training", self.train), ("test", self.test)):
            if not mask.any(axis=1).all():
                raise EeveeError(f"split {np.argmin(mask.any(axis=1))} has no {side} model")
        for mask in (self.train, self.validation, self.test):
            mask.setflags(write=False)

    @property
    def n_splits(self) -> int:
        """Number of splits."""
        return int(self.train.shape[0])

    @property
    def n_models(self) -> int:
        """Number of models of the table that the masks are for."""
        return int(self.train.shape[1])

    @property
    def fit(self) -> BoolArray:
        """Training and validation models together, shape (n_splits, n_models)."""
        return np.asarray(self.train | self.validation)

    @property
    def sides(self) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Train, validation and test, in this order."""
        return self.train, self.validation, self.test

    def take(self, indices: Sequence[int] | IntArray) -> Splits:
        """Return some of the splits, by position, in the order asked for.

        Raises
        ------
        EeveeError
            If a position does not exist, or none is given.
        """
        chosen = [int(index) for index in indices]
        if not chosen:
            raise EeveeError("take at least one split")
        for index in chosen:
            if not 0 <= index < self.n_splits:
                raise EeveeError(f"no split {index}: they are numbered 0 to {self.n_splits - 1}")
        return Splits(*(mask[chosen] for mask in self.sides))


def shuffle_splits(
    table: ResultsTable,
    *,
    n_splits: int = 10,
    test_size: float = 0.2,
    validation_size: float = 0.2,
    seed: int = 0,
    groups: Groups | None = None,
) -> Splits:
    """Draw random splits over models (the paper's ShuffleSplit, section 3, Algorithm 1).

    Parameters
    ----------
    table : ResultsTable
    n_splits : int
    test_size : float
        Share of the models that test: max(2, rounded) of them in every split.
    validation_size : float
        Share of the remaining models that validate, at least one where two are left.
    seed : int
    groups : str or labels of shape (n_models,), optional
        Models that stay on one side together, such as near-duplicates
        (`eevee.splits.near_duplicates.duplicate_groups`). The shares are then met as nearly as
        whole groups allow.

    Returns
    -------
    Splits

    Raises
    ------
    EeveeError
        If a size is out of range or too few models are left to train on.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    >>> splits = shuffle_splits(ResultsTable.from_scores(frame), seed=1)
    >>> splits.test.sum(axis=1).tolist() == [4] * 10, splits.validation.sum(axis=1)[0].item()
    (True, 3)
    """
    drawn = Draw(n_splits, test_size, validation_size, seed, groups)
    n_test = n_testing(table, test_size)
    if groups is not None:
        labels = group_labels(table, groups)
        return grouped_splits(table, labels, drawn, n_test)
    rest = table.n_models - n_test
    n_validation = validation_count(validation_size, rest)
    place = _shuffled_places(n_splits, table.n_models, seed)
    return Splits(
        train=place >= n_test + n_validation,
        validation=(place >= n_test) & (place < n_test + n_validation),
        test=place < n_test,
    )


def fold_splits(
    table: ResultsTable,
    *,
    n_folds: int = 5,
    n_repeats: int = 2,
    validation_size: float = 0.2,
    seed: int = 0,
    groups: Groups | None = None,
) -> Splits:
    """Draw repeated K-fold splits: every model is held out exactly `n_repeats` times.

    Parameters
    ----------
    table : ResultsTable
    n_folds : int
        Test sides per repeat, as equal in size as whole groups allow.
    n_repeats : int
    validation_size : float
        Share of the other models that validate, as in `shuffle_splits`.
    seed : int
    groups : str or labels of shape (n_models,), optional
        An attribute of ``table.models`` or labels: models that stay on one side together.

    Returns
    -------
    Splits
        ``n_folds * n_repeats`` of them, one repeat after the other.

    Raises
    ------
    EeveeError
        If there are fewer groups than folds, or a fold leaves fewer than two models to train on.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=list("abc"))
    >>> splits = fold_splits(ResultsTable.from_scores(frame), n_folds=4, n_repeats=3)
    >>> splits.n_splits, set(splits.test.sum(axis=0).tolist())
    (12, {3})
    """
    check_draw(n_repeats, seed, count="n_repeats", validation_size=validation_size)
    labels = group_labels(table, groups)
    n_groups = len(np.unique(labels))
    if not 2 <= n_folds <= n_groups:
        what = "models" if groups is None else "groups of models"
        raise EeveeError(f"n_folds must lie between 2 and the {n_groups} {what}, got {n_folds}")
    rng = np.random.default_rng(seed)
    tests = []
    validations = []
    for _ in range(n_repeats):
        fold = balanced_folds(labels, n_folds, rng)
        for test in fold == np.arange(n_folds)[:, None]:
            if (~test).sum() < 2:
                raise EeveeError(too_large(table, labels))
            tests.append(test)
            validations.append(draw_validation(labels, ~test, validation_size, rng))
    return _splits_of(tests, validations)


def grouped_splits(
    table: ResultsTable,
    labels: IntArray,
    drawn: Draw,
    n_test: int,
) -> Splits:
    """Draw random splits in which no group is on two sides."""
    rng = np.random.default_rng(drawn.seed)
    everyone = np.ones(table.n_models, dtype=np.bool_)
    tests = []
    validations = []
    for _ in range(drawn.n_splits):
        test = draw_models(labels, everyone, n_test, least=2, most=table.n_models - 2, rng=rng)
        if test is None:
            raise EeveeError(too_large(table, labels))
        tests.append(test)
        validations.append(draw_validation(labels, ~test, drawn.validation_size, rng))
    return _splits_of(tests, validations)


def _splits_of(tests: list[BoolArray], validations: list[BoolArray]) -> Splits:
    """Whoever neither tests nor validates trains."""
    test, validation = np.stack(tests), np.stack(validations)
    return Splits(train=~(test | validation), validation=validation, test=test)


def _shuffled_places(n_splits: int, n_models: int, seed: int) -> np.ndarray:
    """Per split, the place of each model in a random order."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n_models) for _ in range(n_splits)])
