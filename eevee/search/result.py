"""`SearchResult`: what a search found, what it saw, and how it got there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eevee.scoring.base import Advance, Scorer
from eevee.scoring.loss import Targets
from eevee.table import ResultsTable, Subset

KEPT = 50
"""How many of the best subsets a result keeps and scores again."""


@dataclass(frozen=True)
class Progress:
    """How far a search is: `done` of at most `total` subsets, and its best loss so far."""

    label: str
    done: int
    total: int
    best: float | None


ProgressHook = Callable[[Progress], None]


def round6(value: float) -> float:
    """Round to 6 significant digits: what files hold and ties are judged by.

    Examples
    --------
    >>> round6(0.123456789), round6(1234567.0)
    (0.123457, 1234570.0)
    """
    return float(f"{value:.6g}")


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Ranked subsets of one search, by a loss that is biased downward: the *search loss*.

    Attributes
    ----------
    best : Subset
        The first of `ranked`.
    ranked : DataFrame
        Up to 50 rows, best first: ``benchmarks`` (a subset), ``size, cost, loss, spread``
        (over splits), ``rescored_mean, rescored_spread`` (over initialisations that the
        search did not use; NaN for scorers without). Ranked by ``rescored_mean`` where
        it is there, else by ``loss``; ties by cost, then names.
    evaluated : DataFrame
        Every subset scored: ``benchmarks, size, cost, loss, spread, generation``; generation
        0 holds random subsets, the baseline at this size or budget.
    logbook : DataFrame
        One row per generation: ``generation, evaluated, best, mean, worst`` (of the winners; of
        everything if exact), ``unchanged`` (generations since the best last changed).
    targets : {"all", "unseen"}
    exact : bool
        Whether every subset of the space was scored; speaks of ``loss``, not of
        ``rescored_mean``.
    mean_predictor : float
        Loss of predicting each column's training mean.
    settings : dict
        Of the search, JSON-able.
    """

    best: Subset
    ranked: pd.DataFrame
    evaluated: pd.DataFrame
    logbook: pd.DataFrame
    targets: Targets
    exact: bool
    mean_predictor: float
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def best_row(self) -> pd.Series[Any]:
        """The first row of `ranked`."""
        return self.ranked.iloc[0]

    @property
    def random_losses(self) -> np.ndarray:
        """Losses of the random subsets that the search began with (all subsets if exact)."""
        start = self.evaluated["generation"] == 0
        return self.evaluated.loc[start, "loss"].to_numpy(np.float64)

    @property
    def random_median(self) -> float:
        """Median of `random_losses`; NaN where all are blank."""
        losses = self.random_losses
        known = losses[~np.isnan(losses)]
        return float(np.median(known)) if len(known) else float("nan")


class Ledger:
    """Every subset that a search has scored, each of them once.

    Parameters
    ----------
    scorer : Scorer
    label : str
        What the search is called in progress reports.
    total : int
        The most subsets it may score.
    progress : callable, optional
    """

    def __init__(
        self, scorer: Scorer, label: str, total: int, progress: ProgressHook | None = None
    ) -> None:
        self.scorer = scorer
        self._label = label
        self._total = total
        self._progress = progress
        self._done = 0
        self._best: float | None = None
        self._rows: dict[Subset, tuple[float, float, int]] = {}

    def __contains__(self, subset: Subset) -> bool:
        return subset in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, subsets: Iterable[Subset], generation: int) -> None:
        """Score what is new, in one batch."""
        new = [subset for subset in dict.fromkeys(subsets) if subset not in self._rows]
        splits = self.scorer.score_splits(new, advance=self._advance)
        for subset, losses in zip(new, splits, strict=True):
            self._rows[subset] = (float(losses.mean()), float(losses.std()), generation)
        self._best = min((self.loss(subset) for subset in self._rows), default=None)
        self._advance(0)

    def loss(self, subset: Subset) -> float:
        """Return the loss of a scored subset, infinite where it is blank."""
        loss = self._rows[subset][0]
        return float("inf") if np.isnan(loss) else loss

    def order(self, subset: Subset) -> tuple[float, float, Subset]:
        """Sort by (rounded loss, cost, names)."""
        return round6(self.loss(subset)), self.scorer.table.cost_of(subset), subset

    def top(self, count: int) -> list[Subset]:
        """Return the best subsets scored so far, best first."""
        return sorted(self._rows, key=self.order)[:count]

    def result(
        self,
        *,
        n_rescore: int,
        also: Iterable[Subset],
        exact: bool,
        settings: dict[str, Any],
        logbook: pd.DataFrame,
    ) -> SearchResult:
        """Score the best again, rank them, and put everything together."""
        kept = list(dict.fromkeys([*self.top(KEPT), *also]))
        ranked = self._rank(kept, n_rescore)
        self._total = self._done
        self._advance(0)
        return SearchResult(
            best=tuple(ranked["benchmarks"].iloc[0]),
            ranked=ranked.head(KEPT),
            evaluated=self._frame(self._rows),
            logbook=logbook,
            targets=self.scorer.targets,
            exact=exact,
            mean_predictor=float(self.scorer.mean_predictor().mean()),
            settings=settings,
        )

    def _rank(self, kept: list[Subset], n_rescore: int) -> pd.DataFrame:
        frame = self._frame(kept).drop(columns="generation")
        again = self.scorer.rescore(kept, n_rescore) if n_rescore else None
        if again is None:
            again = np.full((len(kept), 1), np.nan)
        frame["rescored_mean"] = again.mean(axis=1)
        frame["rescored_spread"] = again.std(axis=1)
        by = frame["rescored_mean"].fillna(frame["loss"]).fillna(np.inf).map(round6)
        keys = list(zip(by, frame["cost"], frame["benchmarks"], strict=True))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return frame.iloc[order].reset_index(drop=True)

    def _frame(self, subsets: Iterable[Subset]) -> pd.DataFrame:
        table: ResultsTable = self.scorer.table
        rows = [
            (subset, len(subset), table.cost_of(subset), *self._rows[subset]) for subset in subsets
        ]
        names = ["benchmarks", "size", "cost", "loss", "spread", "generation"]
        return pd.DataFrame(rows, columns=names)

    @property
    def _advance(self) -> Advance:
        def advance(count: int) -> None:
            self._done += count
            if self._progress is not None:
                total = max(self._total, self._done)
                self._progress(Progress(self._label, self._done, total, self._best))

        return advance
