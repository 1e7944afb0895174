"""What searches found: ranked subsets, and simple searches beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from eevee.report.html.runs import Run, names_in, rows_of
from eevee.report.html.words import number

SHOWN = 10
"""Ranked subsets of a search that are shown."""


@dataclass(frozen=True)
class Ranked:
    """One of the best subsets of a search; what it has and lacks against the first."""

    rank: int
    size: int
    cost: float
    loss: float
    spread: float
    rescored: float
    names: tuple[str, ...]
    more: tuple[str, ...]
    fewer: tuple[str, ...]


@dataclass(frozen=True)
class Baseline:
    """A simple search for the same."""

    method: str
    loss: float
    rescored: float
    cost: float
    size: float
    low: float
    high: float
    note: str

    @property
    def about(self) -> str:
        """The note, with the range of what is a distribution."""
        if not math.isfinite(self.low):
            return self.note
        return f"{self.note}: {number(self.low)} to {number(self.high)}"


@dataclass(frozen=True)
class Search:
    """What one search ranked.

    Attributes
    ----------
    name : str
    what : str
        What it minimised.
    subsets : tuple of Ranked
        The first ten.
    count : int
        How many the file holds.
    last : float
        What the last of those has.
    baselines : tuple of Baseline
        The search itself comes first.
    """

    name: str
    what: str
    subsets: tuple[Ranked, ...]
    count: int
    last: float
    baselines: tuple[Baseline, ...]

    @property
    def rescored(self) -> bool:
        """Whether something was scored again under other initialisations."""
        again = [one.rescored for one in self.subsets] + [one.rescored for one in self.baselines]
        return any(map(math.isfinite, again))

    @property
    def rival(self) -> tuple[str, float]:
        """The best simple search and its loss, as in the terminal; ("", NaN) where none ran."""
        ran = [one for one in self.baselines[1:] if not math.isfinite(one.low)]
        again = any(math.isfinite(one.rescored) for one in self.baselines)
        losses = [one.rescored if again else one.loss for one in ran]
        known = [i for i, loss in enumerate(losses) if math.isfinite(loss)]
        if not known:
            return "", math.nan
        best = ran[min(known, key=losses.__getitem__)]
        return best.method, best.loss

    @property
    def in_all(self) -> tuple[str, ...]:
        """Benchmarks of every subset that is shown."""
        return tuple(
            name for name in self.subsets[0].names if all(name in one.names for one in self.subsets)
        )


def searches(runs: Sequence[Run]) -> tuple[Search, ...]:
    """Return what the searches of `tiers`, `select` or `sweep` ranked: of the first that has it."""
    for verb, by in (("tiers", "tier"), ("select", "search"), ("sweep", "k")):
        for run in runs:
            if run.command == verb and (found := tuple(_searches(run, by))):
                return found
    return ()


def _searches(run: Run, by: str) -> Iterator[Search]:
    numbers = ("rank", "size", "cost", "loss", "spread")
    frame = run.frame(
        "subsets.csv", text=[by, "benchmarks", "objective"], numbers=numbers,
        optional=["rescored_mean"],
    )  # fmt: skip
    if frame is None:
        return
    beside = run.frame(
        "baselines.csv",
        text=["tier" if by == "tier" else "method", "method", "note"],
        numbers=["loss", "cost", "size"],
        optional=["rescored_mean", "low", "high"],
    )
    for name, rows in frame.sort_values("rank").groupby(by, sort=False):
        yield Search(
            name=str(name),
            what=_what(rows),
            subsets=tuple(_ranked(rows.head(SHOWN))),
            count=len(rows),
            last=float(rows["loss"].max()),
            baselines=tuple(_baselines(beside, str(name), by)),
        )


def _what(rows: pd.DataFrame) -> str:
    found = str(rows["objective"].iloc[0])
    if found == "loss":
        return "search loss"
    from eevee.scorers.objective import MINIMISED  # it loads torch

    return next((words for name, words in MINIMISED.items() if name == found), found)


def _ranked(rows: pd.DataFrame) -> Iterator[Ranked]:
    first: tuple[str, ...] = ()
    for row in rows_of(rows):
        names = names_in(str(row.benchmarks))
        first = first or names
        yield Ranked(
            int(row.rank), int(row.size), row.cost, row.loss, row.spread, row.rescored_mean, names,
            tuple(one for one in names if one not in first),
            tuple(one for one in first if one not in names),
        )  # fmt: skip


def _baselines(beside: pd.DataFrame | None, name: str, by: str) -> Iterator[Baseline]:
    if beside is None:
        return
    rows = beside[beside["tier"] == name] if by == "tier" else beside
    for row in rows_of(rows):
        yield Baseline(
            str(row.method), row.loss, row.rescored_mean, row.cost, row.size, row.low, row.high,
            str(row.note),
        )  # fmt: skip
