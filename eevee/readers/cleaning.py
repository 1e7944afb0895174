"""What is left out of a table before anything is computed: a note for each."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray
from eevee.base.errors import EeveeError
from eevee.readers.measured import Measured
from eevee.tables.column_names import is_aggregate

MIN_MODELS = 4
"""One to test on, one to validate on, two to fit to."""

_MIN_ROWS = 5
_MIN_OTHERS = 3


def clean(
    measured: Measured,
    *,
    min_coverage: float = 0.0,
    keep_aggregates: bool = False,
    wanted: frozenset[str] = frozenset(),
) -> Measured:
    """Drop aggregates, columns and models without use, and what is measured too rarely.

    Parameters
    ----------
    measured : Measured
    min_coverage : float
        Share of the models that a benchmark, then of the columns that a model, needs.
    keep_aggregates : bool
    wanted : frozenset of str
        Columns or benchmarks that are no aggregates, whatever their names say.

    Raises
    ------
    EeveeError
        If fewer than four models or no column is left.
    """
    if not keep_aggregates:
        measured = _drop_named_aggregates(measured, wanted)
    measured = _drop_useless(measured)
    _check_size(measured)
    if not keep_aggregates:
        measured = _drop_computed_aggregates(measured, wanted)
    if min_coverage > 0:
        measured = _drop_rare(measured, min_coverage)
        measured = _drop_useless(measured)
    _check_left(measured)
    return measured


def _drop_named_aggregates(measured: Measured, wanted: frozenset[str]) -> Measured:
    why = {}
    for name, benchmark in measured.columns["benchmark"].items():
        if {name, benchmark} & wanted:
            continue
        if is_aggregate(str(name)) or is_aggregate(benchmark):
            why[str(name)] = "is an aggregate of other columns, by its name"
    return measured.without_columns(why)


def _drop_useless(measured: Measured) -> Measured:
    """Drop empty and constant columns, and models without scores, until all are of use."""
    while True:
        left = measured.without_columns(_useless_columns(measured.scores))
        empty = left.scores.index[left.scores.isna().all(axis=1)]
        left = left.without_models(dict.fromkeys(empty, "has no score"))
        if left.scores.shape == measured.scores.shape:
            return left
        measured = left


def _useless_columns(scores: pd.DataFrame) -> dict[str, str]:
    why = {}
    for name, column in scores.items():
        observed = column.dropna()
        if observed.empty:
            why[str(name)] = "has no score"
        elif len(observed) == 1:
            why[str(name)] = "has a score for one model only"
        elif not observed.max() > observed.min() or _spread(observed) == 0.0:
            why[str(name)] = f"is constant: always {observed.iloc[0]:g}"
    return why


def _spread(column: pd.Series[float]) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.std(column.to_numpy(np.float64)))


def _drop_computed_aggregates(measured: Measured, wanted: frozenset[str]) -> Measured:
    """Drop columns that are the row mean of all the others, one by one."""
    while True:
        found = _computed_aggregate(measured.scores, wanted)
        if found is None:
            return measured
        why = "is the row mean of the other columns, by its numbers (an aggregate)"
        measured = measured.without_columns({found: why})


def _computed_aggregate(scores: pd.DataFrame, wanted: frozenset[str]) -> str | None:
    values = scores.to_numpy(np.float64)
    if values.shape[1] <= _MIN_OTHERS:
        return None
    resolutions = np.array([_resolution(column[~np.isnan(column)]) for column in values.T])
    seen = ~np.isnan(values)
    filled = np.where(seen, values, 0.0)
    n_seen, total, largest = seen.sum(axis=1), filled.sum(axis=1), np.abs(filled).max(axis=1)
    for j, name in enumerate(scores.columns):
        rows = seen[:, j] & (n_seen > _MIN_OTHERS)
        if name in wanted or rows.sum() < _MIN_ROWS:
            continue
        # Both the column and what it is the mean of are rounded.
        own, mean_of = 0.51 * resolutions[j], 0.5 * float(np.delete(resolutions, j).mean())
        column, others = values[rows, j], n_seen[rows] - 1
        near = (total[rows] - column) / others
        # Differences of sums are quick and lose digits: of what passes, the mean is taken again.
        lost = 1e-13 * float(largest[rows].max())
        if not _is_mean(column, near, own + lost, mean_of + lost):
            continue
        again = np.nanmean(np.delete(values[rows], j, axis=1), axis=1)
        if _is_mean(column, again, own, mean_of):
            return str(name)
    return None


def _is_mean(
    column: FloatArray, mean: FloatArray, own_rounding: float, mean_rounding: float
) -> bool:
    """Tell whether a column is a mean, or rises in a straight line with it, within rounding."""
    own_rounding += 1e-9 * float(np.abs(column).max())
    if float(np.std(mean)) == 0.0:
        return False
    rounding = own_rounding + mean_rounding
    if np.abs(column - mean).max() <= rounding and _convinces(column, rounding, 0):
        return True
    centred, target = mean - mean.mean(), column - column.mean()
    slope = (centred @ target) / (centred @ centred)
    if slope <= 0:
        return False  # accuracy next to its own error rate makes the mean fall with it
    rounding = own_rounding + slope * mean_rounding
    residual = np.abs(target - slope * centred).max()
    return bool(residual <= rounding) and _convinces(column, rounding, 2)


def _convinces(column: FloatArray, rounding: float, n_free: int) -> bool:
    """Tell whether so close a fit in so many rows is no accident, even of correlated columns."""
    luck = rounding / (0.5 * float(np.std(column)))
    return luck < 0.5 and luck ** (len(column) - n_free) < 1e-3


def _resolution(column: FloatArray) -> float:
    """Return the last decimal place that the numbers of a column are written with."""
    shortest = (np.format_float_positional(value, trim="-") for value in column)
    decimals = max(len(re.sub(r"^[^.]*\.?", "", text)) for text in shortest)
    return float(10.0**-decimals)


def _drop_rare(measured: Measured, min_coverage: float) -> Measured:
    """Drop benchmarks measured on too few models, then models measured on too few columns."""
    share = measured.scores.notna().mean(axis=0)
    by_benchmark = share.groupby(measured.columns["benchmark"].to_numpy()).mean()
    rare = by_benchmark[by_benchmark < min_coverage]
    why = {
        str(name): f"its benchmark is measured on {rare[benchmark]:.0%} of the models"
        for name, benchmark in measured.columns["benchmark"].items()
        if benchmark in rare.index
    }
    measured = measured.without_columns(why)
    if not measured.scores.shape[1]:
        return measured
    models = measured.scores.notna().mean(axis=1)
    return measured.without_models(
        {
            str(n): f"is measured on {s:.0%} of the columns"
            for n, s in models.items()
            if s < min_coverage
        }
    )


def _check_size(measured: Measured) -> None:
    for name, column in measured.scores.items():
        if not np.isfinite(_spread(column.dropna())):
            raise EeveeError(
                f"{measured.source}: the scores in column {name!r} are too large to compute "
                "with; divide them by a constant"
            )


def _check_left(measured: Measured) -> None:
    dropped = [note for note in measured.notes if note.action == "dropped"]
    first = "".join(f" ({n.kind} {n.name!r} was dropped: it {n.why})" for n in dropped[:1])
    n_models, n_columns = measured.scores.shape
    if n_columns == 0:
        raise EeveeError(f"{measured.source}: no column of scores is left{first}")
    if n_models < MIN_MODELS:
        raise EeveeError(
            f"{measured.source}: {n_models} models with scores{first}; at least {MIN_MODELS} are "
            "needed to fit a meta-model and test it"
        )
