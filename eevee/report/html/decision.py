"""The first lines of the page: what to run, what it costs, how far to trust it."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from eevee.report.html.runs import Run, number_of, pick
from eevee.report.html.words import number
from eevee.tiers.file import AssessedLoss, Tier, TierSet

_VERDICT = "verdict: "
_BY = ("tiers", "pareto")
"""Verbs that leave tiers, in the order in which theirs are shown."""


@dataclass(frozen=True)
class ShownTier:
    """A tier, what is known of it, and what it was compared with.

    Attributes
    ----------
    tier : Tier
    share : float
        Of the cost of everything; NaN where that is not known.
    unseen : float
        Search loss over the benchmarks that it lacks.
    random : float
        Median search loss of random subsets for the same.
    verdict : str
        Of the search, in words.
    assessed : str
        The loss of its procedure on models that no search saw, in words; "" if not assessed.
    diversity : tuple of float
        Mean of 1 - |Spearman's rho| between its columns, and the interval; NaN where not known.
    """

    tier: Tier
    share: float
    unseen: float
    random: float
    verdict: str
    assessed: str
    diversity: tuple[float, float, float] = (math.nan, math.nan, math.nan)

    @property
    def is_diverse(self) -> bool:
        """Whether its diversity is known."""
        return math.isfinite(self.diversity[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The benchmarks."""
        return self.tier.benchmark_names


@dataclass(frozen=True)
class Decision:
    """What the runs propose, and how far to trust it.

    Attributes
    ----------
    tiers : tuple of ShownTier
    tier_set : TierSet or None
        Where they come from.
    run : Run or None
        The same.
    assessment : tuple of str
        The verdict of `eevee assess`, a sentence each.
    searched : tuple of str
        Verdicts of searches that make no tiers.
    also : tuple of str
        Other tiers of these folders, which are not shown.
    download : str
        The tier file as a data URI.
    """

    tiers: tuple[ShownTier, ...]
    tier_set: TierSet | None
    run: Run | None
    assessment: tuple[str, ...]
    searched: tuple[str, ...]
    also: tuple[str, ...]
    download: str = ""

    @property
    def subsets(self) -> dict[str, tuple[str, ...]]:
        """The benchmarks of each tier."""
        return {one.tier.name: one.names for one in self.tiers}


def decide(runs: Sequence[Run]) -> Decision:
    """Gather the verdicts of all runs, and the tiers of the first that has some."""
    by_verb = sorted(runs, key=lambda run: _BY.index(run.command) if run.command in _BY else 9)
    found = [(run, tiers) for run in by_verb if (tiers := run.tiers()) is not None]
    chosen = found[0] if found else None
    also = tuple(f"{run.folder}: {', '.join(tiers.names)}" for run, tiers in found[1:])
    shown: tuple[ShownTier, ...] = ()
    download = ""
    if chosen is not None:
        run, tiers = chosen
        assessed = [one for one in runs if one.has("assessment.csv")]
        shown = tuple(_shown(one, run, tiers, assessed) for one in tiers)
        text = run.text("tiers.yaml").encode()
        download = f"data:application/yaml;base64,{base64.b64encode(text).decode()}"
    return Decision(
        tiers=shown,
        tier_set=None if chosen is None else chosen[1],
        run=None if chosen is None else chosen[0],
        assessment=tuple(word for run in runs for word in _assessment_words(run)),
        searched=tuple(word for run in runs for word in _search_words(run)),
        also=also,
        download=download,
    )


def _shown(tier: Tier, run: Run, tiers: TierSet, assessed: Sequence[Run]) -> ShownTier:
    words = pick(tiers.search, "verdicts", tier.name, "words", kind=str) or ""
    total = number_of(run.config, "table", "total_cost")
    own = tier.assessed_loss
    return ShownTier(
        tier=tier,
        share=tier.cost / total if total > 0 else math.nan,
        unseen=_unseen(run, tier.name),
        random=number_of(tiers.search, "verdicts", tier.name, "random_median"),
        verdict=words.removeprefix(_VERDICT),
        diversity=tiers.diversity(tier.name),
        assessed=in_words(own) if own is not None else _of_runs(tier, assessed),
    )


def in_words(loss: AssessedLoss) -> str:
    """Return an assessed loss, its interval and whose it is."""
    return (
        f"{number(loss.mean)}, 95 % interval {number(loss.low)} to {number(loss.high)} "
        f"({loss.of}; {loss.outer_splits} outer splits)"
    )


def _of_runs(tier: Tier, assessed: Sequence[Run]) -> str:
    """Return the assessed loss of a run of `assess` for the same goal, or ""."""
    for run in assessed:
        about = run.value("assessment", kind=dict) or {}
        budget, k = number_of(about, "budget"), number_of(about, "k")
        same = budget == tier.budget if tier.budget is not None else k == len(tier.benchmarks)
        if same and about.get("procedure") is not None:
            row = assessed_row(run)
            if row is not None:
                scorer = pick(about, "scorer", "name", kind=str) or ""
                return (
                    f"{number(row.loss)}, 95 % interval {number(row.low)} to "
                    f"{number(row.high)} ({row.method}, {scorer}; {run.folder})"
                )
    return ""


class AssessedRow(NamedTuple):
    """A method, its assessed loss and the interval of that."""

    method: str
    loss: float
    low: float
    high: float


def assessed_row(run: Run) -> AssessedRow | None:
    """Return the first method of an assessment.

    For the kind of targets that it went by; the interval holds both that are known.
    """
    end = "_unseen" if run.value("assessment", "targets", kind=str) == "unseen" else ""
    names = [f"{one}{end}" for one in ("loss", "low", "high", "t_low", "t_high")]
    frame = run.frame("assessment.csv", text=["method"], numbers=names)
    if frame is None:
        return None
    row = frame.iloc[0]
    loss, *limits = (float(row[name]) for name in names)
    known = [one for one in limits if math.isfinite(one)]
    low, high = (min(known), max(known)) if known else (math.nan, math.nan)
    return AssessedRow(str(row["method"]), loss, low, high)


def _unseen(run: Run, tier: str) -> float:
    frame = run.frame("figures/cost.csv", text=["kind", "name"], numbers=["loss"])
    if frame is None:
        return math.nan
    rows: pd.Series[float] = frame.loc[
        (frame["kind"] == "unseen") & (frame["name"] == tier), "loss"
    ]
    return float(rows.iloc[0]) if len(rows) else math.nan


def _assessment_words(run: Run) -> list[str]:
    verdict = run.json("verdict.json") or {}
    goal = run.value("assessment", "goal", kind=str)
    start = f"For {goal}: " if goal else ""
    words = [str(one).removeprefix(_VERDICT) for one in pick(verdict, "words", kind=list) or ()]
    return [f"{start}{words[0]}", *words[1:]] if words else []


def _search_words(run: Run) -> list[str]:
    one = run.value("verdict", "words", kind=str)
    if run.command == "select" and one:
        return [one.removeprefix(_VERDICT)]
    many = run.value("verdicts", kind=dict) or {}
    if run.command != "sweep":
        return []
    found = ((k, pick(said, "words", kind=str)) for k, said in many.items())
    return [f"k = {k}: {words.removeprefix(_VERDICT)}" for k, words in found if words]
