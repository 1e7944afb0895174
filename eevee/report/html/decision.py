"""The first lines of the page: what to run, what it costs, how far to trust it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from eevee.report.html.runs import Run, number_of, pick
from eevee.report.html.words import counted, error, fixed, number
from eevee.tiers.file import AssessedLoss, Tier, TierSet

_VERDICT, _UNTESTED = "verdict: ", "Not known for "
"""How sentences of a verdict begin (`eevee.assessment.verdicts`)."""
LEAST_SHARE = 1 / 3
"""As in `eevee.search.verdict`, which loads torch."""
LIKE = 0.9
"""Kendall's tau from which two orders of models count as alike: 95 % of the pairs."""
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
    others : int
        Benchmarks that it lacks.
    unseen : float
        Search loss over those.
    random : float
        Median search loss of random subsets for the same.
    luck : str
        Whether the search found more than luck, in a sentence; "" where that is not known.
    verdict : str
        The same with its reasons.
    assessed : str
        The loss of its procedure on models that no search saw, in words; "" if not assessed.
    diversity : tuple of float
        Mean of 1 - |Spearman's rho| between its columns, and the interval; NaN where not known.
    rival : tuple of (method, search loss)
        The best simple search for the same; "" where none ran.
    order : float
        Kendall's tau of the order of models by their mean on the tier with that by all benchmarks.
    random_order : float
        The median of that over random sets of as many benchmarks.
    paid : tuple of float
        Least and most that a model of the table cost on it; NaN where costs are not per model.
    """

    tier: Tier
    share: float
    others: int
    unseen: float
    random: float
    luck: str
    verdict: str
    assessed: str
    diversity: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    rival: tuple[str, float] = ("", math.nan)
    order: float = math.nan
    random_order: float = math.nan
    paid: tuple[float, float] = (math.nan, math.nan)

    @property
    def is_diverse(self) -> bool:
        """Whether its diversity is known."""
        return math.isfinite(self.diversity[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The benchmarks."""
        return self.tier.benchmark_names

    @property
    def error(self) -> float:
        """Error on all benchmarks, as the search saw it."""
        return error(self.tier.search_loss.mean)

    @property
    def buys(self) -> str:
        """How far off predictions are, in a sentence."""
        if math.isfinite(self.unseen):
            rest = counted(self.others, "other benchmark")
            start = f"The {rest} are" if self.others > 1 else "The other benchmark is"
            start += f" predicted with an error of {fixed(error(self.unseen))} standard deviations"
        else:
            start = f"All are predicted with an error of {fixed(self.error)} standard deviations"
        return f"{start}, as the search saw it.{self._beside()}"

    def _beside(self) -> str:
        method, loss = self.rival
        others = []
        if math.isfinite(self.random):
            how = "as many benchmarks drawn at random"
            if self.tier.budget is not None:
                how = "benchmarks drawn at random for the same budget"
            others.append(f"{fixed(error(self.random))} with {how}")
        alike = fixed(error(loss)) == fixed(self.error)
        if math.isfinite(loss) and not alike:
            others.append(f"{fixed(error(loss))} by the best simple search ({method})")
        said = f" Over all benchmarks it is {fixed(self.error)}; {' and '.join(others)}."
        simple = f" A simple search ({method}) does as well." if math.isfinite(loss) else ""
        return f"{said if others else ''}{simple if alike else ''}"

    @property
    def leaderboard(self) -> str:
        """Whether the mean on the tier orders models as all benchmarks do, in a sentence."""
        if not math.isfinite(self.order):
            return ""
        words = (
            "By their mean on these benchmarks alone, the models of the table are ordered as by "
            f"all benchmarks with a Kendall's tau of {fixed(self.order)} (1 is the same order; "
            f"random sets of as many: {fixed(self.random_order)})"
        )
        if round(self.order, 2) >= LIKE:
            return f"{words}."
        return f"{words}: predict the other benchmarks before you rank models."

    @property
    def per_model(self) -> str:
        """What single models cost on it, in a clause; "" where costs are not per model."""
        low, high = self.paid
        if not math.isfinite(low):
            return ""
        return f"a single model cost {number(low)} to {number(high)}"


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
    guess : float
        Loss of guessing each benchmark's mean; NaN where it is not known.
    download : str
        The tier file as a data URI.
    example : str
        What an error is in points of one benchmark, in a sentence; "" where it cannot be told.
    """

    tiers: tuple[ShownTier, ...]
    tier_set: TierSet | None
    run: Run | None
    assessment: tuple[str, ...]
    searched: tuple[str, ...]
    also: tuple[str, ...]
    guess: float
    download: str = ""
    example: str = ""

    @property
    def subsets(self) -> dict[str, tuple[str, ...]]:
        """The benchmarks of each tier."""
        return {one.tier.name: one.names for one in self.tiers}


def decide(runs: Sequence[Run], guess: float = math.nan) -> Decision:
    """Gather the verdicts of all runs, and the tiers of the first that has some.

    `guess` is the loss of guessing each benchmark's mean.
    """
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
        assessment=tuple(_all_assessment_words(runs)),
        searched=tuple(word for run in runs for word in _search_words(run)),
        also=also,
        guess=guess,
        download=download,
    )


def _shown(tier: Tier, run: Run, tiers: TierSet, assessed: Sequence[Run]) -> ShownTier:
    judged = pick(tiers.search, "verdicts", tier.name, kind=dict) or {}
    words = pick(judged, "words", kind=str) or ""
    by_loss = pick(judged, "objective", kind=str) == "loss"
    total = number_of(run.config, "table", "total_cost")
    own = tier.assessed_loss
    checked = in_words(own) if own is not None else _of_runs(tier, assessed)
    return ShownTier(
        tier=tier,
        share=tier.cost / total if total > 0 else math.nan,
        others=tiers.table.benchmarks - len({*tier.benchmark_names} - {*tiers.table.proxies}),
        unseen=_unseen(run, tier.name),
        random=number_of(judged, "random_median") if by_loss else math.nan,
        luck="" if checked else _luck(judged),
        verdict=words.removeprefix(_VERDICT),
        diversity=tiers.diversity(tier.name),
        assessed=checked,
    )


def _luck(judged: Mapping[str, Any]) -> str:
    clear, share = pick(judged, "clear", kind=bool), number_of(judged, "share")
    if clear is None or not math.isfinite(share):
        return ""
    if clear:
        return "Within the search it is better than luck explains."
    if share < LEAST_SHARE:
        return "It may be luck: subsets differ by little more than noise."
    return "Within the search it is not clearly better than luck."


def in_words(loss: AssessedLoss) -> str:
    """Return an assessed loss, its interval and whose it is."""
    whose = f"{loss.of}, {loss.outer_splits} outer splits"
    return _checked(loss.mean, loss.low, loss.high, whose)


def _checked(loss: float, low: float, high: float, whose: str) -> str:
    ends = f"{fixed(error(low))} to {fixed(error(high))}"
    return (
        f"an error of {fixed(error(loss))} standard deviations over all benchmarks, 95 % interval "
        f"{ends} (assessed loss {number(loss)}; {whose})"
    )


def _of_runs(tier: Tier, assessed: Sequence[Run]) -> str:
    """Return the assessed loss of a run of `assess` for the same goal, or ""."""
    for run in assessed:
        about = run.value("assessment", kind=dict) or {}
        budget, k = number_of(about, "budget"), number_of(about, "k")
        same = k == len(tier.benchmarks)
        if tier.budget is not None:
            same = math.isclose(budget, tier.budget, rel_tol=1e-6)
        if same and about.get("procedure") is not None:
            row = assessed_row(run)
            if row is not None:
                scorer = pick(about, "scorer", "name", kind=str) or ""
                whose = f"{row.method}, {scorer}; {run.folder}"
                return f"{_checked(row.loss, row.low, row.high, whose)}{_beside_random(run)}"
    return ""


def _beside_random(run: Run) -> str:
    """Say how the assessed method compares with random subsets, where that was judged."""
    how = {
        "better": "better than",
        "worse": "worse than",
        "unclear": "not distinguished from",
    }
    kinds = pick(run.json("verdict.json") or {}, "against", kind=dict) or {}
    for one in next((rows for rows in kinds.values() if isinstance(rows, list)), []):
        words = how.get(pick(one, "outcome", kind=str) or "")
        if pick(one, "rival", kind=str) == "random" and words:
            return f"; it is {words} random subsets"
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


def _all_assessment_words(runs: Sequence[Run]) -> list[str]:
    """Return what the assessments say; what none of them tested is said once, at the end."""
    words = [word for run in runs for word in _assessment_words(run)]
    said = [word for word in words if not word.startswith(_UNTESTED)]
    verdicts = [run.json("verdict.json") or {} for run in runs]
    tested = {kind for one in verdicts for kind in pick(one, "against", kind=dict) or {}}
    untested = [word for word in words if word.startswith(_UNTESTED)]
    return said if tested & {"family", "frontier"} else [*said, *untested[:1]]


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
