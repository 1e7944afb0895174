"""Ridge from the rows themselves: alpha by leave-one-out, at the cost of the models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.scorers.loss import FitData, mean_squared_errors
from eevee.scorers.ridge.alpha import first_smallest, ordered_sum
from eevee.scorers.ridge.grams import eigh, padded
from eevee.splits.splits import Splits


@dataclass(frozen=True, eq=False)
class Group:
    """Columns of one split whose targets are known for the same fitting models.

    Attributes
    ----------
    columns : shape (n_columns,)
    inputs : shape (n_features, padded rows)
        Of those models, centred on them, then zeros. A feature is a row here: picking features
        copies whole rows.
    targets : shape (padded rows, padded columns)
        Likewise.
    test_inputs : shape (n_features, padded test rows)
        Centred like `inputs`.
    test_targets, test_observed : shape (n_test, n_columns)
        Centred like `targets`.
    n_rows : int
        Fitting models that have these columns.
    """

    columns: IntArray
    inputs: torch.Tensor
    targets: torch.Tensor
    test_inputs: torch.Tensor
    test_targets: FloatArray
    test_observed: BoolArray
    n_rows: int


@dataclass(frozen=True, eq=False)
class Fit:
    """All subsets of a batch on one group, before alpha is chosen.

    Attributes
    ----------
    group : Group
    spectrum : shape (n_subsets, n_inputs)
        Eigenvalues of the Gram matrix of the inputs, and its `vectors`.
    vectors : shape (n_subsets, n_inputs, n_inputs)
    projected : shape (n_subsets, n_inputs, padded columns)
        Inputs x targets, along the eigenvectors.
    """

    group: Group
    spectrum: torch.Tensor
    vectors: torch.Tensor
    projected: torch.Tensor


class Rows:
    """Fits every column on the models that have it, in batches of subsets.

    The inputs of a subset are its columns (0 where missing), then one flag for each of its
    columns with a gap. All columns of a split share one alpha.

    Parameters
    ----------
    data : FitData
    splits : Splits
    alphas : shape (n_splits, n_alphas)
    wanted : bool, shape (n_splits, n_columns)
        Columns that are predicted. Never those of one batch alone: they would share their
        matrices otherwise than those of another, and the last bits with them.
    """

    def __init__(
        self,
        data: FitData,
        splits: Splits,
        alphas: FloatArray,
        wanted: BoolArray,
    ) -> None:
        self._data = data
        self._splits = splits
        self._alphas = torch.from_numpy(alphas)
        self._wanted = wanted

    def errors(self, chosen: IntArray, weights: FloatArray) -> FloatArray:
        """Squared errors, (n_subsets, n_splits, n_columns).

        Parameters
        ----------
        chosen : shape (n_subsets, n_inputs)
            Places of the features of each subset: columns, then `n_columns` + column for flags.
        weights : shape (n_subsets, n_splits, n_columns)
            Of the columns in the choice of alpha.
        """
        picked = _padded_choice(chosen, weights.shape[-1])
        errors = np.zeros_like(weights)
        for split in range(self._splits.n_splits):
            fits, alphas = self._fit(split, picked, chosen.shape[1], weights[:, split])
            for fit in fits:
                errors[:, split, fit.group.columns] = _test_errors(fit, picked, alphas)
        return errors

    def predictions(self, chosen: IntArray, weights: FloatArray, part: slice) -> FloatArray:
        """Predicted targets of some splits in units, (n_subsets, n_splits, n_rows, n_columns).

        Rows are the test models in order, as many as any split has; NaN beyond them, and where a
        column is not wanted.

        Parameters
        ----------
        chosen : shape (n_subsets, n_inputs)
            Places of the features of each subset.
        weights : shape (n_subsets, n_splits, n_columns)
            Of the columns in the choice of alpha.
        part : slice
            Of the splits.
        """
        picked = _padded_choice(chosen, weights.shape[-1])
        some = range(self._splits.n_splits)[part]
        n_rows = int(self._splits.test.sum(axis=1).max())
        found = np.full((len(chosen), len(some), n_rows, weights.shape[-1]), np.nan)
        for place, split in enumerate(some):
            n_test = int(self._splits.test[split].sum())
            fits, alphas = self._fit(split, picked, chosen.shape[1], weights[:, split])
            for fit in fits:
                found[:, place, :n_test, fit.group.columns] = _predicted(fit, picked, alphas)
        return found

    def _fit(
        self, split: int, picked: IntArray, n_inputs: int, weights: FloatArray
    ) -> tuple[list[Fit], torch.Tensor]:
        """Fit every group of a split; and the alpha of each subset, (n_subsets,)."""
        alphas = self._alphas[split]
        fits = []
        curve = torch.zeros(len(alphas), len(picked), dtype=torch.float64)
        for group in self._groups(split):
            inputs = _picked(group.inputs, picked)
            fits.append(_fit(group, inputs, n_inputs))
            mine = _padded(weights[:, group.columns], len(weights), group.targets.shape[1])
            curve += _leave_one_out(fits[-1], inputs, mine, alphas)
        return fits, alphas[first_smallest(curve)]

    def _groups(self, split: int) -> Iterator[Group]:
        """Group the columns by the fitting models that have them.

        Made for every batch: together they can be larger than memory.
        """
        data, fit, test = self._data, self._splits.fit[split], self._splits.test[split]
        nothing = np.zeros((len(fit), 1))
        features = np.concatenate([data.inputs[split], data.flags[split], nothing], axis=1)
        columns = np.flatnonzero(self._wanted[split])
        known = fit[:, None] & data.observed[:, columns]
        masks, members = np.unique(known, axis=1, return_inverse=True)
        for i in range(masks.shape[1]):
            mine = columns[members.ravel() == i]
            targets, seen = data.targets[split][:, mine], data.observed[test][:, mine]
            yield _group(features, targets, seen, masks[:, i], test, mine)


def _group(
    features: FloatArray,
    targets: FloatArray,
    seen: BoolArray,
    rows: BoolArray,
    test: BoolArray,
    columns: IntArray,
) -> Group:
    x = features - features[rows].mean(axis=0)
    y = targets - targets[rows].mean(axis=0)
    n_rows, n_test = int(rows.sum()), int(test.sum())
    return Group(
        columns=columns,
        inputs=_padded(x[rows].T, x.shape[1], padded(n_rows)),
        targets=_padded(y[rows], padded(n_rows), padded(len(columns))),
        test_inputs=_padded(x[test].T, x.shape[1], padded(n_test)),
        test_targets=y[test],
        test_observed=seen,
        n_rows=n_rows,
    )


def _padded(values: FloatArray, n_rows: int, n_columns: int) -> torch.Tensor:
    wide = np.zeros((n_rows, n_columns))
    wide[: values.shape[0], : values.shape[1]] = values
    return torch.from_numpy(wide)


def _picked(features: torch.Tensor, picked: IntArray) -> torch.Tensor:
    """Features that each subset picks, (n_subsets, n_inputs, n_rows)."""
    taken = features.index_select(0, torch.from_numpy(picked.ravel()))
    return taken.view(*picked.shape, -1)


def _fit(group: Group, inputs: torch.Tensor, n_inputs: int) -> Fit:
    cross = torch.bmm(inputs, group.targets.expand(len(inputs), -1, -1))
    spectrum, vectors = eigh(torch.bmm(inputs, inputs.mT), n_inputs)
    return Fit(group, spectrum, vectors, torch.bmm(vectors.mT, cross))


def _leave_one_out(
    fit: Fit, inputs: torch.Tensor, weights: torch.Tensor, alphas: torch.Tensor
) -> torch.Tensor:
    """Mean squared error of each model predicted from the others, (n_alphas, n_subsets).

    The left-out residual is the residual over 1 - leverage (Allen 1974), intercept included.
    The weighted squares of a model's residuals are a quadratic form in its inputs, whose matrix
    is inputs x inputs: the columns are summed once, not once per alpha.
    """
    n_rows = fit.group.n_rows
    targets = fit.group.targets.expand(len(inputs), -1, -1)
    rotated = torch.bmm(inputs.mT, fit.vectors)
    weighted = fit.projected * weights[:, None]
    squares = torch.bmm(weighted, fit.projected.mT)
    cross = rotated * torch.bmm(targets, weighted.mT)
    total = ordered_sum((weights[:, None] * targets**2).unbind(2))
    curve = []
    for alpha in alphas:
        inverse = (fit.spectrum + alpha).reciprocal()[:, None]
        shrunk = rotated * inverse
        fitted = shrunk * torch.bmm(shrunk, squares) - 2.0 * cross * inverse
        kept = 1.0 - 1.0 / n_rows - ordered_sum((rotated * shrunk).unbind(2))
        left_out = (total + ordered_sum(fitted.unbind(2))) / kept**2
        curve.append(left_out[:, :n_rows].numpy().mean(axis=1))
    return torch.from_numpy(np.stack(curve))


def _padded_choice(chosen: IntArray, n_columns: int) -> IntArray:
    """Let each subset pick the feature of zeros until matrices are aligned."""
    n_subsets, n_inputs = chosen.shape
    picked = np.full((n_subsets, padded(n_inputs)), 2 * n_columns)
    picked[:, :n_inputs] = chosen
    return picked


def _predicted(fit: Fit, picked: IntArray, alphas: torch.Tensor) -> FloatArray:
    """Targets of the test models, centred as they are: (n_subsets, n_test, n_columns)."""
    group = fit.group
    shrunk = fit.projected / (fit.spectrum + alphas[:, None])[:, :, None]
    coefficients = torch.bmm(fit.vectors, shrunk)
    predicted = torch.bmm(_picked(group.test_inputs, picked).mT, coefficients).numpy()
    return np.asarray(predicted[:, : len(group.test_targets), : len(group.columns)])


def _test_errors(fit: Fit, picked: IntArray, alphas: torch.Tensor) -> FloatArray:
    """Mean squared error of each column over its observed test models, (n_subsets, n_columns)."""
    group, predicted = fit.group, _predicted(fit, picked, alphas)
    return mean_squared_errors(
        predicted[:, None], group.test_targets[None], group.test_observed[None]
    )[:, 0]
