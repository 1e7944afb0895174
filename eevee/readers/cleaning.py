"""What is left out of a table before anything is computed: a note for each."""

from __future__ import annotations

import numpy as np
import pandas as pd

from eevee.base.errors import EeveeError
from eevee.readers.aggregates import find_aggregate
from eevee.readers.measured import Measured
from eevee.readers.no_models import is_total, of_benchmarks, reference
from eevee.readers.total_rows import find_total_row
from eevee.readers.vocabulary import in_english
from eevee.tables.column_names import flat, is_aggregate
from eevee.tables.results_table import Note

MIN_MODELS = 4
"""One to test on, one to validate on, two to fit to."""

_LONE = frozenset({"score", "win rate", "winrate", "total score", "final score"})
"""Names of aggregates that are also names of scores: only their numbers tell."""
_UNITS_SAID = frozenset(
    "raw normalized normalised norm scaled rescaled unnormalized unnormalised percent pct".split()  # noqa: SIM905
)
_SAME = 0.98
"""Correlation of two columns of one name: a normalised score may be cut off at chance."""


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
    _check_several(measured)
    measured = _drop_useless(_drop_no_models(measured))
    _check_size(measured)
    if not keep_aggregates:
        measured = _drop_total_rows(measured)
        measured = _drop_rescaled(measured, wanted)
        measured = _drop_computed_aggregates(measured, wanted)
        measured = _drop_useless(measured)
    if min_coverage > 0:
        measured = _drop_rare(measured, min_coverage)
        measured = _drop_useless(measured)
    _check_left(measured)
    return measured


def _drop_named_aggregates(measured: Measured, wanted: frozenset[str]) -> Measured:
    why, spared = {}, _spared(measured, wanted)
    for name, benchmark in measured.columns["benchmark"].items():
        called = (str(name), str(benchmark), in_english(str(name)))
        named = any(map(is_aggregate, called))
        if named and name not in spared and not {flat(str(name)), flat(benchmark)} & _LONE:
            why[str(name)] = "is an aggregate of other columns, by its name"
    return measured.without_columns(why, "aggregate")


def _drop_rescaled(measured: Measured, wanted: frozenset[str]) -> Measured:
    """Of a score in two units, such as raw and normalised, drop the one that says so."""
    columns = {flat(str(name)): str(name) for name in measured.targets.columns}
    spared = _spared(measured, wanted)
    for plain, name in columns.items():
        words = plain.split()
        other = columns.get(" ".join(word for word in words if word not in _UNITS_SAID))
        if other in {None, name} or name in spared or not set(words) & _UNITS_SAID:
            continue
        pair = measured.scores[[name, str(other)]].dropna()
        if len(pair) > 2 and _spread(pair[name]) and _spread(pair[str(other)]):
            r = float(pair.corr().to_numpy(np.float64)[0, 1])
            if r > _SAME:
                why = f"is {other!r} in other units (correlation {r:.4f})"
                measured = measured.without_columns({name: why}, "rescaled", other)
    return measured


def _drop_total_rows(measured: Measured) -> Measured:
    """Drop rows that are means or sums of others."""
    while len(measured.scores) > MIN_MODELS:
        found = find_total_row(measured.targets)
        if found is None:
            break
        measured = measured.without_models({found[0]: f"is {found[1]}, by its numbers"})
    names = [str(name) for name in measured.scores.index]
    totals = list(filter(is_total, names))
    if len(names) - len(totals) >= MIN_MODELS:
        why = "is a mean or total of models, by its name"
        measured = measured.without_models(dict.fromkeys(totals, why))
    return measured


def _drop_no_models(measured: Measured) -> Measured:
    """Drop rows that tell something of the benchmarks, by their names; note references."""
    values = measured.scores.to_numpy(np.float64)
    names = [str(name) for name in measured.scores.index]
    found = {n: of_benchmarks(n, row) for n, row in zip(names, values, strict=True)}
    why = {n: f"is {what}, by its name, no model" for n, what in found.items() if what is not None}
    if len(names) - len(why) >= MIN_MODELS:
        measured = measured.without_models(why)
    odd = {n: reference(n) for n in map(str, measured.scores.index)}
    return measured.noted(*(
        Note("guessed", "model", name, f"is no model, by its name, but {what}: kept; "
             "--drop-models leaves it out")
        for name, what in odd.items() if what is not None
    ))  # fmt: skip


def _drop_useless(measured: Measured) -> Measured:
    """Drop empty and constant columns, and models without scores, until all are of use."""
    while True:
        left = measured.without_columns(useless_columns(measured.scores))
        targets = left.targets
        empty = targets.index[targets.isna().all(axis=1) & (targets.shape[1] > 0)]
        left = left.without_models(dict.fromkeys(empty, "has no score"))
        if left.scores.shape == measured.scores.shape:
            return left
        measured = left


def useless_columns(scores: pd.DataFrame) -> dict[str, str]:
    """Return why columns are of no use, by name: they are empty, or the same for all models."""
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
    """Drop columns that are means or sums of others, one by one."""
    spared = _spared(measured, wanted)
    while True:
        found = find_aggregate(measured.targets, spared)
        if found is None:
            return measured
        names = [str(name) for name in measured.targets.columns]
        measured = measured.without_columns({names[found.place]: found.words(names)}, "aggregate")


def _spared(measured: Measured, wanted: frozenset[str]) -> frozenset[str]:
    """Columns that the user calls scores: they are no aggregates."""
    said = measured.columns["role"].notna()
    owner = measured.columns["benchmark"]
    named = {str(name) for name, benchmark in owner.items() if {name, benchmark} & wanted}
    return frozenset(named | {str(name) for name in owner.index[said]})


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
    models = measured.targets.notna().mean(axis=1)
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


def _check_several(measured: Measured) -> None:
    models = [str(name) for name in measured.scores.index[measured.scores.notna().any(axis=1)]]
    if len(models) == 1:
        n = measured.scores.shape[1]
        raise EeveeError(
            f"{measured.source}: holds scores of one model alone ({models[0]!r}, {n} "
            f"column{'s' * (n > 1)}); at least {MIN_MODELS} are needed: give a source with more, "
            "or join several: eevee import SOURCE SOURCE ... --out all.csv"
        )


def _check_left(measured: Measured) -> None:
    dropped = [note for note in measured.notes if note.action == "dropped"]
    first = "".join(f" ({n.kind} {n.name!r} was dropped: it {n.why})" for n in dropped[:1])
    n_models, n_columns = measured.scores.shape
    if n_columns == 0:
        raise EeveeError(f"{measured.source}: no column of scores is left{first}")
    if not measured.targets.shape[1]:
        raise EeveeError(f"{measured.source}: all columns are proxies: no score is left to predict")
    if n_models < MIN_MODELS:
        raise EeveeError(
            f"{measured.source}: {n_models} models with scores{first}; at least {MIN_MODELS} are "
            "needed to fit a meta-model and test it"
        )
