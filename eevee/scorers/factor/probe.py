"""What a factor model predicts for test models from any subset: thousands of subsets at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.scorers.factor.als import Factors, solve
from eevee.scorers.factor.transform import Space
from eevee.scorers.loss import CLIP

BLOCK_BYTES = 2**19
"""Size of one array of a block: a few of them stay in the second-level cache (measured)."""


@dataclass(frozen=True, eq=False)
class SplitFit:
    """A factor model of one split, and the test models that it is tried on.

    Attributes
    ----------
    space : Space
    factors : Factors
    penalty : shape (rank + 1,)
        Of a test model's vector.
    inputs : bool, shape (n_columns,)
        Columns that may be measured.
    """

    space: Space
    factors: Factors
    penalty: FloatArray
    inputs: BoolArray


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells to predict, all of them logit-scaled or all of them not, sorted by split and column.

    Attributes
    ----------
    row : shape (n_cells,)
        Position of the cell's test model among the rows of all splits.
    weights : shape (n_features, n_cells)
        What the test model's vector is multiplied with.
    constant, target, width, low : shape (n_cells,)
        A prediction is constant + weights @ vector; in a logit-scaled cell that is the logit with
        its sign turned, and the prediction is width / (1 + exp(logit)). It and the target are in
        units, above the low end of the column's scale where it is logit-scaled.
    start, count, place : shape (n_groups,)
        First cell of each split and column, how many there are, and split * n_columns + column.
    """

    row: IntArray
    weights: FloatArray
    constant: FloatArray
    target: FloatArray
    width: FloatArray
    low: FloatArray
    start: IntArray
    count: IntArray
    place: IntArray
    logit_scaled: bool


class Probe:
    """Squared errors of every test cell, from the columns of a subset that a model has.

    A test model's vector solves a ridge regression of its measured columns on their loadings.
    The normal equations are sums over benchmarks of terms that are known beforehand. A model
    without any measured column gets the column means, in a logit-scaled column kept as far from the
    ends as any score is.

    Parameters
    ----------
    fits : sequence of SplitFit
    scores : shape (n_models, n_columns)
        Higher is better; NaN in gaps.
    test : bool, shape (n_splits, n_models)
    wanted : bool, shape (n_splits, n_columns)
        Columns to predict.
    units : shape (n_columns,)
    owner : shape (n_columns,)
        Position of each column's benchmark.
    """

    def __init__(
        self,
        fits: Sequence[SplitFit],
        scores: FloatArray,
        test: BoolArray,
        wanted: BoolArray,
        units: FloatArray,
        owner: IntArray,
    ) -> None:
        self._shape = wanted.shape
        self._size = max(fit.factors.loadings.shape[-1] for fit in fits)
        self._terms = np.concatenate(
            [
                _terms(fit, scores[rows], owner, self._size)
                for fit, rows in zip(fits, test, strict=True)
            ],
            axis=-1,
        )
        shrink = [
            np.pad(fit.penalty, (0, self._size - len(fit.penalty)), constant_values=1.0)
            for fit in fits
        ]
        self._penalty = np.repeat(np.array(shrink).T, test.sum(axis=1), axis=1)
        self._test = test
        self._cells = _cells(fits, scores, test, wanted, units, self._size)

    def errors(self, members: IntArray) -> FloatArray:
        """Mean squared errors in units, (n_subsets, n_splits, n_columns).

        Parameters
        ----------
        members : shape (n_subsets, k)
            Positions of benchmarks; -1 stands for none.
        """
        errors = np.zeros((len(members), self._shape[0] * self._shape[1]))
        size = max(1, BLOCK_BYTES // self._bytes_per_subset)
        for start in range(0, len(members), size):
            block = slice(start, start + size)
            vectors = self._vectors(members[block])
            for cells in self._cells:
                squared = _squared_errors(cells, vectors)
                summed = np.add.reduceat(squared, cells.start, axis=1)
                errors[block, cells.place] = summed / cells.count
        return errors.reshape(len(members), *self._shape)

    def predictions(self, members: IntArray) -> FloatArray:
        """Predictions in units, (n_subsets, n_splits, n_rows, n_columns).

        Rows are the test models of each split in order, as many as any split has. NaN in all but
        the cells that `errors` looks at.

        Parameters
        ----------
        members : shape (n_subsets, k)
            Positions of benchmarks; -1 stands for none.
        """
        n_splits, n_columns = self._shape
        counts = self._test.sum(axis=1)
        split = np.repeat(np.arange(n_splits), counts)
        place = np.concatenate([np.arange(count) for count in counts])
        found = np.full((len(members), n_splits, int(counts.max()), n_columns), np.nan)
        vectors = self._vectors(members)
        for cells in self._cells:
            column = np.repeat(cells.place % n_columns, cells.count)
            values = _predictions(cells, vectors) + cells.low
            found[:, split[cells.row], place[cells.row], column] = values
        return found

    @property
    def _bytes_per_subset(self) -> int:
        """Size of the largest array of a block, for one subset."""
        return 8 * max([int(self._terms[0].size), *(len(cells.row) for cells in self._cells)])

    def _vectors(self, members: IntArray) -> list[FloatArray]:
        """Each test model's vector and whether it has no measured column, (n_subsets, n_rows)."""
        total = self._terms[members[:, 0]]
        part = np.empty_like(total)
        for column in members.T[1:]:
            np.take(self._terms, column, axis=0, out=part, mode="wrap")  # -1 is the last one
            total += part
        size, position = self._size, 0
        gram: list[list[FloatArray]] = []
        for i in range(size):
            gram.append([total[:, position + j] for j in range(i + 1)])
            gram[i][i] = gram[i][i] + self._penalty[i]
            position += i + 1
        solved = solve(gram, [total[:, position + i] for i in range(size)])
        return [*solved, np.where(total[:, -1] == 0, 1.0, 0.0)]


def _terms(fit: SplitFit, scores: FloatArray, owner: IntArray, size: int) -> FloatArray:
    """Each benchmark's part of the normal equations, (n_benchmarks + 1, n_terms, n_models).

    The lower triangle row by row, the right side, and the number of measured columns; the last
    benchmark is none.
    """
    values = fit.space.standardise(scores)
    seen = np.isfinite(values) & fit.inputs
    loadings = _padded(fit.factors.loadings, size)
    residual = np.where(seen, np.clip(values, -CLIP, CLIP) - fit.factors.bias, 0.0)
    parts = [seen * loadings[:, i] * loadings[:, j] for i in range(size) for j in range(i + 1)]
    parts += [residual * loadings[:, i] for i in range(size)] + [seen.astype(np.float64)]
    terms = np.zeros((owner.max() + 2, len(parts), len(scores)))
    np.add.at(terms, owner, np.stack(parts).transpose(2, 0, 1))
    return terms


def _padded(loadings: FloatArray, size: int) -> FloatArray:
    """Loadings of a smaller rank among larger ones: the factors that it lacks are 0."""
    return np.pad(loadings, ((0, 0), (0, size - loadings.shape[-1])))


def _cells(
    fits: Sequence[SplitFit],
    scores: FloatArray,
    test: BoolArray,
    wanted: BoolArray,
    units: FloatArray,
    size: int,
) -> list[Cells]:
    """All cells to predict, those in linear columns before those in logit-scaled ones."""
    asked = test[:, :, None] & wanted[:, None, :] & np.isfinite(scores)
    split, column, model = np.nonzero(asked.transpose(0, 2, 1))
    row = (np.cumsum(test).reshape(test.shape) - 1)[split, model]
    logit_scaled = np.stack([fit.space.logit for fit in fits])
    table = np.stack([_coefficients(fit, units, size) for fit in fits])
    found = []
    for kind in (False, True):
        here = logit_scaled[split, column] == kind
        s, c = split[here], column[here]
        if not here.any():
            continue
        place, start, count = np.unique(s * len(units) + c, return_index=True, return_counts=True)
        own = table[s, :, c].T
        scaled = np.ascontiguousarray(own[3:])
        target = scores[model[here], c] / units[c] - own[0]
        found.append(
            Cells(
                row=row[here],
                weights=scaled,
                constant=own[2].copy(),
                target=target,
                width=own[1].copy(),
                low=own[0].copy(),
                start=start,
                count=count,
                place=place,
                logit_scaled=kind,
            )
        )
    return found


def _coefficients(fit: SplitFit, units: FloatArray, size: int) -> FloatArray:
    """Per column: low end, width, constant, weights; (3 + size + 1, n_columns)."""
    space, bias = fit.space, fit.factors.bias
    scale = np.where(space.logit, -1.0, units)
    constant = space.mean + space.sd * bias
    unknown = space.bend(space.average) - constant
    rows = [
        np.where(space.logit, space.low, 0.0) / units,
        np.where(space.logit, space.width, 1.0) / units,
        constant / scale,
        *(_padded(fit.factors.loadings, size).T * space.sd / scale),
        unknown / scale,
    ]
    return np.stack(rows)


def _squared_errors(cells: Cells, vectors: list[FloatArray]) -> FloatArray:
    """Squared errors in units, (n_subsets, n_cells)."""
    total = _predictions(cells, vectors)
    total -= cells.target
    return np.multiply(total, total, out=total)


def _predictions(cells: Cells, vectors: list[FloatArray]) -> FloatArray:
    """Predictions in units above the low end, (n_subsets, n_cells)."""
    total = np.take(vectors[0], cells.row, axis=1, mode="clip")  # the default checks every index
    total *= cells.weights[0]
    total += cells.constant
    part = np.empty_like(total)
    for vector, weights in zip(vectors[1:], cells.weights[1:], strict=True):
        np.take(vector, cells.row, axis=1, out=part, mode="clip")
        part *= weights
        total += part
    if cells.logit_scaled:
        with np.errstate(over="ignore"):
            np.exp(total, out=total)
        total += 1.0
        np.divide(cells.width, total, out=total)
    return total
