"""`SearchResult`: what a search found, what it saw, and how it got there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset, round6
from eevee.scorers.base import Objective, Scorer
from eevee.scorers.loss import Targets
from eevee.search.agreement import Agreement
from eevee.tables.results_table import ResultsTable

KEPT = 50
"""How many of the best subsets a result keeps and scores again."""


@dataclass(frozen=True)
class Progress:
    """How far a search is.

    Attributes
    ----------
    label : str
    done : int
        Subsets scored in this phase.
    total : int or None
        The most that may be; None where that is not known.
    best, mean : float or None
        Loss of the best subset so far, and mean of the best 50.
    generation : int or None
        The one that has just been scored; None in the middle of one.
    phase : str
        What is done, in words; "" in the main phase of a search.
    before : int
        Subsets among `done` that an earlier run scored.
    """

    label: str
    done: int
    total: int | None
    best: float | None
    mean: float | None = None
    generation: int | None = None
    phase: str = ""
    before: int = 0


ProgressHook = Callable[[Progress], None]


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
        it is there, else by ``loss``; ties by cost, then names. Where near ties were settled
        (`eevee.search.near_ties`) the proposed subset comes first.
    evaluated : DataFrame
        Every subset scored: ``benchmarks, size, cost, loss, spread, generation, drawn``: how
        often it came among the random draws, the baseline at this size or budget.
    logbook : DataFrame
        One row per generation: ``generation, evaluated, best, mean, worst`` (of the winners; of
        everything if exact), ``unchanged`` (generations since the best last changed).
    targets : {"all", "unseen"}
    objective : {"loss", "kendall", "r2"}
        What every ``loss`` here is; "kendall" and "r2" stand for 1 less these.
    exact : bool
        Whether every subset of the space was scored; about ``loss``, not
        ``rescored_mean``.
    mean_predictor : float
        Loss of predicting each column's training mean.
    settings : dict
        Of the search, JSON-able.
    agreement : Agreement or None
        Of searches on the same splits that differ in their seed alone.
    split_agreement : Agreement or None
        Of this result and searches on other splits, with other initialisations and seeds.
    """

    best: Subset
    ranked: pd.DataFrame
    evaluated: pd.DataFrame
    logbook: pd.DataFrame
    targets: Targets
    exact: bool
    mean_predictor: float
    settings: dict[str, Any] = field(default_factory=dict)
    agreement: Agreement | None = None
    split_agreement: Agreement | None = None
    objective: Objective = "loss"

    @property
    def best_row(self) -> pd.Series[Any]:
        """The first row of `ranked`."""
        return self.ranked.iloc[0]

    @property
    def random_losses(self) -> np.ndarray:
        """Losses of random draws: benchmarks in random order, each taken if it still fits.

        A subset that was drawn twice counts twice (`eevee.search.space.Space.draws`).
        """
        losses = self.evaluated["loss"].to_numpy(np.float64)
        return np.repeat(losses, self.evaluated["drawn"])

    @property
    def random_draws(self) -> list[Subset]:
        """The subsets of `random_losses`; one drawn twice is listed twice."""
        pairs = zip(self.evaluated["benchmarks"], self.evaluated["drawn"], strict=True)
        return [subset for subset, times in pairs for _ in range(times)]

    @property
    def n_random(self) -> int:
        """Number of different subsets in `random_losses`."""
        return int((self.evaluated["drawn"] > 0).sum())

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
    total : int or None
        The most subsets it may score; None where that is not known.
    progress : callable, optional
    phase : str
        As in `Progress`.
    """

    def __init__(
        self,
        scorer: Scorer,
        label: str,
        total: int | None,
        progress: ProgressHook | None = None,
        phase: str = "",
    ) -> None:
        self.scorer = scorer
        self._label = label
        self._total = total
        self._progress = progress
        self._phase = phase
        self._done = self._before = 0
        self._top: list[Subset] = []
        self._rows: dict[Subset, tuple[float, float, int]] = {}
        self._drawn: Counter[Subset] = Counter()
        self.note = ""
        self._report(None)

    def __contains__(self, subset: Subset) -> bool:
        return subset in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> dict[Subset, tuple[float, float, int]]:
        """Loss, spread and generation of each subset, in the order of scoring."""
        return self._rows

    def restore(self, rows: Mapping[Subset, tuple[float, float, int]]) -> None:
        """Take over what an earlier run of the same search has scored."""
        self._rows = dict(rows)
        self._done = self._before = len(rows)
        self._rank_top(rows)
        self._report(None)

    def begin(self, phase: str, total: int | None = None) -> None:
        """Report that another phase begins, in which at most so many subsets are scored."""
        self._phase, self._total = phase, total
        self._done = self._before = 0
        self._report(None)

    def add(self, subsets: Iterable[Subset], generation: int) -> None:
        """Score what is new, in one batch."""
        new = [subset for subset in dict.fromkeys(subsets) if subset not in self._rows]
        splits = self.scorer.split_losses(new, advance=self._advance)
        for subset, losses in zip(new, splits, strict=True):
            self._rows[subset] = (float(losses.mean()), float(losses.std()), generation)
        self._rank_top(new)
        self._report(generation)

    def count_draws(self, drawn: Iterable[Subset]) -> list[Subset]:
        """Take note of the random draws, the baseline; return the different ones, to be scored."""
        self._drawn = Counter(drawn)
        return list(self._drawn)

    @property
    def evaluated(self) -> pd.DataFrame:
        """Everything that was scored, as in `SearchResult`."""
        return self.frame(self._rows).assign(drawn=[self._drawn[one] for one in self._rows])

    def best(self) -> Subset:
        """Return the best subset scored so far."""
        return self._top[0]

    def _rank_top(self, new: Iterable[Subset]) -> None:
        full = len(self._top) >= KEPT
        worst = round6(self.loss(self._top[-1])) if full else float("inf")
        near = [subset for subset in new if round6(self.loss(subset)) <= worst]
        self._top = sorted([*self._top, *near], key=self.order)[:KEPT]

    def loss(self, subset: Subset) -> float:
        """Return the loss of a scored subset, infinite where it is blank."""
        loss = self._rows[subset][0]
        return float("inf") if np.isnan(loss) else loss

    def order(self, subset: Subset) -> tuple[float, float, Subset]:
        """Sort by (rounded loss, cost, names)."""
        return round6(self.loss(subset)), self.scorer.table.cost_of(subset), subset

    def top(self, count: int) -> list[Subset]:
        """Return the best subsets scored so far, best first."""
        if count <= KEPT:
            return self._top[:count]
        return sorted(self._rows, key=self.order)[:count]

    def result(
        self,
        *,
        n_rescore: int,
        settings: dict[str, Any],
        logbook: pd.DataFrame,
        exact: bool = False,
        also: Iterable[Subset] = (),
        proposed: Iterable[Subset] | None = None,
    ) -> SearchResult:
        """Score the best again, rank them, and put everything together.

        Ranked are the best of all that were scored and `also`, or `proposed` alone.
        """
        kept = list(dict.fromkeys([*self.top(KEPT), *also] if proposed is None else proposed))
        self.begin(f"ranking the best {len(kept)}")
        ranked = self._rank(kept, n_rescore)
        plain = self.scorer.objective == "loss"
        return SearchResult(
            best=tuple(ranked["benchmarks"].iloc[0]),
            ranked=ranked.head(KEPT),
            evaluated=self.evaluated,
            logbook=logbook,
            targets=self.scorer.targets,
            exact=exact,
            mean_predictor=float(self.scorer.mean_predictor().mean()),
            settings=settings if plain else {**settings, "objective": self.scorer.objective},
            objective=self.scorer.objective,
        )

    def one_line(self, subsets: Iterable[Subset] | None = None) -> pd.DataFrame:
        """Return a logbook of one line, about some subsets or all: without generations."""
        losses = [self.loss(subset) for subset in (self._rows if subsets is None else subsets)]
        row = {
            "generation": 0,
            "evaluated": len(self),
            "best": min(losses),
            "mean": float(np.mean(losses)),
            "worst": max(losses),
            "unchanged": 0,
        }
        return pd.DataFrame([row])

    def rescored(self, kept: list[Subset], n_rescore: int) -> pd.DataFrame:
        """Return scored subsets with their losses under initialisations not used before."""
        frame = self.frame(kept).drop(columns="generation")
        again = self.scorer.rescore(kept, n_rescore) if n_rescore else None
        if again is None:
            again = np.full((len(kept), 1), np.nan)
        frame["rescored_mean"] = again.mean(axis=1)
        frame["rescored_spread"] = again.std(axis=1)
        return frame

    def _rank(self, kept: list[Subset], n_rescore: int) -> pd.DataFrame:
        frame = self.rescored(kept, n_rescore)
        by = frame["rescored_mean"].fillna(frame["loss"]).fillna(np.inf).map(round6)
        keys = list(zip(by, frame["cost"], frame["benchmarks"], strict=True))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return frame.iloc[order].reset_index(drop=True)

    def frame(self, subsets: Iterable[Subset]) -> pd.DataFrame:
        """Return scored subsets as rows: ``benchmarks, size, cost, loss, spread, generation``."""
        table: ResultsTable = self.scorer.table
        rows = [
            (subset, len(subset), table.cost_of(subset), *self._rows[subset]) for subset in subsets
        ]
        names = ["benchmarks", "size", "cost", "loss", "spread", "generation"]
        return pd.DataFrame(rows, columns=names)

    def _advance(self, count: int) -> None:
        self._done += count
        self._report(None)

    def _report(self, generation: int | None) -> None:
        if self._progress is None:
            return
        losses = [self.loss(subset) for subset in self._top]
        best, mean = (losses[0], float(np.mean(losses))) if losses else (None, None)
        total = None if self._total is None else max(self._total, self._done)
        counts = (self._label, self._done, total, best, mean, generation)
        self._progress(Progress(*counts, phase=self._phase, before=self._before))
