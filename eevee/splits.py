"""`Splits`: which models train, validate and test the meta-model. Models are held out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eevee.errors import EeveeError
from eevee.table import BoolArray, ResultsTable


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
        """Number of models of the table that the masks speak of."""
        return int(self.train.shape[1])

    @property
    def fit(self) -> BoolArray:
        """Training and validation models together, shape (n_splits, n_models)."""
        return np.asarray(self.train | self.validation)


def shuffle_splits(
    table: ResultsTable,
    *,
    n_splits: int = 10,
    test_size: float = 0.2,
    validation_size: float = 0.2,
    seed: int = 0,
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
    if n_splits < 1:
        raise EeveeError(f"n_splits must be at least 1, got {n_splits}")
    if seed < 0:
        raise EeveeError(f"seed must not be negative, got {seed}")
    for name, share in (("test_size", test_size), ("validation_size", validation_size)):
        if not 0 < share < 1:
            raise EeveeError(f"{name} must lie between 0 and 1, got {share}")
    n_test = max(2, round(test_size * table.n_models))
    rest = table.n_models - n_test
    if rest < 2:
        raise EeveeError(
            f"{table.n_models} models leave none to train on with test_size={test_size}; "
            "use more models or a smaller test_size"
        )
    n_validation = min(max(1, round(validation_size * rest)), rest - 1)
    place = _shuffled_places(n_splits, table.n_models, seed)
    return Splits(
        train=place >= n_test + n_validation,
        validation=(place >= n_test) & (place < n_test + n_validation),
        test=place < n_test,
    )


def _shuffled_places(n_splits: int, n_models: int, seed: int) -> np.ndarray:
    """Per split, the place of each model in a random order."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n_models) for _ in range(n_splits)])
