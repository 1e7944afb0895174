"""`Verdict`: what an assessment comes to, in the words and numbers that a reader needs first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from eevee.assessment.by_kind import SplitsAssessment
from eevee.assessment.contest import Contest
from eevee.assessment.folds import MEAN_PREDICTOR
from eevee.assessment.learning_result import LearningCurve
from eevee.assessment.result import RANDOM_SUBSETS, WITHOUT_PROXIES, Assessment
from eevee.scorers.base import Objective
from eevee.scorers.loss import Targets
from eevee.search.procedure import Procedure

Outcome = Literal["better", "worse", "unclear"]
SIMPLE = ("greedy-swaps", "greedy")
"""The simple searches of which a verdict names the first that was run."""
MANY_TIMES = 10
"""A number of models beyond this many times those of the table is not named."""
_WORDS = {"greedy-swaps": "greedy search with swaps", "greedy": "greedy search"}
_HOW = {
    "better": "is better than",
    "worse": "is worse than",
    "unclear": "cannot be distinguished from",
}
_MEANS = {
    "better": "predicts {} better than their means do",
    "worse": "predicts {} worse than their means do",
    "unclear": "is not shown to predict {} better than their means do",
}
_PROXIES = {
    "better": "proxies help",
    "worse": "proxies do harm",
    "unclear": "proxies are not shown to help",
}
_MINIMISED = {
    "kendall": "1 - tau (Kendall's, of the order of models)",
    "r2": "1 - R2 (of the benchmarks outside the subset)",
}
_MODELS = {
    "random": "models like those in the table",
    "family": "models of new families",
    "frontier": "models stronger than all that were seen",
    "time": "models later than all that were seen",
}


@dataclass(frozen=True)
class Against:
    """How a method compares with a rival on held-out models.

    Attributes
    ----------
    rival : str
    targets : {"all", "unseen"}
        What their losses are over. With the mean predictor it is the benchmarks that the method
        does not run, since those that it runs need no prediction.
    loss, rival_loss : float
    relative, low, high : float
        Loss less that of the rival, as a share of the rival's, and the limits of that: Nadeau and
        Bengio's, or the bootstrap's where splits test the same models.
        NaN where there is none.
    outcome : {"better", "worse", "unclear"}
        "better" where the interval lies below 0.
    """

    rival: str
    targets: Targets
    loss: float
    rival_loss: float
    relative: float
    low: float
    high: float

    @property
    def outcome(self) -> Outcome:
        """Whether the interval tells the two apart, and which way."""
        if self.high < 0:
            return "better"
        return "worse" if self.low > 0 else "unclear"

    @property
    def numbers(self) -> str:
        """The difference as a reader takes it in."""
        start = f"loss {self.loss:.3g} against {self.rival_loss:.3g}"
        if np.isfinite(self.relative):
            start += f": {_share(self.relative)}"
        if not self.has_interval:
            return f"{start}, no interval"
        return f"{start}, interval {_share(self.low)} to {_share(self.high)}"

    @property
    def has_interval(self) -> bool:
        """Whether there is one; outer splits of a single family, such as a lone one, give none."""
        return bool(np.isfinite([self.low, self.high]).all())

    def models_needed(self, n_models: int) -> int | None:
        """Return about how many models would tell the two apart, if the difference stays.

        The width of an interval falls with the square root of the number of models. None where
        the difference does not favour the method, is distinguished already or has no interval.
        """
        if not self.has_interval:
            return None
        if self.outcome != "unclear" or not self.relative < 0:
            return None
        half = self.high - self.relative
        return int(np.ceil(n_models * (half / self.relative) ** 2))


@dataclass(frozen=True)
class Verdict:
    """Whether a search was worth it, and for which models that is known.

    Attributes
    ----------
    method : str
        The assessed search, or a given list.
    against : mapping of kind of splits to tuple of Against
        Random subsets, a simple search and the mean predictor, as far as they were judged.
    words : tuple of str
        One sentence a line, the verdict first.
    """

    method: str
    against: dict[str, tuple[Against, ...]]
    words: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        rows = {
            kind: [{**asdict(one), "outcome": one.outcome} for one in several]
            for kind, several in self.against.items()
        }
        return {"method": self.method, "words": list(self.words), "against": rows}


def verdict(found: Assessment | SplitsAssessment, curve: LearningCurve | None = None) -> Verdict:
    """Say first what an assessment comes to.

    Parameters
    ----------
    found : Assessment or SplitsAssessment
    curve : LearningCurve, optional
        Says how many models are needed, in place of a rule of thumb.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import pandas as pd, eevee
    >>> noise = np.random.default_rng(0).normal(size=(40, 8))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(noise, columns=list("abcdefgh")))
    >>> found = eevee.assess(table, 3, scorer="ridge", n_repeats=1, beside=())
    >>> [one.rival for one in verdict(found).against["random"]]
    ['random', 'mean predictor']
    >>> verdict(found).words[0].startswith("verdict: ")
    True
    """
    side = found if isinstance(found, SplitsAssessment) else SplitsAssessment(_kind(found))
    against = {kind: tuple(_against(one)) for kind, one in side.kinds.items()}
    kind, rows = next(iter(against.items()))
    words = [
        *_of_proxies(side.first, rows),
        *_compared(side.first, kind, rows),
        *_minimised(side.first),
        *_needed(rows, side.first.contest.table.n_models, curve),
        *_scope(against),
        *side.words,
    ]
    return Verdict(side.first.names[0], against, tuple(words))


def _kind(found: Assessment) -> dict[str, Assessment]:
    return {found.settings.get("kind", "random"): found}


def _against(found: Assessment) -> Iterator[Against]:
    name, targets = found.names[0], found.settings["targets"]
    simple = [one for one in _simple(found) if one in found.names and one != name]
    for rival in (RANDOM_SUBSETS, *simple[:1]):
        if rival in found.names and rival != name:
            yield _row(found.contest, name, rival, targets)
    if WITHOUT_PROXIES in found.names:
        yield _row(found.contest, name, WITHOUT_PROXIES, "all")
    beyond = _row(found.contest.beside_means(name), name, MEAN_PREDICTOR, "unseen")
    if np.isfinite(beyond.relative):
        yield beyond


def _simple(found: Assessment) -> dict[str, str]:
    """What simple searches by the same objective are called, and the words for them."""
    objective = _objective(found)
    return {Procedure(one, objective=objective).title: _WORDS[one] for one in SIMPLE}


def _objective(found: Assessment) -> Objective:
    """What the assessed search minimised."""
    objectives: Mapping[str, Objective] = found.settings["objectives"]
    return objectives.get(found.names[0], "loss")


def _row(contest: Contest, name: str, rival: str, targets: Targets) -> Against:
    row = contest.difference(name, rival, targets)
    t = np.isfinite([row["relative_t_low"], row["relative_t_high"]]).all()
    ends = ("relative_t_low", "relative_t_high") if t else ("relative_low", "relative_high")
    loss, rival_loss = (contest.losses[one, targets].mean for one in (name, rival))
    low, high = (float(np.maximum(-1.0, row[end])) for end in ends)  # no loss is below 0
    return Against(rival, targets, loss, rival_loss, row["relative"], low, high)


def _compared(found: Assessment, kind: str, rows: Sequence[Against]) -> Iterator[str]:
    """One sentence for each rival, the worst news first: that is the verdict."""
    name, searched = found.names[0], found.settings["procedure"] is not None
    what = f"the search ({name.replace(' (', ', ').rstrip(')')})" if searched else f"list {name!r}"
    subject = f"verdict: on {_MODELS.get(kind, 'the held-out models')}, {what}"
    words = {RANDOM_SUBSETS: "random subsets", **_simple(found)}
    if not any(one.rival == RANDOM_SUBSETS for one in rows):
        yield f"{subject} was not compared with random subsets."
        subject = "It"
    judged = [one for one in rows if one.rival != WITHOUT_PROXIES]
    for one in sorted(judged, key=lambda one: one.outcome != "worse"):
        if one.rival == MEAN_PREDICTOR:
            how = _MEANS[one.outcome].format("the benchmarks that are not run")
        else:
            how = f"{_HOW[one.outcome]} {words[one.rival]}"
        yield f"{subject} {how} ({one.numbers})."
        subject = "It"


def _of_proxies(found: Assessment, rows: Sequence[Against]) -> Iterator[str]:
    """Whether proxies help at equal cost, or why that is not known."""
    table, name = found.contest.table, found.names[0]
    proxies = set(table.benchmark_names) - set(table.target_benchmarks)
    row = next((one for one in rows if one.rival == WITHOUT_PROXIES), None)
    if row is None:
        if proxies and found.settings["procedure"] is not None:
            yield "Whether proxies help is not known: it is tested at equal cost (--budget)."
        return
    subsets = [fold.judged[name].subset for fold in found.contest.folds]
    chosen = sum(bool(proxies & set(subset)) for subset in subsets)
    yield (
        f"verdict: {_PROXIES[row.outcome]} at equal cost ({found.settings['goal']}), on models "
        f"that the search never saw (with against without them: {row.numbers}; {chosen} of "
        f"{len(subsets)} searches chose some)."
    )


def _minimised(found: Assessment) -> Iterator[str]:
    """Say so where the search did not minimise the loss that the verdict is by."""
    if found.settings["procedure"] is not None and _objective(found) != "loss":
        yield f"All by loss; the search minimised {_MINIMISED[_objective(found)]} instead."


def _needed(rows: Sequence[Against], n_models: int, curve: LearningCurve | None) -> Iterator[str]:
    random = next((one for one in rows if one.rival == RANDOM_SUBSETS), None)
    means = next((one for one in rows if one.rival == MEAN_PREDICTOR), None)
    worth = all(one is not None and one.outcome == "better" for one in (random, means))
    if curve is not None and curve.supported is not None and worth:
        yield f"It is shown to be worth it from {curve.supported} models to search on."
    elif random is not None and random.outcome == "unclear":
        needed = random.models_needed(n_models)
        if needed is None:
            yield "No number of models can be named that would show it to be better than random."
        elif needed > MANY_TIMES * n_models:
            yield (
                f"Showing so small a difference would need a table of more than {MANY_TIMES} times "
                f"as many models (this one has {n_models})."
            )
        else:
            yield (
                f"If the difference stays as it is, a table of about {needed} models would show "
                f"that it is better than random (this one has {n_models})."
            )


def _scope(against: Mapping[str, Sequence[Against]]) -> Iterator[str]:
    """For which models else that is known."""
    how = {"better": "better than", "worse": "worse than", "unclear": "not distinguished from"}
    for kind, rows in list(against.items())[1:]:
        random = next((one for one in rows if one.rival == RANDOM_SUBSETS), None)
        if random is not None:
            yield (f"On {_MODELS[kind]}: {how[random.outcome]} random subsets ({random.numbers}).")
    missing = [_MODELS[kind] for kind in ("family", "frontier") if kind not in against]
    if missing:
        yield (
            f"Not known for {' or '.join(missing)}: --held-out random,family,frontier tests that "
            "(family is a column of --models-file)."
        )


def _share(value: float) -> str:
    percent = 100 * value
    return f"{percent:+.0f} %" if abs(percent) >= 10 else f"{percent:+.2g} %"
