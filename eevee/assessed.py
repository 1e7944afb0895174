"""`Assessment`: the held-out losses of several methods, what they rest on and how they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eevee.errors import EeveeError, did_you_mean
from eevee.intervals import Interval, bootstrap_interval, nadeau_bengio_interval
from eevee.outer import Fold
from eevee.scoring.loss import TARGETS, Targets
from eevee.standings import MEASURES, Standing, overlap, standing, together
from eevee.table import FloatArray, IntArray, ResultsTable
from eevee.tierfile import AssessedLoss

N_DRAWS = 2000
"""Of every bootstrap."""
RANDOM_SUBSETS = "random"
"""The method that stands for all random subsets: their mean."""
ENDS: dict[Targets, str] = {"all": "", "unseen": "_unseen"}
"""How the columns of a kind of target end."""


@dataclass(frozen=True, eq=False)
class Assessment:
    """Held-out loss of methods, each searched anew in every outer split.

    Attributes
    ----------
    methods : DataFrame, one row per method
        ``method, size, cost`` (means over splits), ``loss, low, high, t_low, t_high`` (all
        targets: mean over models, its bootstrap interval, and Nadeau and Bengio's around it),
        ``loss_unseen`` and its four limits, ``r2, r2_unseen, spearman, kendall, regret``,
        ``jaccard, kuncheva`` (of the subsets of any two splits), ``subsets_low, subsets_median,
        subsets_high`` (random subsets alone: 5 %, 50 % and 95 % of their losses with all
        targets; the row itself is their mean).
    folds : DataFrame, one row per outer split and method
        ``fold, method, benchmarks, n_train, n_test, loss, loss_unseen, search_loss``.
    models : DataFrame, one row per model and method
        ``model, method, held_out`` (how often), ``error, error_unseen`` (means over the splits
        that held the model out).
    differences : DataFrame, one row per method and kind of target
        ``method, against, targets, difference, low, high`` (paired over models), ``relative,
        relative_low, relative_high`` (the same as shares of the loss of `against`), ``t_low,
        t_high`` (Nadeau and Bengio, over splits). Below 0: `method` is better.
    pairwise : DataFrame
        ``method, low, high, pairs, accuracy``: pairs of models whose order by mean score was
        told rightly, by their true gap in standard deviations of the mean score.
    columns : DataFrame, one row per column and method
        ``method, column, benchmark, mae`` (in the column's own measure, over the splits whose
        subset did not hold its benchmark), ``chosen`` (share of the splits whose subset did).
    gap : DataFrame, one row per method
        ``method, search_loss, optimism, optimism_low, optimism_high, training_size,
        training_size_low, training_size_high, selection, selection_low, selection_high, loss,
        n_inner, n_train``; see `assess`. The limits are Nadeau and Bengio's, over splits.
    labels : int array, shape (n_models,)
        Families that the bootstrap draws.
    settings : dict
        What was done, JSON-able.
    """

    methods: pd.DataFrame
    folds: pd.DataFrame
    models: pd.DataFrame
    differences: pd.DataFrame
    pairwise: pd.DataFrame
    columns: pd.DataFrame
    gap: pd.DataFrame
    labels: IntArray = field(repr=False)
    settings: dict[str, Any] = field(default_factory=dict)

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
        end = ENDS[self.settings["targets"]]
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

    def difference(self, name: str, against: str, targets: Targets = "all") -> Interval:
        """Return the paired difference of two methods' losses, bootstrapped over models.

        Raises
        ------
        EeveeError
            If there is no such method.
        """
        column = f"error{ENDS[targets]}"
        first, second = (self._errors(one, column) for one in (name, against))
        return self.interval(first - second)

    def interval(self, values: FloatArray) -> Interval:
        """Return the mean of a number per model, bootstrapped over models (or families)."""
        level, seed = self.settings["level"], self.settings["bootstrap"]["seed"]
        return _interval(values, self.labels, level, seed)

    def _errors(self, name: str, column: str) -> FloatArray:
        self._place(name)
        return self.models.loc[self.models["method"] == name, column].to_numpy(np.float64)

    def _place(self, name: str) -> int:
        if name not in self.names:
            hint = did_you_mean(name, self.names)
            raise EeveeError(f"no method {name!r}{hint}; there are {', '.join(self.names)}")
        return self.names.index(name)


@dataclass(frozen=True, eq=False)
class Contest:
    """Judged outer splits, and what an assessment needs to know beside them.

    Attributes
    ----------
    table : ResultsTable
    folds : list of Fold
    rounds : list of lists of fold numbers
        No model is held out twice in a round; rankings are of the models of one.
    members : mapping of method to names in the folds
        Several for random subsets, which are one method.
    targets : {"all", "unseen"}
        What the searches minimised.
    weights : mapping or None
        Of the loss.
    labels : int array, shape (n_models,)
        Families that the bootstrap draws.
    level : float
    seed : int
        Of the bootstrap.
    n_pool : float or None
        Models that those searched on were drawn from in a split, if they are some of them.
    """

    table: ResultsTable
    folds: list[Fold]
    rounds: list[list[int]]
    members: Mapping[str, list[str]]
    targets: Targets
    weights: Mapping[str, float] | None
    labels: IntArray
    level: float
    seed: int
    n_pool: float | None = None

    def interval(self, values: FloatArray) -> Interval:
        """Bootstrap the mean over models."""
        return _interval(values, self.labels, self.level, self.seed)

    def over_folds(self, values: FloatArray) -> Interval:
        """Nadeau and Bengio's interval of a mean over outer splits; blank for a single one.

        Blank, too, where all splits test the same models: they do not show the luck of these.
        """
        if len(values) < 2 or self.same_test or not np.isfinite(values).all():
            blank = np.asarray(np.nan)
            return Interval(np.asarray(values.mean()), blank, blank)
        return nadeau_bengio_interval(
            values, n_train=self.n_pool or self.n_train, n_test=self.n_test, level=self.level
        )

    @property
    def same_test(self) -> bool:
        """Whether all outer splits hold out the same models."""
        return all((fold.held_out == self.folds[0].held_out).all() for fold in self.folds)

    @property
    def n_test(self) -> float:
        """Models that an outer split holds out, on average."""
        return float(np.mean([fold.held_out.sum() for fold in self.folds]))

    @property
    def n_train(self) -> float:
        """Models that an outer split searches on, on average."""
        return float(np.mean([fold.n_train for fold in self.folds]))


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
                _difference(contest, name, first, one, standings[first], targets)
                for name, one in standings.items()
                if name != first
                for targets in TARGETS
            ]
        ),
        pairwise=_named({name: one.pairwise for name, one in standings.items()}),
        columns=_named({name: _columns(contest, one) for name, one in standings.items()}),
        gap=pd.DataFrame(_gaps(contest)),
        labels=contest.labels,
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


def _interval(values: FloatArray, labels: IntArray, level: float, seed: int) -> Interval:
    known = labels[np.isfinite(values)]
    if len(known) and (known == known[0]).all() and (labels != known[0]).any():
        blank = np.asarray(np.nan)  # one model or family was tested: nothing to draw from
        return Interval(np.asarray(np.nanmean(values)), blank, blank)
    return bootstrap_interval(values, groups=labels, n_draws=N_DRAWS, level=level, seed=seed)


def _method(contest: Contest, name: str, one: Standing, each: list[Standing]) -> dict[str, Any]:
    costs = [contest.table.cost_of(subset) for subset in one.subsets]
    row: dict[str, Any] = {
        "method": name,
        "size": float(np.mean([len(subset) for subset in one.subsets])),
        "cost": float(np.mean(costs)),
    }
    for targets, end in ENDS.items():
        found = contest.interval(one.errors[targets])
        row |= {f"loss{end}": float(found.mean)}
        row |= {f"low{end}": float(found.low), f"high{end}": float(found.high)}
        t = contest.over_folds(one.losses[targets])
        half = float(t.high - t.low) / 2
        low = max(0.0, row[f"loss{end}"] - half) if np.isfinite(half) else np.nan
        row |= {f"t_low{end}": low, f"t_high{end}": row[f"loss{end}"] + half}
    row |= {measure: one.measures[measure] for measure in MEASURES}
    alone = len(each) == 1 and bool(one.subsets[0])
    pair = overlap(one.subsets, contest.table.n_benchmarks) if alone else (np.nan, np.nan)
    row |= dict(zip(("jaccard", "kuncheva"), pair, strict=True))
    losses = [np.nanmean(member.errors["all"]) for member in each]
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


def _difference(
    contest: Contest, name: str, against: str, one: Standing, other: Standing, targets: Targets
) -> dict[str, Any]:
    found = contest.interval(one.errors[targets] - other.errors[targets])
    t = contest.over_folds(one.losses[targets] - other.losses[targets])
    scale = float(np.nanmean(other.errors[targets])) if np.isfinite(found.mean) else np.nan
    mean, low, high = float(found.mean), float(found.low), float(found.high)
    return {
        "method": name,
        "against": against,
        "targets": targets,
        "difference": mean,
        "low": low,
        "high": high,
        "relative": mean / scale,
        "relative_low": low / scale,
        "relative_high": high / scale,
        "t_low": float(t.low),
        "t_high": float(t.high),
    }


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
    every = contest.table.benchmark_names
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
    return np.asarray(np.mean(each, axis=1).T)


def _named(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    parts = []
    for name, frame in frames.items():
        part = frame.copy()
        part.insert(0, "method", name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))
