"""`FactorScorer`: biases and a few factors as the meta-model, for tables with many gaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import BoolArray, FloatArray, IntArray, Subset
from eevee.base.errors import EeveeError
from eevee.base.threads import map_chunks
from eevee.scorers.base import Advance, BaseScorer
from eevee.scorers.factor.als import PENALTIES, RANKS, fit_factors, penalties
from eevee.scorers.factor.probe import Probe, SplitFit
from eevee.scorers.factor.transform import fit_space
from eevee.scorers.loss import CLIP, Targets
from eevee.splits.splits import Splits
from eevee.tables.averages import loss_weights
from eevee.tables.results_table import ResultsTable

DEFAULT_RANK = 2
FOLDS = 5
PROBE_SHARE = 0.2
"""Share of the penalty on a test model's bias: more than in the fit, because the few columns of
a subset tell less about it than a whole row (0.2 is the best or near it at 1 to 20 benchmarks
on four sparse tables)."""
CHUNK = 64
"""Subsets per piece of work for a thread."""


@dataclass(frozen=True)
class Choice:
    """What one split's factor model is fitted with."""

    rank: int
    penalty: float
    logit: bool


class FactorScorer(BaseScorer):
    """Held-out loss of a factor model that sees only the subset.

    A score is column bias + model bias + factors, fitted once per split on its training and
    validation models by masked alternating least squares; percentages are logit-scaled where that
    helps. A candidate then costs one small ridge regression per test model, over the
    columns of the subset that the model has. A test model that has none gets the column means, in
    a logit-scaled column kept between 0.5 and 99.5 %.

    What is a percentage is guessed per split from the fitting scores of a column alone: between 0
    and 1 it is a share, else between 0 and 100 a percentage, whatever it is called. So a column of
    seconds or perplexities up to 100 counts as one (``logit=False`` bends none), and a column of
    percentages whose fitting scores are all at most 1 counts as one of shares.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
        Of the errors and of what "auto" goes by; the fit itself minimises squared errors in its
        own space.
    rank : int or "auto", optional
        Factors beside the biases, fewer than there are columns. By default two, or as many as
        there can be; "auto" chooses among up to three.
    penalty : float or "auto"
        Of squared factors and loadings.
    logit : bool or "auto"
        Whether percentages (0 to 1, or 0 to 100) are logit-scaled.
    seed : int
        Of the folds by which "auto" chooses: per split, among its training and validation
        models, half of the cells of the models left out predicted from the other half.
    n_threads : int, optional
        Chunks scored side by side; torch's own setting by default.

    Raises
    ------
    EeveeError
        If an option is out of range or a split holds nothing to predict.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame.mask(noise > 1.2))
    >>> scorer = FactorScorer(table, eevee.shuffle_splits(table))
    >>> a, b = scorer.losses([("a",), ("b",)])
    >>> bool(a < b)
    True
    """

    def __init__(
        self,
        table: ResultsTable,
        splits: Splits,
        *,
        targets: Targets = "all",
        weights: Mapping[str, float] | None = None,
        rank: int | Literal["auto"] | None = None,
        penalty: float | Literal["auto"] = "auto",
        logit: bool | Literal["auto"] = "auto",
        seed: int = 0,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(table, splits, targets=targets, weights=weights)
        most = table.n_columns - 1
        self.rank = _checked_rank(min(DEFAULT_RANK, most) if rank is None else rank, most)
        self.penalty = _checked_penalty(penalty)
        self.logit = _checked_logit(logit)
        self.seed = checked_seed(seed)
        self.n_threads = n_threads
        if n_threads is not None and n_threads < 1:
            raise EeveeError(f"n_threads must be at least 1, got {n_threads}")
        self._units = np.asarray(table.units, dtype=np.float64)
        self._position = {name: i for i, name in enumerate(table.benchmark_names)}

    def with_targets(self, targets: Targets) -> FactorScorer:
        """Return the same scorer for the other kind of target."""
        return FactorScorer(
            self.table,
            self.splits,
            targets=targets,
            weights=self.weights,
            rank=self.rank,
            penalty=self.penalty,
            logit=self.logit,
            seed=self.seed,
            n_threads=self.n_threads,
        )

    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""
        return {
            "name": "factor",
            "targets": self.targets,
            "rank": self.rank,
            "penalty": self.penalty,
            "logit": self.logit,
            "chosen": [asdict(choice) for choice in self.choices],
            "seed": self.seed,
            "n_splits": self.splits.n_splits,
            "weights": None if self.weights is None else dict(sorted(self.weights.items())),
        }

    def predict_targets(self, subsets: Sequence[Iterable[str]], *, init: int = 0) -> FloatArray:
        """Predict the test models of each split, in units above the fitting models' mean.

        As in `eevee.scorers.base.BaseScorer`, and NaN where a model has no score; there is one
        initialisation.
        """
        members = self._members([self.table.subset(subset) for subset in subsets])
        means = (self._data.means / self._units)[:, None]
        return np.asarray(self._probe.predictions(members) - means)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """Rank, penalty and logit of each split, from its fitting models alone."""
        grid = [
            Choice(rank, penalty, logit)
            for logit, rank, penalty in product(
                (False, True) if self.logit == "auto" else (self.logit,),
                [rank for rank in RANKS if rank < self.table.n_columns]
                if self.rank == "auto"
                else (self.rank,),
                PENALTIES if self.penalty == "auto" else (self.penalty,),
            )
        ]
        if len(grid) == 1:
            return tuple(grid * self.splits.n_splits)
        present = self._data.usable & self.table.is_target
        weights = loss_weights(self.table, self.weights).of(present)

        def choose(split: int) -> Choice:
            return _choose(
                grid,
                self.table.oriented[self.splits.fit[split]],
                self._data.usable[split],
                self._units,
                weights[split],
                np.random.default_rng([self.seed, split]),
            )

        with threadpool_limits(1, "blas"):  # its threads only get in each other's way here
            return tuple(map_chunks(choose, range(self.splits.n_splits), n_threads=self.n_threads))

    @cached_property
    def _fits(self) -> list[SplitFit]:
        with threadpool_limits(1, "blas"):
            return [
                fit_split(self.table.oriented[fit], usable, self._units, choice)
                for fit, usable, choice in zip(
                    self.splits.fit, self._data.usable, self.choices, strict=True
                )
            ]

    @cached_property
    def _probe(self) -> Probe:
        return Probe(
            self._fits,
            self.table.oriented,
            self.splits.test,
            self._data.usable & self.table.is_target,
            self._units,
            self.table.column_owner,
        )

    def _losses(self, subsets: list[Subset], advance: Advance | None) -> FloatArray:
        probe = self._probe  # made here, not by several threads at once
        # subsets of like size share a chunk: none of them waits for benchmarks that it lacks
        order = sorted(range(len(subsets)), key=lambda i: len(subsets[i]))
        chunks = [order[start : start + CHUNK] for start in range(0, len(order), CHUNK)]
        losses = np.empty((len(subsets), self.splits.n_splits))

        def work(chunk: list[int]) -> FloatArray:
            chosen = [subsets[i] for i in chunk]
            return self._rule.losses(chosen, probe.errors(self._members(chosen)))

        parts = map_chunks(work, chunks, n_threads=self.n_threads)
        for chunk, part in zip(chunks, parts, strict=True):
            losses[chunk] = part
            if advance is not None:
                advance(len(chunk))
        return losses

    def _members(self, subsets: list[Subset]) -> IntArray:
        """Positions of the benchmarks, (n_subsets, largest size); -1 fills up."""
        size, position = max(map(len, subsets)), self._position
        return np.array(
            [[*(position[name] for name in s), *[-1] * (size - len(s))] for s in subsets]
        )


def fit_split(scores: FloatArray, usable: BoolArray, units: FloatArray, choice: Choice) -> SplitFit:
    """Fit the factor model of one split on its fitting models (n_models, n_columns)."""
    seen = np.isfinite(scores) & usable
    space = fit_space(scores, seen, units, logit=choice.logit)
    factors = fit_factors(space.standardise(scores), seen, choice.rank, choice.penalty)
    shrink = penalties(choice.penalty, choice.rank, PROBE_SHARE)
    return SplitFit(space, factors, shrink, usable)


def _choose(
    grid: list[Choice],
    scores: FloatArray,
    usable: BoolArray,
    units: FloatArray,
    weights: FloatArray,
    rng: np.random.Generator,
) -> Choice:
    """The choice with the lowest loss on models left out, each seen by halves."""
    fold = rng.permutation(len(scores)) % FOLDS
    half = rng.random(scores.shape) < 0.5
    observed = np.isfinite(scores) & usable
    losses = np.zeros(len(grid))
    for logit, rank in dict.fromkeys((choice.logit, choice.rank) for choice in grid):
        members = [i for i, c in enumerate(grid) if (c.logit, c.rank) == (logit, rank)]
        strengths = np.array([grid[i].penalty for i in members])
        squared = np.zeros((len(members), *scores.shape))
        for out in (fold == i for i in np.unique(fold)):
            squared[:, out] = _left_out(
                scores, observed, units, out, half, rank=rank, strengths=strengths, logit=logit
            )
        per_column = squared.sum(axis=1) / np.maximum(observed.sum(axis=0), 1)
        losses[members] = per_column @ weights
    return grid[int(np.argmin(losses))]


def _left_out(
    scores: FloatArray,
    observed: BoolArray,
    units: FloatArray,
    out: BoolArray,
    half: BoolArray,
    *,
    rank: int,
    strengths: FloatArray,
    logit: bool,
) -> FloatArray:
    """Squared errors in units of the models `out`, (n_strengths, n_out, n_columns).

    Each half of a model's cells is predicted from the other one; 0 in gaps.
    """
    seen = observed & ~out[:, None]
    space = fit_space(scores, seen, units, logit=logit)
    values = space.standardise(scores)
    factors = fit_factors(values, seen, rank, strengths)
    errors = np.zeros((len(strengths), int(out.sum()), scores.shape[1]))
    inputs = np.clip(np.where(observed, values, 0.0)[out], -CLIP, CLIP)
    shrink = penalties(strengths, rank, PROBE_SHARE)
    for shown in (half[out], ~half[out]):
        models = factors.models(inputs, observed[out] & shown, shrink)
        predicted = space.restore(factors.predict(models))
        asked = observed[out] & ~shown
        errors += np.where(asked, (predicted - scores[out]) / units, 0.0) ** 2
    return errors


def checked_seed(seed: int) -> int:
    """Return the seed as a plain integer.

    Raises
    ------
    EeveeError
        If it is none, or negative.
    """
    if not _is_integer(seed) or seed < 0:
        raise EeveeError(f"seed must be an integer and not negative, got {seed!r}")
    return int(seed)


def _checked_rank(rank: int | Literal["auto"], most: int) -> int | Literal["auto"]:
    if rank == "auto":
        return "auto"
    if not (_is_integer(rank) and 0 <= rank <= most):
        raise EeveeError(
            f"rank must be 'auto' or an integer from 0 to {most} (the columns less one), "
            f"got {rank!r}"
        )
    return int(rank)


def _checked_penalty(penalty: float | Literal["auto"]) -> float | Literal["auto"]:
    if penalty == "auto":
        return "auto"
    if isinstance(penalty, bool) or not (isinstance(penalty, Real) and 0 < penalty < np.inf):
        raise EeveeError(f"penalty must be 'auto' or a positive number, got {penalty!r}")
    return float(penalty)


def _checked_logit(logit: bool | Literal["auto"]) -> bool | Literal["auto"]:
    if logit == "auto":
        return "auto"
    if not isinstance(logit, bool | np.bool_):
        raise EeveeError(f"logit must be True, False or 'auto', got {logit!r}")
    return bool(logit)


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)
