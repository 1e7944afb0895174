"""`adapt`: measure a model on benchmark after benchmark, each chosen after the last result."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset, round_cost
from eevee.base.errors import EeveeError, did_you_mean
from eevee.completion.advice import Advisor
from eevee.prediction.predictor import fit_predictor
from eevee.search.goal import Budget
from eevee.tables.bounds import scale_of
from eevee.tables.results_table import ResultsTable

Scores = Mapping[str, float]
"""By column of the table, in its own numbers."""
End = Literal["narrow", "budget", "nothing left", "stopped"]


@dataclass(frozen=True)
class Mean:
    """A predicted mean score and its interval; NaN where there is none."""

    predicted: float
    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Of the interval."""
        return self.upper - self.lower


@dataclass(frozen=True)
class Choice:
    """A benchmark that was chosen, and what came of it.

    Attributes
    ----------
    benchmark : str
    share : float
        Of the model's uncertainty, that it was expected to take away (`next_benchmark`).
    cost : float
        By the table.
    measured : bool
        False if measuring gave nothing.
    spent : float
        In all, by the table's costs of what was measured.
    mean : Mean or None
        With this; None where it was not asked for, or nothing is measured yet.
    """

    benchmark: str
    share: float
    cost: float
    measured: bool
    spent: float
    mean: Mean | None


@dataclass(frozen=True)
class Adapted:
    """How an adaptive run went.

    Attributes
    ----------
    scores : Series
        By column; NaN where not measured.
    measured : tuple of benchmark names
        In the table's order.
    begun : Mean or None
        From what was measured before.
    choices : tuple of Choice
    spent, budget : float
        In the table's cost unit; what was measured before is counted in.
    mean : Mean or None
    end : str
        Why it ended: "narrow" (the interval), "budget" (no benchmark that is left fits),
        "nothing left" or "stopped".
    """

    scores: pd.Series[float]
    measured: Subset
    begun: Mean | None
    choices: tuple[Choice, ...]
    spent: float
    budget: float
    mean: Mean | None
    end: End


def in_units(table: ResultsTable) -> bool:
    """Tell whether the mean is in units, because the columns share no scale.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [0.2, 0.4, 0.9], "b": [0.5, 0.1, 0.3]})
    >>> tables = [ResultsTable.from_scores(frame * scale) for scale in (1, [1, 100])]
    >>> [in_units(table) for table in tables]
    [False, True]
    """
    from eevee.prediction.prediction import mean_score

    return mean_score(table) is None


def check_until(table: ResultsTable, until: float) -> None:
    """Refuse a width that every interval is below: the scale is another."""
    scores = table.scores.loc[:, table.is_target].to_numpy(np.float64)
    width = np.inf if in_units(table) else float(scale_of(scores, np.isfinite(scores))[1][0])
    if not 0 < until < width:
        raise EeveeError(
            f"the width of an interval to stop at lies between 0 and {width:g}, the width of the "
            f"scale of these scores; it is {until:g}"
        )


def mean_of(table: ResultsTable, scores: pd.Series[float], level: float = 0.9) -> Mean | None:
    """Return the mean score that `fit_predictor` with a ridge regression gives, or None.

    Parameters
    ----------
    table : ResultsTable
        Of the training models.
    scores : Series
        Of one new model, by column; its inputs are the benchmarks that it has in all columns.
    level : float
    """
    has = [b for b in table.benchmark_names if scores[table.columns_of(b)].notna().all()]
    if not has:
        return None
    found = fit_predictor(table, has, scorer="ridge").predict(scores.to_frame().T, level=level)
    means = found.mean_in_units if found.mean_score is None else found.mean_score
    return Mean(*(float(value) for value in means.iloc[0]))


@dataclass(frozen=True)
class Rule:
    """When an adaptive run ends, and what it may measure.

    Attributes
    ----------
    budget : float, str or Budget
        In the table's cost unit, or such as ``"25%"`` of the cost of everything.
    until : float, optional
        Width of the interval of the mean score below which enough is known; in units where the
        columns share no scale.
    level : float
        Of the interval.
    candidates : iterable of benchmark names, optional
        By default all.
    track : bool
        Whether the mean is predicted after each result; `until` needs it.
    """

    budget: float | str | Budget = "100%"
    until: float | None = None
    level: float = 0.9
    candidates: Iterable[str] | None = None
    track: bool = True


def adapt(
    table: ResultsTable,
    measure: Callable[[str], Scores | None],
    rule: Rule,
    *,
    known: Scores | None = None,
    stop: Callable[[], bool] = lambda: False,
    report: Callable[[Choice], None] = lambda choice: None,
    name: str = "new",
) -> Adapted:
    """Measure what `next_benchmark` advises for the money left, until enough is known.

    Parameters
    ----------
    table : ResultsTable
        Of other models: it chooses the factor model, and predicts the mean.
    measure : callable
        Takes a benchmark; returns the model's scores by column, or None if that failed, which
        costs nothing here, and is not tried again.
    rule : Rule
    known : mapping of column to score, optional
        What was measured before: its cost counts.
    stop : callable
        Asked before each choice.
    report : callable
        Takes each choice when it has been measured.
    name : str
        Of the model.

    Raises
    ------
    EeveeError
        If a name is unknown, the model is in the table, or a number is out of range.

    Examples
    --------
    >>> skill = np.random.default_rng(0).normal(size=(31, 1))
    >>> noise = np.random.default_rng(1).normal(size=(31, 4)) * [0.1, 0.3, 0.5, 1.0]
    >>> frame = pd.DataFrame(skill + noise, columns=list("abcd"), index=map(str, range(31)))
    >>> row, table = frame.loc["7"], ResultsTable.from_scores(frame.drop("7"))
    >>> found = adapt(table, lambda name: {name: row[name]}, Rule("50%"))
    >>> len(found.choices), found.spent, found.end
    (2, 2.0, 'budget')
    """
    run = _Adaptive(table, measure, rule, report, _scores(table, known or {}, name))
    return run.all(stop)


def _scores(table: ResultsTable, known: Scores, name: str) -> pd.Series[float]:
    if name in table.scores.index:
        raise EeveeError(
            f"model {name!r} is in the table, which is to hold other models; leave it out "
            f"(--drop-models {name!r})"
        )
    nothing = pd.Series(math.nan, index=table.scores.columns, dtype=float, name=name)
    return _with(nothing, known)


def _with(scores: pd.Series[float], more: Scores) -> pd.Series[float]:
    filled = scores.copy()
    for column, score in more.items():
        if column not in scores.index:
            hint = did_you_mean(str(column), list(scores.index))
            raise EeveeError(f"a score was measured in {column!r}, no column of the table{hint}")
        if not math.isfinite(score):
            raise EeveeError(f"the score in {column!r} is not finite")
        filled[column] = score
    return filled


class _Adaptive:
    def __init__(
        self,
        table: ResultsTable,
        measure: Callable[[str], Scores | None],
        rule: Rule,
        report: Callable[[Choice], None],
        scores: pd.Series[float],
    ) -> None:
        names = table.benchmark_names if rule.candidates is None else rule.candidates
        self._left = set(table.subset(names))
        if rule.until is not None:
            check_until(table, rule.until)
        self._table, self._measure, self._rule, self._report = table, measure, rule, report
        self._scores = scores
        owners = table.columns["benchmark"]
        self._done = set(owners[scores.notna().to_numpy()])
        self._left -= self._done
        self._budget = Budget.parse(rule.budget).in_units(table)
        self._mean = self._predicted()
        self._choices: list[Choice] = []

    def all(self, stop: Callable[[], bool]) -> Adapted:
        begun = self._mean
        advisor = None
        while not (end := "stopped" if stop() else self._end()):
            advisor = advisor or Advisor.of(self._table)
            advice = advisor.rank(np.asarray(self._scores, dtype=np.float64))
            useful = advice[advice["benchmark"].isin(list(self._left)) & (advice["drop"] > 0)]
            fits = useful[[self._affordable(name) for name in useful["benchmark"]]]
            if fits.empty:
                end = "nothing left" if useful.empty else "budget"
                break
            self._take(fits.iloc[0])
        return Adapted(
            self._scores,
            tuple(name for name in self._table.benchmark_names if name in self._done),
            begun,
            tuple(self._choices),
            self._spent,
            self._budget,
            self._mean or self._predicted(always=True),
            end,  # type: ignore[arg-type]
        )

    @property
    def _spent(self) -> float:
        return round_cost(self._table.cost_of(self._done)) if self._done else 0.0

    def _affordable(self, name: str) -> bool:
        return round_cost(self._table.cost_of(self._done | {name})) <= self._budget

    def _end(self) -> str:
        until = self._rule.until
        if until is not None and self._mean is not None and self._mean.width < until:
            return "narrow"
        return "" if self._left else "nothing left"

    def _take(self, best: pd.Series) -> None:
        name = str(best["benchmark"])
        self._left.discard(name)
        found = self._measure(name)
        if found is not None:
            self._scores = _with(self._scores, found)
            self._done.add(name)
            self._mean = self._predicted()
        choice = Choice(
            name,
            float(best["share"]),
            float(best["cost"]),
            found is not None,
            self._spent,
            self._mean,
        )
        self._choices.append(choice)
        self._report(choice)

    def _predicted(self, *, always: bool = False) -> Mean | None:
        if not always and not self._rule.track and self._rule.until is None:
            return None
        return mean_of(self._table, self._scores, self._rule.level)
