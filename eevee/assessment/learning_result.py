"""`LearningCurve`: held-out losses over the number of models, and what they say in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eevee.assessment.folds import MEAN_PREDICTOR
from eevee.assessment.result import RANDOM_SUBSETS, SUFFIXES, Assessment
from eevee.base.arrays import FloatArray
from eevee.stats.intervals import nadeau_bengio_interval
from eevee.stats.power_law import Extrapolation, extrapolate

NEAR = 0.05
"""Losses this near, as a share, are as good as equal."""
WIDE = 0.25
"""An interval that reaches above this share of the loss does not say how many are enough."""
NARROW = 0.5
"""A guess whose interval is wider than this share of the last loss is not put into words."""
_RIVALS = {
    "beyond": "random subsets of the same size or cost",
    "beyond_means": "the mean predictor on the benchmarks that are not run",
}
_ROW = Mapping[Hashable, Any]


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """How the held-out loss of a whole search falls with the number of models.

    Attributes
    ----------
    sizes : DataFrame, one row per number of models
        ``n_models`` (searched and fitted on); ``loss, low, high, t_low, t_high`` and the same of
        ``loss_unseen`` (as in `Assessment.methods`); ``random, mean_predictor`` (loss of random
        subsets and of the mean predictor, fitted on as many models); ``above, above_low,
        above_high`` (loss less that with the most models); ``beyond, beyond_low, beyond_high``
        (loss less that of random subsets: below 0 the search is better), all of these for the
        kind of target that the search minimised; ``beyond_means, beyond_means_low,
        beyond_means_high`` (unseen loss less that of the mean predictor on the same cells) and
        ``gain`` (the share of the latter that the search takes away), NaN where everything is
        run; ``jaccard, kuncheva`` (of the subsets of any two outer splits). All differences are
        paired over outer splits, with Nadeau and Bengio's limits.
    folds : DataFrame, one row per number of models, outer split and method
        ``n_models, fold, method, benchmarks, loss, loss_unseen``.
    n_models : int
        Of the table: more than any split searches on.
    settings : dict
        What was done, JSON-able.
    guess : Extrapolation or None
        At twice the largest number of models, never further (`eevee.stats.power_law.extrapolate`).
        `words` tell it where its interval is no wider than half the loss.
    """

    sizes: pd.DataFrame
    folds: pd.DataFrame
    n_models: int
    settings: dict[str, Any] = field(default_factory=dict)
    guess: Extrapolation | None = None

    @property
    def supported(self) -> int | None:
        """From how many models on the search is shown to be worth it; None if never.

        Its interval lies below random subsets and below the mean predictor.
        """
        better = (self.sizes[[f"{name}_high" for name in _RIVALS]] < 0).all(axis=1)
        return _from_where(self.sizes["n_models"], better)

    @property
    def enough(self) -> int | None:
        """From how many models on the loss is within 5 % of that with the most.

        As measured: what else its interval allows, `words` say. None if only the most are.
        """
        loss, sizes = self.sizes[self._loss], self.sizes["n_models"]
        found = _from_where(sizes, loss <= (1 + NEAR) * loss.iloc[-1])
        return None if found == sizes.iloc[-1] else found

    @property
    def alike(self) -> int | None:
        """From how many models on the loss cannot be distinguished from that with the most.

        The interval of the difference holds 0, which does not make them equal. None if only the
        most are.
        """
        rows = self.sizes.iloc[:-1]
        same = (rows["above_low"] <= 0) & (rows["above_high"] >= 0)
        return _from_where(rows["n_models"], same)

    @property
    def words(self) -> tuple[str, ...]:
        """Answer how many models one needs: warnings first, then how the loss falls."""
        rows = self.sizes.to_dict("records")
        return (*self._warnings(rows), *self._curve(rows), *self._more())

    def _curve(self, rows: Sequence[_ROW]) -> list[str]:
        """Of a lone size, below which nothing could be run, there is nothing to say."""
        return [self._fall(rows), self._need(rows)] if len(rows) > 1 else []

    def _warnings(self, rows: Sequence[_ROW]) -> list[str]:
        said = []
        last, supported = rows[-1], self.supported
        too_few = "too few models to base a choice on."
        if supported is None:
            said.append(
                f"Warning: with {last['n_models']} models and fewer this table cannot show that "
                f"the search beats {_rivals(last)}: {too_few}"
            )
        elif supported > rows[0]["n_models"]:
            below = [row for row in rows if row["n_models"] < supported][-1]
            said.append(
                f"Warning: with fewer than {supported} models this table cannot show that the "
                f"search beats {_rivals(below)}: {too_few}"
            )
        left = self.settings.get("left_out")
        if left:
            said.append(f"Warning: nothing can be said for {left['sizes']} models: {left['why']}")
        return said

    def _fall(self, rows: Sequence[_ROW]) -> str:
        last = rows[-1]
        fewer = ", ".join(
            f"{row['n_models']} models {100 * (row[self._loss] / last[self._loss] - 1):+.0f} %"
            for row in rows[-2::-1]
        )
        gain = (
            f" (on the benchmarks that are not run, {_percent(last['gain'])} below that of "
            "predicting means)"
            if np.isfinite(last["gain"])
            else ""
        )
        return (
            f"With {last['n_models']} models the held-out loss is {last[self._loss]:.4g}{gain}. "
            f"With fewer: {fewer}."
        )

    def _need(self, rows: Sequence[_ROW]) -> str:
        last, before = rows[-1]["n_models"], rows[-2]
        if self.enough is None and before["above_low"] > 0:
            return (
                f"From {before['n_models']} to {last} models the loss still falls by "
                f"{_less(before, 'above', -1)}: more models would help."
            )
        start = self.alike if self.enough is None else self.enough
        if start is None:
            return f"From {before['n_models']} to {last} models the loss does not fall."
        least, most = self._bounded(rows, start)
        how, so = f"is within {_percent(NEAR)} of", "more models would help little."
        if self.enough is None:
            how, so = "cannot be distinguished from", "whether more models would help is not shown."
        if most > WIDE:
            most = max(0.0, before["above_high"] / rows[-1][self._loss])
            return (
                "The splits differ too much to say how many models are enough: with "
                f"{before['n_models']} the loss may be up to {_percent(most)} higher than with "
                f"{last}."
            )
        return (
            f"From {least} models on the loss {how} that with {last} (with {least} it is at most "
            f"{_percent(most)} higher): {so}"
        )

    def _bounded(self, rows: Sequence[_ROW], start: int) -> tuple[int, float]:
        """The fewest models, from `start` on, whose loss has a narrow limit; and that limit.

        A share of the loss with the most models. `start` where no number has one.
        """
        most = {
            row["n_models"]: max(0.0, row["above_high"] / rows[-1][self._loss])
            for row in rows[:-1]
            if row["n_models"] >= start
        }
        return next((pair for pair in most.items() if pair[1] <= WIDE), (start, most[start]))

    def _more(self) -> list[str]:
        one, last = self.guess, float(self.sizes[self._loss].iloc[-1])
        if one is None or one.high - one.low > NARROW * last:
            return []
        return [
            f"Twice as many ({one.n_models}) might bring it to {one.loss:.3g} ({one.low:.3g} to "
            f"{one.high:.3g}): a guess, by a power law through these losses."
        ]

    @property
    def _loss(self) -> str:
        return f"loss{SUFFIXES[self.settings['targets']]}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, frames as lists of rows."""
        return {
            "sizes": self.sizes.to_dict("records"),
            "supported": self.supported,
            "enough": self.enough,
            "alike": self.alike,
            "guess": None if self.guess is None else asdict(self.guess),
            "words": self.words,
            "settings": self.settings,
        }


def summarise_curve(
    found: Mapping[int, Assessment], n_models: int, settings: Mapping[str, Any]
) -> LearningCurve:
    """Put the assessments of several numbers of models together.

    Parameters
    ----------
    found : mapping of number of models to Assessment
        In the same outer splits; the search first, beside random subsets.
    n_models : int
        Of the table.
    settings : mapping
    """
    largest = found[max(found)]
    targets = largest.settings["targets"]
    parts = []
    for size, one in found.items():
        kept = one.folds[["fold", "method", "benchmarks", "loss", "loss_unseen"]]
        parts.append(kept.assign(n_models=size))
    about = {**settings, "targets": targets, "level": largest.settings["level"]}
    end, sizes = SUFFIXES[targets], np.array(list(found), dtype=np.float64)
    guess = extrapolate(
        sizes,
        np.stack([_losses(one, one.names[0], end) for one in found.values()]),
        to=2 * max(found),
        level=about["level"],
        seed=largest.settings["bootstrap"]["seed"],
    )
    return LearningCurve(
        sizes=pd.DataFrame([_row(size, one, largest) for size, one in found.items()]),
        folds=pd.concat(parts, ignore_index=True)[["n_models", *kept.columns]],
        n_models=n_models,
        settings=about,
        guess=guess,
    )


def _row(size: int, one: Assessment, largest: Assessment) -> dict[str, Any]:
    end = SUFFIXES[largest.settings["targets"]]
    methods = one.methods.set_index("method")
    own = methods.iloc[0].to_dict()
    limits = [f"{what}{e}" for e in SUFFIXES.values() for what in _LIMITS]
    bound, random = methods[f"loss{end}"][[MEAN_PREDICTOR, RANDOM_SUBSETS]].astype(float)
    here, there = (_losses(which, which.names[0], end) for which in (one, largest))
    name = one.names[0]
    beside = one.contest.beside_means(name)
    unseen, means = (beside.by_split(which, "unseen") for which in (name, MEAN_PREDICTOR))
    return {
        "n_models": size,
        **{name: float(own[name]) for name in limits},
        "random": float(random),
        "mean_predictor": float(bound),
        "gain": 1 - float(unseen.mean() / means.mean()),
        **_paired("above", here - there, largest),
        **_paired("beyond", here - _losses(one, RANDOM_SUBSETS, end), largest),
        **_paired("beyond_means", unseen - means, largest),
        "jaccard": float(own["jaccard"]),
        "kuncheva": float(own["kuncheva"]),
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _less(row: _ROW, what: str, sign: int = 1) -> str:
    """By how much something is lower: `what` of the row, or its negative, and the limits."""
    ends = sorted((-sign * row[f"{what}_low"], -sign * row[f"{what}_high"]))
    return f"{-sign * row[what]:.4g}, interval {ends[0]:.4g} to {ends[1]:.4g}"


def _rivals(row: _ROW) -> str:
    """What the search is not shown to beat, and by how much it does."""
    return " or ".join(
        f"{words} (its loss is lower by {_less(row, name)})"
        for name, words in _RIVALS.items()
        if not row[f"{name}_high"] < 0
    )


_LIMITS = ("loss", "low", "high", "t_low", "t_high")


def _losses(one: Assessment, method: str, end: str) -> FloatArray:
    """Loss of each outer split."""
    folds = one.folds
    return folds.loc[folds["method"] == method, f"loss{end}"].to_numpy(np.float64)


def _paired(name: str, differences: FloatArray, largest: Assessment) -> dict[str, float]:
    """Mean and corrected limits of a difference over outer splits."""
    about = largest.settings
    sizes = {"n_train": about["n_train"], "n_test": about["n_test"]}
    interval = nadeau_bengio_interval(differences, **sizes, level=about["level"])
    ends = (interval.mean, interval.low, interval.high)
    names = (name, f"{name}_low", f"{name}_high")
    return dict(zip(names, map(float, ends), strict=True))


def _from_where(sizes: pd.Series[Any], true: pd.Series[bool]) -> int | None:
    """The smallest size from which on it is true for all larger ones."""
    later = true[::-1].cummin()[::-1]
    return int(sizes[later].iloc[0]) if later.any() else None
