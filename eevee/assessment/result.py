"""`Assessment`: the held-out losses of several methods, what they rest on and how they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from eevee.assessment.contest import Contest
from eevee.assessment.resampling import N_DRAWS
from eevee.assessment.standings import MEASURES, Standing, overlap, standing, together
from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError, did_you_mean
from eevee.scorers.loss import TARGETS, Targets
from eevee.stats.intervals import Interval
from eevee.stats.metrics import mean_of_known
from eevee.tiers.file import AssessedLoss

if TYPE_CHECKING:
    from eevee.assessment.study import Study

RANDOM_SUBSETS = "random"
"""The method that stands for all random subsets: their mean."""
WITHOUT_PROXIES = "without proxies"
"""The assessed search again, under the same budget, for benchmarks that own a score column."""
SUFFIXES: dict[Targets, str] = {"all": "", "unseen": "_unseen"}
"""How the columns of a kind of target end."""


@dataclass(frozen=True, eq=False)
class Assessment:
    """Held-out loss of methods, each searched again in every outer split.

    Attributes
    ----------
    methods : DataFrame, one row per method
        ``method, size, cost`` (means over splits), ``loss, low, high, t_low, t_high`` (all
        targets: the mean of `folds`, its bootstrap interval, and Nadeau and Bengio's around it),
        ``loss_unseen`` and its four limits, ``r2, r2_unseen, spearman, kendall, regret``,
        ``jaccard, kuncheva`` (of the subsets of any two splits), ``subsets_low, subsets_median,
        subsets_high`` (random subsets alone: 5 %, 50 % and 95 % of their losses with all
        targets; the row itself is their mean).
    folds : DataFrame, one row per outer split and method
        ``fold, method, benchmarks, n_train, n_test, loss, loss_unseen, search_loss``.
    models : DataFrame, one row per model and method
        ``model, method, held_out`` (how often), ``error, error_unseen`` (the loss with this model
        as the only test model, a mean over the splits that held it out). A description of models,
        each over its own cells: on a table with gaps their mean is not the loss, and nothing is
        computed from them.
    differences : DataFrame, one row per method and kind of target
        ``method, against, targets``; ``difference`` (of their losses), ``low, high`` (bootstrap,
        both over the same draws of models), ``t_low, t_high`` (Nadeau and Bengio, paired over
        splits); ``relative`` and ``relative_low, relative_high, relative_t_low, relative_t_high``
        (the same five as shares of the loss of `against`). Below 0: `method` is better.
    pairwise : DataFrame
        ``method, low, high, pairs, accuracy``: pairs of models whose order by mean score was
        identified correctly, by their true gap in standard deviations of the mean score.
    columns : DataFrame, one row per column and method
        ``method, column, benchmark, mae`` (in the column's own measure, over the splits whose
        subset did not hold its benchmark, of predictions between the column's bounds, as in
        `eevee.Predictor`), ``chosen`` (share of the splits whose subset did).
    gap : DataFrame, one row per method
        ``method, search_loss, optimism, optimism_low, optimism_high, training_size,
        training_size_low, training_size_high, selection, selection_low, selection_high, loss,
        n_inner, n_train``; see `assess`. The limits are Nadeau and Bengio's, over splits.
    contest : Contest
        The judged outer splits that all this is from.
    settings : dict
        What was done, JSON-able.
    study : Study or None
        What was assessed.
    """

    methods: pd.DataFrame
    folds: pd.DataFrame
    models: pd.DataFrame
    differences: pd.DataFrame
    pairwise: pd.DataFrame
    columns: pd.DataFrame
    gap: pd.DataFrame
    contest: Contest = field(repr=False)
    settings: dict[str, Any] = field(default_factory=dict)
    study: Study | None = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The methods, the assessed search first."""
        return tuple(self.methods["method"])

    def assessed(self, name: str | None = None) -> AssessedLoss:
        """Return the loss of a method as a tier file holds it, the first one's by default.

        For the kind of target that the search minimised. The interval holds both that of the
        bootstrap and Nadeau and Bengio's.

        Raises
        ------
        EeveeError
            If there is no such method.
        """
        row = self.methods.iloc[self._place(name or self.names[0])]
        end = SUFFIXES[self.settings["targets"]]
        limits = row[[f"{one}{end}" for one in ("low", "high", "t_low", "t_high")]]
        folds = self.folds[self.folds["method"] == row["method"]]
        return AssessedLoss(
            mean=float(row[f"loss{end}"]),
            low=float(limits.min()),
            high=float(limits.max()),
            of=f"{row['method']}, {self.settings['goal']}, {self.settings['scorer']['name']}",
            outer_splits=len(folds),
            train_models=round(float(folds["n_train"].mean())),
        )

    @property
    def labels(self) -> IntArray:
        """Families that the bootstrap draws, (n_models,)."""
        return self.contest.labels

    def difference(self, name: str, against: str, targets: Targets = "all") -> Interval:
        """Return the difference of the losses of any two methods, with its bootstrap interval.

        Raises
        ------
        EeveeError
            If there is no such method.
        """
        row = self.compare(name, against, targets)
        return Interval(*(np.asarray(row[part]) for part in ("difference", "low", "high")))

    def compare(self, name: str, against: str, targets: Targets = "all") -> dict[str, Any]:
        """Return a row like those of `differences`, for any two methods.

        Raises
        ------
        EeveeError
            If there is no such method.
        """
        self._place(name)
        self._place(against)
        return self.contest.difference(name, against, targets)

    def _place(self, name: str) -> int:
        if name not in self.names:
            hint = did_you_mean(name, self.names)
            raise EeveeError(f"no method {name!r}{hint}; there are {', '.join(self.names)}")
        return self.names.index(name)


def summarise(contest: Contest, settings: Mapping[str, Any]) -> Assessment:
    """Put everything together; the first method is what the others are compared with."""
    each = {
        name: [
            standing(contest.table, contest.folds, one, contest.rounds, contest.weights)
            for one in members
        ]
        for name, members in contest.members.items()
    }
    standings = {name: together(several) for name, several in each.items()}
    first = next(iter(standings))
    return Assessment(
        methods=pd.DataFrame(
            [_method(contest, name, one, each[name]) for name, one in standings.items()]
        ),
        folds=_folds(contest),
        models=_models(contest, standings),
        differences=pd.DataFrame(
            [
                contest.difference(name, first, targets)
                for name in standings
                if name != first
                for targets in TARGETS
            ]
        ),
        pairwise=_named({name: one.pairwise for name, one in standings.items()}),
        columns=_named({name: _columns(contest, one) for name, one in standings.items()}),
        gap=pd.DataFrame(_gaps(contest)),
        contest=contest,
        settings={
            **settings,
            "targets": contest.targets,
            "level": contest.level,
            "bootstrap": {"draws": N_DRAWS, "seed": contest.seed},
            "n_train": contest.n_train,
            "n_test": contest.n_test,
            "scorer": dict(contest.folds[0].scorer),
        },
    )


def _method(contest: Contest, name: str, one: Standing, each: list[Standing]) -> dict[str, Any]:
    costs = [contest.table.cost_of(subset) for subset in one.subsets]
    row: dict[str, Any] = {
        "method": name,
        "size": float(np.mean([len(subset) for subset in one.subsets])),
        "cost": float(np.mean(costs)),
    }
    for targets, end in SUFFIXES.items():
        found = contest.interval(name, targets)
        t = contest.over_folds(contest.losses[name, targets].by_split)
        row |= {f"loss{end}": float(found.mean)}
        row |= {f"low{end}": float(found.low), f"high{end}": float(found.high)}
        row |= {f"t_low{end}": float(np.maximum(t.low, 0.0)), f"t_high{end}": float(t.high)}
    row |= {measure: one.measures[measure] for measure in MEASURES}
    alone = len(each) == 1 and bool(one.subsets[0])
    pair = overlap(one.subsets, contest.table.n_benchmarks) if alone else (np.nan, np.nan)
    row |= dict(zip(("jaccard", "kuncheva"), pair, strict=True))
    losses = [member.losses["all"].mean() for member in each]
    spread = np.quantile(losses, [0.05, 0.5, 0.95]) if len(each) > 1 else [np.nan] * 3
    names = ("subsets_low", "subsets_median", "subsets_high")
    return row | dict(zip(names, map(float, spread), strict=True))


def _folds(contest: Contest) -> pd.DataFrame:
    rows = []
    for number, fold in enumerate(contest.folds):
        for name, members in contest.members.items():
            judged = [fold.judged[member] for member in members]
            several = len(members) > 1
            rows.append(
                {
                    "fold": number,
                    "method": name,
                    "benchmarks": None if several else judged[0].subset,
                    "n_train": fold.n_train,
                    "n_test": int(fold.held_out.sum()),
                    "loss": _mean(one.losses["all"] for one in judged),
                    "loss_unseen": _mean(one.losses["unseen"] for one in judged),
                    "search_loss": _mean(fold.search.get(member, np.nan) for member in members),
                }
            )
    return pd.DataFrame(rows)


def _models(contest: Contest, standings: Mapping[str, Standing]) -> pd.DataFrame:
    held_out = np.sum([fold.held_out for fold in contest.folds], axis=0)
    parts = [
        pd.DataFrame(
            {
                "model": contest.table.model_names,
                "method": name,
                "held_out": held_out,
                "error": one.errors["all"],
                "error_unseen": one.errors["unseen"],
            }
        )
        for name, one in standings.items()
    ]
    return pd.concat(parts, ignore_index=True)


def _columns(contest: Contest, one: Standing) -> pd.DataFrame:
    table = contest.table
    share = {
        name: float(np.mean([name in subset for subset in one.subsets]))
        for name in table.benchmark_names
    }
    frame = pd.DataFrame(
        {
            "column": table.scores.columns,
            "benchmark": table.columns["benchmark"].to_numpy(),
            "mae": one.mae,
            "chosen": [share[name] for name in table.columns["benchmark"]],
        }
    )
    return frame[table.is_target | (frame["chosen"] > 0).to_numpy()]


def _gaps(contest: Contest) -> Iterable[dict[str, Any]]:
    folds, members = contest.folds, contest.members
    searched = [name for name in members if members[name][0] in folds[0].search]
    losses = {name: _gap_losses(contest, members[name]) for name in searched}
    n_inner = float(np.mean([fold.n_inner for fold in folds]))
    blank = np.full(len(folds), np.nan)
    random = losses.get(RANDOM_SUBSETS, (blank, blank, blank))
    luck = random[1] - random[0]
    for name, (search, transferred, judged) in losses.items():
        row: dict[str, Any] = {"method": name, "search_loss": float(search.mean())}
        parts = {"optimism": transferred - search, "training_size": judged - transferred}
        chose = name != RANDOM_SUBSETS and not _holds_all(contest, name)
        parts["selection"] = parts["optimism"] - luck if chose else blank
        for part, values in parts.items():
            found = contest.over_folds(values)
            row |= {part: float(found.mean)}
            row |= {f"{part}_low": float(found.low), f"{part}_high": float(found.high)}
        yield row | {"loss": float(judged.mean()), "n_inner": n_inner, "n_train": contest.n_train}


def _holds_all(contest: Contest, name: str) -> bool:
    every = contest.table.target_benchmarks
    return all(fold.judged[contest.members[name][0]].subset == every for fold in contest.folds)


def _gap_losses(contest: Contest, members: list[str]) -> FloatArray:
    """In the search, of the same fits on held-out models, of the fit on all others; by fold."""
    targets = contest.targets
    each = [
        [
            (fold.search[one], fold.transferred[one], fold.judged[one].losses[targets])
            for one in members
        ]
        for fold in contest.folds
    ]
    return mean_of_known(np.array(each), axis=1).T


def _named(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    parts = []
    for name, frame in frames.items():
        part = frame.copy()
        part.insert(0, "method", name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _mean(values: Iterable[float]) -> float:
    return float(mean_of_known(np.array(list(values)), axis=0))
