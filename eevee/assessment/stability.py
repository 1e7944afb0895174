"""`Stability`: how far a search would choose the same again, and what is only noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import pandas as pd

from eevee.assessment.assess import searched_before
from eevee.assessment.contest import Contest
from eevee.assessment.result import Assessment, summarise
from eevee.assessment.standings import overlap
from eevee.assessment.study import Study, StudySettings
from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError, Stopped
from eevee.base.keywords import shares_keywords
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.scorers.loss import TARGETS
from eevee.scorers.spec import SEARCH, ScorerSpec
from eevee.search.control import RunControl, takes_control
from eevee.search.goal import Goal
from eevee.search.procedure import Procedure
from eevee.search.result import SearchResult
from eevee.tables.results_table import ResultsTable

SEEDS, REDRAWS = 5, 10
WHOLE = 100
"""Which child of the seed the searches on the whole table get."""
_AT, _NEXT = "k", "k + 1"


@dataclass(frozen=True, eq=False)
class Stability:
    """How stable a search is.

    Attributes
    ----------
    subset : Subset
        Found on the whole table.
    benchmarks : DataFrame, one row per benchmark
        ``benchmark, over_models, over_seeds``: share of the searches that chose it, on the models
        of each outer split; and on all models, with other seeds of the search alone.
    agreement : DataFrame indexed by "models" and "seeds"
        ``searches, jaccard, kuncheva``: means over pairs of their subsets.
    noise : DataFrame indexed by "splits" and "initialisations"
        ``draws, mean, spread``: the loss of `subset` when only these are redrawn. Differences
        of search losses below the spread say nothing. NaN for scorers without initialisations.
    steps : DataFrame, one row per kind of target; empty under a budget
        ``targets, k, loss, next, difference, t_low, t_high, apart``: held-out loss with k
        benchmarks, and by how much it changes with one more (paired; Nadeau and Bengio's limits);
        ``apart``: whether these exclude 0. With targets "all" a loss falls with k by arithmetic
        alone.
    exact : bool
        Whether the searches on the whole table scored every subset: then seeds play no part.
    """

    subset: Subset
    benchmarks: pd.DataFrame
    agreement: pd.DataFrame
    noise: pd.DataFrame
    steps: pd.DataFrame
    exact: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What cannot be distinguished or plays no part, one sentence each."""
        seeds = ("Every subset was scored: seeds of the search play no part.",)
        return (seeds if self.exact else ()) + tuple(
            f"k = {row['k']} and k = {row['next']} cannot be distinguished "
            f"({row['targets']} targets: {row['difference']:+.4g}, "
            f"interval {row['t_low']:+.4g} to {row['t_high']:+.4g})"
            for row in self.steps.to_dict("records")
            if not row["apart"] and np.isfinite(row["difference"])
        )

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values, frames as lists of rows."""
        return {
            "subset": self.subset,
            "benchmarks": self.benchmarks.to_dict("records"),
            "agreement": self.agreement.to_dict("index"),
            "noise": self.noise.to_dict("index"),
            "steps": self.steps.to_dict("records"),
            "exact": self.exact,
            "words": self.words,
        }


@takes_control
@shares_keywords(StudySettings, Study)
def assess_stability(
    table: ResultsTable | Study,
    k: int | None = None,
    *,
    n_seeds: int = SEEDS,
    known: Assessment | None = None,
    **settings: Unpack[StudySettings],
) -> Stability:
    """Search again: on other models, with other seeds, and with one benchmark more.

    Parameters
    ----------
    table : ResultsTable or Study
    k : int, optional
    n_seeds : int
        Searches on the whole table that differ in the seed of the search alone, at least 2.
    known : Assessment, optional
        From `eevee.assess` of the same study: what it found in its outer splits is not searched
        for again.
    **settings
        As `eevee.assessment.Study` says.

    Raises
    ------
    EeveeError
        As `eevee.assess`, or if `n_seeds` is below 2.

    Notes
    -----
    Nogueira, Sechidis and Brown (2018), "On the stability of feature selection algorithms",
    section 2; the indices are those of `eevee.stats.metrics`.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 1)) + rng.normal(size=(30, 5))
    >>> table = ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    >>> found = assess_stability(table, 2, scorer="ridge", n_repeats=1)
    >>> found.agreement.index.tolist(), round(float(found.benchmarks["over_models"].sum()), 6)
    (['models', 'seeds'], 2.0)
    """
    if n_seeds < 2:
        raise EeveeError(f"n_seeds must be at least 2, got {n_seeds}")
    study = Study.of(table, k, **settings)
    study.check_goal()
    table, goal, control, seed = study.table, study.goal, study.control, study.seed
    _ = study.labels  # an unknown attribute fails here, before any search
    search = Searcher(
        study.procedure,
        goal,
        table.n_benchmarks,
        control.within("stability"),
        searched_before(known, study),
    )
    contest = study.judge(search)
    whole = study.scorer.make(table, child_seed(seed, WHOLE))
    seeds = [child_seed(seed, WHOLE, SEARCH, i) for i in range(n_seeds)]
    results = [search.run(whole, goal, one, f"seed {i + 1}") for i, one in enumerate(seeds)]
    again = [result.best for result in results]
    if control.stop():
        raise Stopped("stopped before all seeds had searched")
    over_models = [fold.judged[_AT].subset for fold in contest.folds]
    return Stability(
        subset=again[0],
        benchmarks=_shares(table, over_models, again),
        agreement=_agreement(table, over_models, again),
        noise=_noise(table, again[0], whole, study.scorer, seed),
        steps=_steps(contest, goal.k),
        exact=results[0].exact,
    )


@dataclass(frozen=True)
class Searcher:
    """Searches at the goal, unless that is `known`, and for one benchmark more if it is a size."""

    procedure: Procedure
    goal: Goal
    n_benchmarks: int
    control: RunControl
    known: Sequence[Subset] | None = None

    def __call__(self, scorer: Scorer, number: int, seed: int) -> Mapping[str, Subset]:
        """Search on the models of one outer split."""
        if self.known is None:
            found = {_AT: self.run(scorer, self.goal, seed, f"fold {number + 1}").best}
        else:
            found = {_AT: self.known[number]}
        k = self.goal.k
        if k is not None and k < self.n_benchmarks:
            larger = replace(self.goal, k=k + 1)
            found[_NEXT] = self.run(scorer, larger, seed, f"fold {number + 1}, one more").best
        return found

    def run(self, scorer: Scorer, goal: Goal, seed: int, label: str) -> SearchResult:
        """Search once."""
        return self.procedure.run(
            scorer, **goal.arguments, seed=seed, label=label, control=self.control
        )


def _shares(
    table: ResultsTable, over_models: Sequence[Subset], over_seeds: Sequence[Subset]
) -> pd.DataFrame:
    names = table.benchmark_names
    frame = pd.DataFrame(
        {
            "benchmark": names,
            "over_models": [np.mean([name in one for one in over_models]) for name in names],
            "over_seeds": [np.mean([name in one for one in over_seeds]) for name in names],
        }
    )
    keys = ["over_models", "over_seeds", "benchmark"]
    return frame.sort_values(keys, ascending=[False, False, True], ignore_index=True)


def _agreement(
    table: ResultsTable, over_models: Sequence[Subset], over_seeds: Sequence[Subset]
) -> pd.DataFrame:
    rows = {
        what: (len(subsets), *overlap(subsets, table.n_benchmarks))
        for what, subsets in (("models", over_models), ("seeds", over_seeds))
    }
    columns = ["searches", "jaccard", "kuncheva"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def _noise(
    table: ResultsTable, subset: Subset, scorer: Scorer, scoring: ScorerSpec, seed: int
) -> pd.DataFrame:
    own = child_seed(seed, WHOLE)
    others = [scoring.splits(table, child_seed(seed, WHOLE, 1, i)) for i in range(REDRAWS)]
    redrawn = [float(scoring.like(scorer, table, s, own).losses([subset])[0]) for s in others]
    fresh = scorer.rescore([subset], REDRAWS)
    rows: dict[str, Any] = {
        "splits": redrawn,
        "initialisations": [np.nan] if fresh is None else fresh[0].tolist(),
    }
    return pd.DataFrame.from_dict(
        {
            what: (len(values) if np.isfinite(values).all() else 0, np.mean(values), _sd(values))
            for what, values in rows.items()
        },
        orient="index",
        columns=["draws", "mean", "spread"],
    )


def _sd(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def _steps(contest: Contest, k: int | None) -> pd.DataFrame:
    columns = ["targets", "k", "loss", "next", "difference", "t_low", "t_high", "apart"]
    if k is None or _NEXT not in contest.members:
        return pd.DataFrame(columns=columns)
    found = summarise(contest, {})
    losses = found.methods.set_index("method")
    rows = []
    for targets in TARGETS:
        of = found.differences[found.differences["targets"] == targets].iloc[0]
        loss = losses.loc[_AT, "loss" if targets == "all" else "loss_unseen"]
        apart = bool(of["t_low"] > 0 or of["t_high"] < 0)
        limits = (float(of["difference"]), float(of["t_low"]), float(of["t_high"]))
        rows.append((targets, k, loss, k + 1, *limits, apart))
    return pd.DataFrame(rows, columns=columns)
