"""The assessed search again on the table without its proxies: what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from eevee.assessment.contest import Contest
from eevee.assessment.folds import Fold
from eevee.assessment.judge import Judgement
from eevee.assessment.result import WITHOUT_PROXIES
from eevee.assessment.study import Study
from eevee.base.arrays import BoolArray, FloatArray, Subset
from eevee.scorers.base import Scorer
from eevee.scorers.loss import Targets
from eevee.search.constraints import Constraints
from eevee.tables.results_table import ResultsTable


def study_without(study: Study) -> Study | None:
    """Return the study of the same budget and outer splits on a table without proxies.

    Nothing of it sees a proxy: neither its searches and what they tune, nor the meta-model that
    judges. Proxies that are required or paid for stay. None where there is nothing to compare.
    """
    table, rules = study.table, study.goal.constraints or Constraints()
    kept = {*table.target_benchmarks, *rules.require, *table.paid}
    dropped = {name for name in table.benchmark_names if name not in kept}
    if study.goal.budget is None or not dropped - set(rules.exclude):
        return None
    weights = study.scorer.weights
    if weights is not None:
        weights = {name: weight for name, weight in weights.items() if name not in dropped}
    allowed = tuple(name for name in rules.exclude if name not in dropped)
    return replace(
        study,
        table=without_benchmarks(table, dropped),
        goal=study.goal.under(replace(rules, exclude=allowed)),
        scorer=replace(study.scorer, weights=weights),
        outer=study.rounds.splits,
        families=None,
    )


def without_benchmarks(table: ResultsTable, dropped: set[str]) -> ResultsTable:
    """Return the table without some benchmarks and their columns; the rest is as it was.

    Examples
    --------
    >>> import pandas as pd
    >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
    >>> without_benchmarks(table, {"b"}).benchmark_names
    ('a',)
    """
    columns = ~table.columns["benchmark"].isin(dropped)
    benchmarks = ~table.benchmarks.index.isin(list(dropped))
    costs = table.cell_costs
    return replace(
        table,
        scores=table.scores.loc[:, columns],
        columns=table.columns[columns],
        benchmarks=table.benchmarks[benchmarks],
        units=table.units[columns],
        stderrs=None if table.stderrs is None else table.stderrs.loc[:, columns],
        cell_costs=None if costs is None else costs.loc[:, ~costs.columns.isin(list(dropped))],
    )


def beside_without(contest: Contest, study: Study) -> Contest:
    """Return the contest with the search of a study `study_without` beside the others."""

    def find(scorer: Scorer, number: int, seed: int) -> Mapping[str, Subset]:
        found = study.procedure.run(
            scorer,
            **study.goal.arguments,
            seed=seed,
            label=f"fold {number + 1}, {WITHOUT_PROXIES}",
            control=study.control,
        )
        return {WITHOUT_PROXIES: found.best}

    kept = np.asarray(contest.table.scores.columns.isin(study.table.scores.columns))
    other = study.judge(find)
    folds = [_merged(*pair, kept) for pair in zip(contest.folds, other.folds, strict=True)]
    return replace(contest, folds=folds)


def _merged(fold: Fold, other: Fold, kept: BoolArray) -> Fold:
    judged = _widened(other.judged[WITHOUT_PROXIES], kept)
    return replace(
        fold,
        judged={**fold.judged, WITHOUT_PROXIES: judged},
        search={**fold.search, **other.search},
        transferred={**fold.transferred, **other.transferred},
    )


def _widened(judged: Judgement, kept: BoolArray) -> Judgement:
    """A judgement over the columns of the whole table, of which proxies are no targets."""
    wide: dict[Targets, FloatArray] = {}
    for targets, values in judged.predicted.items():
        wide[targets] = np.full((len(values), len(kept)), np.nan)
        wide[targets][:, kept] = values
    return replace(judged, predicted=wide)
