"""What a search may go by in place of the loss: the order of models, or R2 on unseen benchmarks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from eevee.base.arrays import FloatArray, Subset
from eevee.base.errors import EeveeError, did_you_mean
from eevee.scorers.base import Advance, BaseScorer, CachedScorer, Objective, Scorer
from eevee.scorers.choose import ChosenScorer
from eevee.scorers.loss import Targets, standardise
from eevee.splits.splits import Splits
from eevee.tables.averages import loss_weights

MINIMISED: dict[Objective, str] = {"loss": "search loss", "kendall": "1 - Kendall", "r2": "1 - R2"}
"""What a search minimises for each objective, in words."""
CHUNK_BYTES = 64 * 2**20
"""Predictions that are held at once."""


def objective_scorer(scorer: Scorer, objective: Objective) -> Scorer:
    """Return what a search minimises, so that low is good whatever the objective.

    Parameters
    ----------
    scorer : Scorer
    objective : {"loss", "kendall", "r2"}
        "loss": the scorer as it is. "kendall": 1 - Kendall's tau-b between predicted and true
        order by mean score, of the test models of a split among each other and among the models
        that were fitted on; what the subset measured counts as measured. "r2":
        1 - R2 on the benchmarks outside of the subset.

    Returns
    -------
    Scorer
        The given one where it has this objective already.

    Raises
    ------
    EeveeError
        If there is no such objective, or the scorer has another.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(30, 1))
    >>> noise = np.random.default_rng(1).normal(size=(30, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> by_order = objective_scorer(scorer, "kendall")
    >>> a, b = by_order.losses([("a",), ("b",)])
    >>> bool(0 <= a < b)
    True
    """
    check_objective(objective)
    if scorer.objective == objective:
        return scorer
    if scorer.objective != "loss":
        raise EeveeError(f"the scorer's objective is {scorer.objective}, not {objective}")
    return KendallScorer(scorer) if objective == "kendall" else R2Scorer(scorer)


def check_objective(objective: str) -> None:
    """Refuse an objective that there is not."""
    if objective not in MINIMISED:
        hint = did_you_mean(objective, tuple(MINIMISED))
        raise EeveeError(f"no objective {objective!r}{hint}; there are {', '.join(MINIMISED)}")


def plain_scorer(scorer: Scorer) -> Scorer:
    """Return the scorer that gives losses, under any objective."""
    return scorer.scorer if isinstance(scorer, ObjectiveScorer) else scorer


class ObjectiveScorer(CachedScorer):
    """Turns the predictions or losses of a scorer into something else to minimise.

    The meta-model is fitted as for unseen targets: what was measured needs no prediction.

    Parameters
    ----------
    scorer : Scorer
        Of losses.

    Attributes
    ----------
    scorer : Scorer
        As it was given.
    objective : str
    targets : {"all", "unseen"}
        What the objective is computed over.
    """

    objective: Objective
    targets: Targets

    def __init__(self, scorer: Scorer) -> None:
        super().__init__(scorer.table, scorer.splits)
        self.scorer = scorer
        inner = scorer.with_targets("unseen") if scorer.targets == "all" else scorer
        self._unseen = cast(
            BaseScorer, inner.choice.scorer if isinstance(inner, ChosenScorer) else inner
        )
        self.weights = self._unseen.weights

    @abstractmethod
    def _values(self, subsets: list[Subset]) -> FloatArray:
        """What is minimised, (n_subsets, n_splits)."""

    @abstractmethod
    def _fresh(self, subsets: list[Subset], n_init: int) -> FloatArray:
        """The mean over splits under other initialisations, (n_subsets, n_init)."""

    def _losses(self, subsets: list[Subset], advance: Advance | None) -> FloatArray:
        parts = []
        for chunk in self._chunks(subsets):
            parts.append(self._values(chunk))
            if advance is not None:
                advance(len(chunk))
        return np.concatenate(parts)

    def rescore(self, subsets: Sequence[Iterable[str]], n_init: int) -> FloatArray | None:
        """Return the same under fresh initialisations, (n_subsets, n_init), where there are any."""
        if not self._unseen.has_initialisations:
            return None
        return self._fresh([self.table.subset(subset) for subset in subsets], n_init)

    def mean_predictor(self) -> FloatArray:
        """Return 1 for each split: without order, and without variance that is predicted."""
        return np.ones(self.splits.n_splits)

    def with_targets(self, targets: Targets) -> Scorer:
        """Return the scorer of losses, for either kind of target."""
        return self.scorer if targets == self.scorer.targets else self.scorer.with_targets(targets)

    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""
        return {**self.scorer.describe(), "objective": self.objective}

    def _chunks(self, subsets: list[Subset]) -> list[list[Subset]]:
        n_rows = int(self.splits.test.sum(axis=1).max())
        each = 8 * self.splits.n_splits * n_rows * max(self.table.n_columns, n_rows // 2)
        size = max(1, CHUNK_BYTES // each)
        return [subsets[start : start + size] for start in range(0, len(subsets), size)]


class R2Scorer(ObjectiveScorer):
    """1 - R2 on the benchmarks outside of a subset.

    R2 is 1 - squared error / squared error of predicting each column's training mean, both over
    the unseen benchmarks, averaged over columns, benchmarks and tasks as the loss is, and summed
    over splits before they are divided. (A split's value is its error over the mean predictor's
    mean error; a ratio per split would follow the splits with little to explain.) In other words
    the loss with unseen targets as a share of what could be explained: a subset gets no credit
    for leaving outside what hardly varies.
    """

    objective: Objective = "r2"
    targets: Targets = "unseen"

    def _values(self, subsets: list[Subset]) -> FloatArray:
        return np.asarray(self._unseen.split_losses(subsets) / self._blind(subsets))

    def _fresh(self, subsets: list[Subset], n_init: int) -> FloatArray:
        losses = cast(FloatArray, self._unseen.rescore(subsets, n_init))
        return np.asarray(losses / self._blind(subsets))

    def _blind(self, subsets: list[Subset]) -> FloatArray:
        """Error of the mean predictor on what each subset lacks, (n_subsets, 1)."""
        blind = self._unseen.mean_predictor_for(subsets)
        return np.asarray(blind.mean(axis=1, keepdims=True))


class KendallScorer(ObjectiveScorer):
    """1 - Kendall's tau-b of the order of models by mean score, as it would look with new models.

    The order is that of a split's test models among each other and among the models that were
    fitted on, over all pairs with at least one test model. (Among test models alone there are few
    pairs to go by. Measured by seven assessments on four tables, held-out tau is then the same on
    average, 0.864 against 0.863, but in five the loss is higher, by up to 28 %.) The mean score
    is over what a model was measured on, averaged as the loss is, in units above the fitting
    models' mean. What the subset measured counts as measured, the rest as predicted. Where there
    is no order, tau counts as 0.
    """

    objective: Objective = "kendall"
    targets: Targets = "all"

    def __init__(self, scorer: Scorer) -> None:
        super().__init__(scorer)
        data, splits = standardise(self.table, self.splits.fit), self.splits
        there = data.observed & (data.usable & self.table.is_target)[:, None]
        share = loss_weights(self.table, self._unseen.weights).of(there)
        means = np.where(share.any(axis=-1), _weighted(data.targets, share), np.nan)
        self._true, self._share, self._means = (
            _tested(part, splits, nothing)
            for part, nothing in ((data.targets, 0.0), (share, 0.0), (means, np.nan))
        )
        fitted = [row[fit] for row, fit in zip(means, splits.fit, strict=True)]
        self._others = [row[np.isfinite(row)] for row in fitted]
        self._owners = np.array(self.table.benchmark_names)[self.table.column_owner]

    def _values(self, subsets: list[Subset]) -> FloatArray:
        return self._from(subsets, 0)

    def _fresh(self, subsets: list[Subset], n_init: int) -> FloatArray:
        chunks = self._chunks(subsets)
        inits = range(1, n_init + 1)
        again = [[self._from(chunk, init).mean(axis=1) for chunk in chunks] for init in inits]
        return np.stack([np.concatenate(parts) for parts in again], axis=1)

    def _from(self, subsets: list[Subset], init: int) -> FloatArray:
        predicted = self._unseen.predict_targets(subsets, init=init)
        own = np.stack([np.isin(self._owners, subset) for subset in subsets])
        seen = np.where(own[:, None, None, :], self._true, predicted)
        # Summed as the truth is: models that nothing distinguishes must tie to the last bit.
        return 1.0 - kendall_tau(_weighted(seen, self._share), self._means, self._others)


def _weighted(values: FloatArray, share: FloatArray) -> FloatArray:
    """Weighted sums over columns; what has no weight may be NaN."""
    return np.asarray(np.where(share > 0, values * share, 0.0).sum(axis=-1))


def _tested(values: np.ndarray, splits: Splits, nothing: float) -> np.ndarray:
    """Rows of the test models of each split, (n_splits, n_rows, ...), then `nothing`."""
    n_rows = int(splits.test.sum(axis=1).max())
    rows = np.full((splits.n_splits, n_rows, *values.shape[2:]), nothing, dtype=values.dtype)
    for split, test in enumerate(splits.test):
        rows[split, : test.sum()] = values[split, test]
    return rows


def kendall_tau(
    predicted: FloatArray, true: FloatArray, others: Sequence[FloatArray]
) -> FloatArray:
    """Kendall's tau-b of many orders at once, over the pairs with at least one predicted member.

    Parameters
    ----------
    predicted : array, shape (n, n_splits, n_rows)
    true : array, shape (n_splits, n_rows)
        NaN marks rows that do not count.
    others : sequence of arrays, one per split
        Known values that the rows are compared with beside each other.

    Returns
    -------
    array, shape (n, n_splits)
        0 where there is no order.

    Examples
    --------
    >>> predicted = np.array([[[1.0, 3.0, 2.0, 9.0]]])
    >>> true = np.array([[1.0, 2.0, 3.0, np.nan]])
    >>> kendall_tau(predicted, true, [np.empty(0)]).round(6).tolist()
    [[0.333333]]
    >>> kendall_tau(predicted, true, [np.array([0.0, 2.5])]).round(6).tolist()
    [[0.333333]]
    """
    found = np.zeros(predicted.shape[:2])
    for split, (row, fixed) in enumerate(zip(true, others, strict=True)):
        known = np.isfinite(row)
        values, truth = predicted[:, split][:, known], row[known]
        agree, said, truly = _among(values, truth)
        further = _against(values, truth, np.sort(fixed))
        agree, said, truly = agree + further[0], said + further[1], truly + further[2]
        pairs = np.sqrt(truly * said)
        found[:, split] = np.divide(agree, pairs, out=np.zeros(len(agree)), where=pairs > 0)
    return found


def _among(values: FloatArray, truth: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Pairs of rows: right less wrong, and how many are no tie as predicted and in truth."""
    first, second = np.triu_indices(len(truth), k=1)
    truly = np.sign(truth[first] - truth[second])
    said = np.sign(values[:, first] - values[:, second])
    return (said * truly).sum(axis=1), np.abs(said).sum(axis=1), float(np.abs(truly).sum())


def _against(
    values: FloatArray, truth: FloatArray, fixed: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """The same for pairs of a row and a known value; `fixed` is sorted.

    A pair is wrong if the known value lies between what was predicted and the truth.
    """
    low, high = np.minimum(values, truth), np.maximum(values, truth)
    below, beyond = _below(fixed, low), len(fixed) - _upto(fixed, high)
    between = np.maximum(_below(fixed, high) - _upto(fixed, low), 0)
    said = len(fixed) - (_upto(fixed, values) - _below(fixed, values))
    truly = len(fixed) - (_upto(fixed, truth) - _below(fixed, truth))
    return (below + beyond - between).sum(axis=1), said.sum(axis=1), float(truly.sum())


def _below(fixed: FloatArray, values: FloatArray) -> FloatArray:
    return np.searchsorted(fixed, values.ravel(), "left").reshape(values.shape).astype(np.float64)


def _upto(fixed: FloatArray, values: FloatArray) -> FloatArray:
    return np.searchsorted(fixed, values.ravel(), "right").reshape(values.shape).astype(np.float64)
