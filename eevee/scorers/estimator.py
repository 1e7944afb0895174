"""`EstimatorScorer`: any scikit-learn regressor as the meta-model. Slow and honest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import BoolArray, FloatArray, IntArray, Subset
from eevee.base.errors import EeveeError
from eevee.scorers.base import Advance, BaseScorer
from eevee.scorers.loss import FitData, Targets, mean_squared_errors
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

BATCH = 64
"""Subsets per progress report."""


class EstimatorScorer(BaseScorer):
    """Held-out loss of a scikit-learn regressor that sees only the subset.

    The regressor is cloned for every subset and split and gets standardised columns (missing
    inputs are 0, followed by one flag for each column with gaps) and targets in units. Columns
    whose targets are complete are fitted together where the regressor takes several outputs;
    any other column is fitted alone, on the models that have it. A regressor knows nothing of
    the loss weights: they weight its errors, not its fit.

    Parameters
    ----------
    regressor : scikit-learn regressor
        A pipeline will do.
    table : ResultsTable
    splits : Splits
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
    n_jobs : int, optional
        Subsets scored side by side by joblib, as in scikit-learn; None is 1.

    Raises
    ------
    EeveeError
        If `regressor` is no scikit-learn regressor.

    Notes
    -----
    A score is a pure function of the subset only if the regressor is: give it a
    ``random_state``.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = EstimatorScorer(KNeighborsRegressor(3), table, eevee.shuffle_splits(table))
    >>> scorer.losses([("a",), ("a", "b", "c", "d")]).shape
    (2,)
    """

    def __init__(
        self,
        regressor: Any,
        table: ResultsTable,
        splits: Splits,
        *,
        targets: Targets = "all",
        weights: Mapping[str, float] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        if isinstance(regressor, type) or not (
            hasattr(regressor, "get_params") and is_regressor(regressor)
        ):
            raise EeveeError(f"EstimatorScorer needs a scikit-learn regressor, got {regressor!r}")
        super().__init__(table, splits, targets=targets, weights=weights)
        self.regressor = regressor
        self.n_jobs = n_jobs
        self._together = bool(get_tags(regressor).target_tags.multi_output)

    def with_targets(self, targets: Targets) -> EstimatorScorer:
        """Return the same scorer for the other kind of target."""
        return EstimatorScorer(
            self.regressor,
            self.table,
            self.splits,
            targets=targets,
            weights=self.weights,
            n_jobs=self.n_jobs,
        )

    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""
        return {
            "name": "estimator",
            "estimator": " ".join(str(self.regressor).split()),
            "targets": self.targets,
            "n_splits": self.splits.n_splits,
            "weights": None if self.weights is None else dict(sorted(self.weights.items())),
        }

    def predict_targets(self, subsets: Sequence[Iterable[str]], *, init: int = 0) -> FloatArray:
        """Predict the test models of each split, in units above the fitting models' mean.

        As in `eevee.scorers.base.BaseScorer`; there is one initialisation.
        """
        checked = [self.table.subset(subset) for subset in subsets]
        parts = [np.stack(batch) for batch in self._each(checked, _predictions)]
        return np.concatenate(parts)

    def _losses(self, subsets: list[Subset], advance: Advance | None) -> FloatArray:
        parts = []
        batches = self._each(subsets, _errors)
        for start, errors in zip(range(0, len(subsets), BATCH), batches, strict=True):
            parts.append(self._rule.losses(subsets[start : start + BATCH], np.stack(errors)))
            if advance is not None:
                advance(len(errors))
        return np.concatenate(parts)

    def _each(
        self, subsets: list[Subset], work: Callable[..., FloatArray]
    ) -> Iterator[list[FloatArray]]:
        """Yield what `work` makes of each subset, a batch at a time."""
        # Here for jobs that are threads: limits of their own would be lifted under each other.
        with threadpool_limits(1), Parallel(n_jobs=self.n_jobs) as parallel:
            for start in range(0, len(subsets), BATCH):
                batch = subsets[start : start + BATCH]
                fit_weights = np.broadcast_to(
                    self._rule.fit_weights(batch),
                    (len(batch), self.splits.n_splits, self.table.n_columns),
                )
                yield parallel(
                    delayed(work)(
                        self.regressor,
                        self._data,
                        self.splits,
                        self._columns(subset),
                        weights > 0,
                        self._together,
                    )
                    for subset, weights in zip(batch, fit_weights, strict=True)
                )

    def _columns(self, subset: Subset) -> IntArray:
        names = np.array(self.table.benchmark_names)[self.table.column_owner]
        return np.flatnonzero(np.isin(names, subset))


def _errors(
    regressor: Any,
    data: FitData,
    splits: Splits,
    columns: IntArray,
    wanted: BoolArray,
    together: bool,
) -> FloatArray:
    """Squared errors of one subset, (n_splits, n_columns); `wanted` says which are targets."""
    errors = np.zeros(wanted.shape)
    predicted = _predictions(regressor, data, splits, columns, wanted, together)
    for split, test in enumerate(splits.test):
        outputs = np.flatnonzero(wanted[split])
        errors[split, outputs] = mean_squared_errors(
            predicted[split][None, : test.sum(), outputs],
            data.targets[split][None, test][..., outputs],
            data.observed[None, test][..., outputs],
        )[0]
    return errors


def _predictions(
    regressor: Any,
    data: FitData,
    splits: Splits,
    columns: IntArray,
    wanted: BoolArray,
    together: bool,
) -> FloatArray:
    """Predictions of one subset for test models, (n_splits, n_rows, n_columns); NaN beyond.

    On one thread: the bits of a fit may depend on how many share it.
    """
    n_rows = int(splits.test.sum(axis=1).max())
    found = np.full((len(wanted), n_rows, wanted.shape[1]), np.nan)
    with threadpool_limits(1):
        for split, (fit, test) in enumerate(zip(splits.fit, splits.test, strict=True)):
            inputs = _inputs(data, split, columns, fit)
            for outputs, rows in _fits(data.observed, fit, wanted[split], together):
                targets = data.targets[split][:, outputs]
                model = clone(regressor)
                model.fit(inputs[rows], targets[rows] if len(outputs) > 1 else targets[rows, 0])
                predicted = np.asarray(model.predict(inputs[test])).reshape(-1, len(outputs))
                found[split, : test.sum(), outputs] = predicted.T
    return found


def _inputs(data: FitData, split: int, columns: IntArray, fit: BoolArray) -> FloatArray:
    """Columns of a subset and the live flags among theirs, (n_models, n_inputs)."""
    gappy = columns[~data.observed[fit][:, columns].all(axis=0)]
    return np.concatenate([data.inputs[split][:, columns], data.flags[split][:, gappy]], axis=1)


def _fits(
    observed: BoolArray, fit: BoolArray, wanted: BoolArray, together: bool
) -> Iterator[tuple[IntArray, BoolArray]]:
    """Which outputs are fitted at once, and on which models."""
    complete = wanted & observed[fit].all(axis=0)
    if together and complete.any():
        yield np.flatnonzero(complete), fit
    alone = wanted & ~complete if together else wanted
    for output in np.flatnonzero(alone):
        yield np.array([output]), fit & observed[:, output]
