"""`LearningCurve`: held-out losses over the number of models, and what they say in words."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eevee.assessed import RANDOM_SUBSETS, Assessment
from eevee.intervals import nadeau_bengio_interval
from eevee.outer import MEAN_PREDICTOR
from eevee.table import FloatArray

NEAR = 0.05
"""Losses this near, as a share, are as good as equal."""
_ENDS = {"all": "", "unseen": "_unseen"}
_ROW = Mapping[Hashable, Any]


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """How the held-out loss of a whole search falls with the number of models.

    Attributes
    ----------
    sizes : DataFrame, one row per number of models
        ``n_models`` (searched and fitted on); ``loss, low, high, t_low, t_high`` and the same of
        ``loss_unseen`` (as in `Assessment.methods`); ``random, mean_predictor`` (loss of random
        subsets and of the mean predictor, fitted on as many models); ``gain`` (share of the mean
        predictor's loss that the search takes away); ``above, above_low, above_high`` (loss less
        that with the most models); ``beyond, beyond_low, beyond_high`` (loss less that of random
        subsets: below 0 the search is better); ``jaccard, kuncheva`` (of the subsets of any two
        outer splits). From ``random`` on for the kind of target that the search minimised. All
        differences are paired over outer splits, with Nadeau and Bengio's limits.
    folds : DataFrame, one row per number of models, outer split and method
        ``n_models, fold, method, benchmarks, loss, loss_unseen``.
    n_models : int
        Of the table: more than any split searches on.
    settings : dict
        What was done, JSON-able.
    """

    sizes: pd.DataFrame
    folds: pd.DataFrame
    n_models: int
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def supported(self) -> int | None:
        """From how many models on the search is shown to beat random subsets; None if never."""
        return _from_where(self.sizes["n_models"], self.sizes["beyond_high"] < 0)

    @property
    def enough(self) -> int | None:
        """From how many models on the loss is within 5 % of that with the most.

        None if only the most themselves are: then more models would help.
        """
        loss, sizes = self.sizes[self._loss], self.sizes["n_models"]
        found = _from_where(sizes, loss <= (1 + NEAR) * loss.iloc[-1])
        return None if found == sizes.iloc[-1] else found

    @property
    def words(self) -> tuple[str, ...]:
        """Answer how many models one needs: warnings first, then how the loss falls."""
        rows = self.sizes.to_dict("records")
        return (*self._warnings(rows), self._fall(rows), self._need(rows))

    def _warnings(self, rows: Sequence[_ROW]) -> list[str]:
        said = []
        last = rows[-1]
        if self.supported is None:
            said.append(
                f"Warning: with {last['n_models']} models and fewer this table cannot show that "
                "the search beats random subsets of the same size or cost (with "
                f"{last['n_models']} its loss is lower by {_less(last, 'beyond')}): too few "
                "models to rest a choice on."
            )
        elif self.supported > rows[0]["n_models"]:
            said.append(
                f"Warning: with fewer than {self.supported} models this table cannot show that "
                "the search beats random subsets of the same size or cost: too few to rest a "
                "choice on."
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
        return (
            f"With {last['n_models']} models the held-out loss is {last[self._loss]:.4g} "
            f"({_percent(last['gain'])} below that of predicting means). With fewer: {fewer}."
        )

    def _need(self, rows: Sequence[_ROW]) -> str:
        last = rows[-1]["n_models"]
        if self.enough is not None:
            return (
                f"From {self.enough} models on the loss is within {_percent(NEAR)} of that with "
                f"{last}: more models would help little."
            )
        before = rows[-2]
        return (
            f"From {before['n_models']} to {last} models the loss still falls by "
            f"{_less(before, 'above', -1)}: more models would help."
        )

    @property
    def _loss(self) -> str:
        return f"loss{_ENDS[self.settings['targets']]}"

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, frames as lists of rows."""
        return {
            "sizes": self.sizes.to_dict("records"),
            "supported": self.supported,
            "enough": self.enough,
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
    return LearningCurve(
        sizes=pd.DataFrame([_row(size, one, largest) for size, one in found.items()]),
        folds=pd.concat(parts, ignore_index=True)[["n_models", *kept.columns]],
        n_models=n_models,
        settings=about,
    )


def _row(size: int, one: Assessment, largest: Assessment) -> dict[str, Any]:
    end = _ENDS[largest.settings["targets"]]
    methods = one.methods.set_index("method")
    own = methods.iloc[0].to_dict()
    limits = [f"{what}{e}" for e in _ENDS.values() for what in _LIMITS]
    bound, random = methods[f"loss{end}"][[MEAN_PREDICTOR, RANDOM_SUBSETS]].astype(float)
    here, there = (_losses(which, which.names[0], end) for which in (one, largest))
    return {
        "n_models": size,
        **{name: float(own[name]) for name in limits},
        "random": float(random),
        "mean_predictor": float(bound),
        "gain": 1 - float(own[f"loss{end}"]) / bound,
        **_paired("above", here - there, largest),
        **_paired("beyond", here - _losses(one, RANDOM_SUBSETS, end), largest),
        "jaccard": float(own["jaccard"]),
        "kuncheva": float(own["kuncheva"]),
    }


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _less(row: _ROW, what: str, sign: int = 1) -> str:
    """By how much something is lower: `what` of the row, or its negative, and the limits."""
    ends = sorted((-sign * row[f"{what}_low"], -sign * row[f"{what}_high"]))
    return f"{-sign * row[what]:.4g}, interval {ends[0]:.4g} to {ends[1]:.4g}"


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
