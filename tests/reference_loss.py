"""The loss of section 4 of the design, in plain loops over cells; shares no code with eevee."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

import eevee
from eevee.assessment.contest import Contest


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def split_loss(
    table: eevee.ResultsTable,
    predicted: pd.DataFrame,
    *,
    own: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    times: Mapping[str, float] | None = None,
) -> float:
    """Loss of one split: `predicted` has its test models as rows; NaN where nothing is predicted.

    `own` benchmarks are left out; a model counts `times` over, or not at all.
    """
    true = table.scores.loc[predicted.index].to_numpy().tolist()
    guessed = predicted.to_numpy().tolist()
    often = [1.0 if times is None else times[model] for model in predicted.index]
    owners, roles = table.columns["benchmark"].tolist(), table.columns["role"].tolist()
    by_benchmark: dict[str, list[float]] = {}
    for j, unit in enumerate(table.units.tolist()):
        if roles[j] != "score" or owners[j] in own:
            continue
        total = count = 0.0
        for i, weight in enumerate(often):
            miss = guessed[i][j] - true[i][j]
            if not math.isnan(miss) and weight > 0:
                total += weight * (miss / unit) ** 2
                count += weight
        if count:
            by_benchmark.setdefault(owners[j], []).append(total / count)
    errors = {name: mean(columns) for name, columns in by_benchmark.items()}
    if weights is not None:
        heavy = {name: weights[name] for name in errors if weights[name] > 0}
        whole = sum(heavy.values())
        return sum(w * errors[name] for name, w in heavy.items()) / whole if heavy else math.nan
    tasks = dict(zip(table.benchmarks.index, table.benchmarks["task"], strict=True))
    by_task: dict[object, list[float]] = {}
    for name, error in errors.items():
        task = tasks[name]
        by_task.setdefault(task if isinstance(task, str) else None, []).append(error)
    return mean([mean(members) for members in by_task.values()])


def known_mean(values: Sequence[float]) -> float:
    return mean([value for value in values if not math.isnan(value)])


def method_losses(
    contest: Contest,
    name: str,
    targets: str,
    times: np.ndarray | None = None,
) -> list[float]:
    """Loss of a method in each outer split, from what its members predict there."""
    table = contest.table
    often = None if times is None else dict(zip(table.scores.index, times.tolist(), strict=True))
    losses = []
    for fold in contest.folds:
        judged = [fold.judged[member] for member in contest.members[name]]
        index = table.scores.index[fold.held_out]
        each = [
            split_loss(
                table,
                pd.DataFrame(one.predicted[targets], index, table.scores.columns),
                own=one.subset if targets == "unseen" else (),
                weights=contest.weights,
                times=often,
            )
            for one in judged
        ]
        losses.append(known_mean(each))
    return losses


def drawn_loss(contest: Contest, name: str, targets: str, times: np.ndarray) -> float:
    """Mean over splits of the loss over drawn models; a split counts by the share drawn of it."""
    losses = method_losses(contest, name, targets, times)
    total = count = 0.0
    for fold, loss in zip(contest.folds, losses, strict=True):
        often = times[fold.held_out].tolist()
        if not math.isnan(loss):
            total += loss * sum(often) / len(often)
            count += sum(often) / len(often)
    return total / count if count else math.nan
