"""`assess_splits`: one assessment per kind of outer splits, easy and hard, side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Unpack

import numpy as np
import pandas as pd

from eevee.assessment.assess import BESIDE, assess
from eevee.assessment.contest import Contest
from eevee.assessment.folds import MEAN_PREDICTOR
from eevee.assessment.resampling import Resampled
from eevee.assessment.result import SUFFIXES, Assessment
from eevee.assessment.study import FOLDS, Study, StudySettings
from eevee.base.keywords import shares_keywords
from eevee.base.seeds import child_seed
from eevee.scorers.base import Objective
from eevee.search.control import takes_control
from eevee.splits.near_duplicates import Leak
from eevee.splits.outer import DATE, FAMILY, Drawing, checked_kinds
from eevee.tables.results_table import ResultsTable

_SHOWN = (
    *("loss", "low", "high", "t_low", "t_high", "loss_unseen", "low_unseen", "high_unseen"),
    *("r2", "kendall", "regret"),
)
_BREAKS = {
    "family": "On families of which none was trained on",
    "frontier": "On models above all that were trained on",
    "time": "On models later than all that were trained on",
}


@dataclass(frozen=True, eq=False)
class SplitsAssessment:
    """Held-out losses of the same procedures under several kinds of outer splits.

    Attributes
    ----------
    kinds : mapping of kind to Assessment
        In the order asked for.
    """

    kinds: Mapping[str, Assessment]

    @property
    def first(self) -> Assessment:
        """The assessment of the kind that was named first."""
        return next(iter(self.kinds.values()))

    @property
    def reference(self) -> str:
        """The kind that others are compared with: random, or the first one."""
        return "random" if "random" in self.kinds else next(iter(self.kinds))

    @cached_property
    def side_by_side(self) -> pd.DataFrame:
        """One row per method and kind.

        ``method, kind, n_train, n_test`` (models per split); ``loss, low, high, t_low, t_high,
        loss_unseen, low_unseen, high_unseen, r2, kendall, regret`` (as in `Assessment.methods`).

        Then, for the kind of target that the searches minimised: ``relative`` (difference to the
        first method of that kind, as a share of its loss), ``mean_predictor`` (its loss in that
        kind), ``share`` (of the mean predictor's loss), ``same_models`` (loss of the reference's
        splits over the models that this kind tests alone; a split counts by the share that these
        are of its test models), ``times, times_low, times_high`` (their loss here as a multiple of
        that; both over the same draws of models or families).
        """
        rows = [
            row for kind, found in self.kinds.items() for row in _rows(kind, found, self._against)
        ]
        names = {name: place for place, name in enumerate(self.first.names)}
        frame = pd.DataFrame(rows)
        return frame.sort_values("method", key=lambda one: one.map(names), kind="stable").set_axis(
            range(len(frame))
        )

    @property
    def words(self) -> list[str]:
        """Say where prediction is known to break: where the first method's loss clearly grows.

        That is, where it is larger than the loss of the same models under the reference's splits,
        by the interval of the ratio over the same draws of these models.
        """
        own = self.side_by_side[self.side_by_side["method"] == self.first.names[0]]
        losses = own.set_index("kind")[self.loss_column]
        rows = [row for row in own.to_dict("records") if row["times_low"] > 1]
        return [self._sentence(row, losses) for row in rows if row["kind"] in _BREAKS]

    def _sentence(self, row: Mapping[Hashable, Any], losses: pd.Series) -> str:
        kind, whole = row["kind"], losses[self.reference]
        some = not np.isclose(row["same_models"], whole)  # not all models are tested
        more = f", and {losses[kind] / whole:.2f} times that of all models in them" if some else ""
        return (
            f"{_BREAKS[kind]}, the loss of {row['method']} is {row['times']:.2f} times what it is "
            f"for the same models in {self.reference} splits "
            f"({100 * self.first.settings['level']:g} % interval {row['times_low']:.2f} to "
            f"{row['times_high']:.2f}){more}."
        )

    @property
    def leak(self) -> Leak | None:
        """Near-duplicates that outer splits part, of the first kind that parts any."""
        leaks = [one.settings["near_duplicates"] for one in self.kinds.values()]
        return next((Leak(**one) for one in leaks if one), None)

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "side_by_side": self.side_by_side.to_dict("records"),
            "words": self.words,
            "settings": {kind: found.settings for kind, found in self.kinds.items()},
        }

    @property
    def loss_column(self) -> str:
        """Which column of `side_by_side` holds the loss that the searches minimised."""
        return _column("loss", self.first)

    @property
    def _against(self) -> Assessment:
        return self.kinds[self.reference]


@takes_control
@shares_keywords(StudySettings, Study)
def assess_splits(
    table: ResultsTable | Study,
    k: int | None = None,
    *,
    kinds: Sequence[str] = ("random", "family", "frontier"),
    date: str = DATE,
    subsets: Mapping[str, Sequence[str]] | None = None,
    beside: Sequence[str] = BESIDE,
    objectives: Sequence[Objective] = (),
    n_random: int = 100,
    **settings: Unpack[StudySettings],
) -> SplitsAssessment:
    """Run `assess` once per kind of outer splits: how much worse does it get where it is harder?

    - *random*: repeated K-fold, as `assess` does by itself.
    - *family*: repeated K-fold in which a family is held out as a whole.
    - *frontier*: the models with the highest mean scores are held out (`frontier_splits`).
    - *time*: the latest models are held out (`time_splits`).

    Parameters
    ----------
    table : ResultsTable or Study
    k : int, optional
    kinds : sequence of {"random", "family", "frontier", "time"}
    date : str
        The attribute of models that dates them.
    subsets, beside, objectives, n_random
        As in `eevee.assess`.
    **settings
        As `eevee.assessment.Study` says. Where ``families`` are given, every kind's intervals are
        over them; by default the attribute "family", for the kind of that name alone. There are
        fewer folds where there are fewer families. At the frontier and in time, as many models
        are held out as in one fold. Each kind's searches have checkpoints of their own.

    Returns
    -------
    SplitsAssessment

    Raises
    ------
    EeveeError
        As `assess`, or if a kind is unknown or named twice, an attribute is missing, or there is
        only one family.
    Stopped
        If `control` stopped it before all kinds were done.

    Notes
    -----
    ``docs/methods.md``, section "Kinds of outer splits", says how each kind is drawn, and how
    losses are compared over the same models.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> skill = np.repeat(np.arange(6.0), 5)[:, None]
    >>> scores = skill + rng.normal(size=(30, 2)) @ rng.normal(size=(2, 5))
    >>> models = pd.DataFrame({"family": np.repeat(list("abcdef"), 5)})
    >>> frame = pd.DataFrame(scores, columns=list("vwxyz"))
    >>> table = ResultsTable.from_scores(frame, models=models)
    >>> found = assess_splits(table, 2, scorer="ridge", n_repeats=1, n_random=0, beside=())
    >>> found.side_by_side.loc[:2, ["method", "kind", "n_test"]]
          method      kind  n_test
    0  evolution    random     6.0
    1  evolution    family     6.0
    2  evolution  frontier     6.0
    """
    study = Study.of(table, k, **settings)
    given = study.families
    drawing = Drawing(
        table=study.table,
        families=FAMILY if given is None else given,
        date=date,
        together=study.scorer.kept_together(study.table),
        n_folds=study.n_folds,
        n_repeats=study.n_repeats,
        seed=child_seed(study.seed, FOLDS),
        weights=study.scorer.weights,
    )
    drawn = {kind: drawing.draw(kind) for kind in checked_kinds(kinds)}  # fail before any search
    found = {}
    for kind, outer in drawn.items():
        own = replace(
            study,
            outer=outer,
            families=drawing.families if kind == "family" else given,
            control=study.control.within(kind),
        )
        one = assess(own, subsets=subsets, beside=beside, objectives=objectives, n_random=n_random)
        words = one.settings["splits"] if outer is None else drawing.describe(kind, outer)
        found[kind] = replace(one, settings=one.settings | {"kind": kind, "splits": words})
    return SplitsAssessment(found)


def _rows(kind: str, found: Assessment, against: Assessment) -> Iterator[dict[str, Any]]:
    """Rows of `side_by_side` of one kind, by method."""
    loss = _column("loss", found)
    methods: list[dict[str, Any]] = found.methods.to_dict("records")  # type: ignore[assignment]
    bound = {row["method"]: row[loss] for row in methods}[MEAN_PREDICTOR]
    for row in methods:
        name = row["method"]
        yield {
            "method": name,
            "kind": kind,
            "n_train": found.settings["n_train"],
            "n_test": found.settings["n_test"],
            **{what: row[what] for what in _SHOWN},
            "relative": row[loss] / methods[0][loss] - 1,
            "mean_predictor": bound,
            "share": row[loss] / bound,
            **_same_models(name, found.contest, against.contest),
        }


def _same_models(name: str, here: Contest, there: Contest) -> dict[str, float]:
    """Loss of the models that both kinds test, in the splits of `there`, and as multiple of it."""
    common = here.tested & there.tested
    counts = np.concatenate([common[None].astype(np.float64), here.draws(common)])
    grown, base = (one.loss_over(counts, name, here.targets) for one in (here, there))
    blank = not np.isfinite(here.losses[name, here.targets].mean)
    times = np.where(blank | ~(base > 0), np.nan, grown / np.where(base > 0, base, 1.0))
    interval = Resampled(times[:1], times[1:]).interval(here.level, least=0.0)
    low, high = float(interval.low), float(interval.high)
    return {
        "same_models": float(base[0]),
        "times": float(times[0]),
        "times_low": low,
        "times_high": high,
    }


def _column(what: str, found: Assessment) -> str:
    """The column of losses or errors for the kind of target that was minimised."""
    return f"{what}{SUFFIXES[found.settings['targets']]}"
