"""`NewModels`: what was measured of new models, what predicts them, and what is odd."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError
from eevee.tables.results_table import ResultsTable

TOLERANCE = 0.25
"""Units by which an input may lie beyond all training models without a warning: among few models
a new one often is a little better or worse than any of them somewhere."""


@dataclass(frozen=True, eq=False)
class NewModels:
    """Scores of new models, checked against the training table.

    Attributes
    ----------
    scores : DataFrame, shape (n_new, n_columns)
        In the columns of the training table; NaN where not measured.
    inputs : mapping of model to tuple of benchmark names
        Those of the predictor's benchmarks that the model has, in all of their columns.
    out_of_range : DataFrame
        See `Prediction`.
    warnings : tuple of str
    """

    scores: pd.DataFrame
    inputs: Mapping[str, Subset]
    out_of_range: pd.DataFrame
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, new: pd.DataFrame, table: ResultsTable, benchmarks: Subset) -> NewModels:
        """Check scores that come from anywhere.

        Raises
        ------
        EeveeError
            If a score is no finite number, a name repeats, there is no model, or a model has
            none of the benchmarks.
        """
        scores, warnings = _checked(new, table)
        inputs = _inputs(scores, table, benchmarks)
        outside = _out_of_range(table, scores, inputs)
        warnings += [*_lacking(benchmarks, inputs), *_beyond(outside)]
        return cls(scores, inputs, outside, tuple(warnings))


def _inputs(scores: pd.DataFrame, table: ResultsTable, benchmarks: Subset) -> dict[str, Subset]:
    """Which of the benchmarks each model has, by model."""
    has = {name: scores[table.columns_of(name)].notna().all(axis=1) for name in benchmarks}
    inputs = {
        str(model): tuple(name for name in benchmarks if has[name][model]) for model in scores.index
    }
    for model, subset in inputs.items():
        if not subset:
            raise EeveeError(
                f"model {model!r} has a score on none of {_some(benchmarks)}: there is nothing to "
                "predict it from; run at least one of them"
            )
    return inputs


def _checked(new: pd.DataFrame, table: ResultsTable) -> tuple[pd.DataFrame, list[str]]:
    """Scores of new models in the columns of the table, and what was left out."""
    if not len(new):
        raise EeveeError("new scores: there is no model to predict")
    new = new.set_axis([str(name) for name in new.index], axis=0)
    for what, names in (("model", new.index), ("column", new.columns)):
        if not names.is_unique:
            raise EeveeError(f"new scores: {what} {names[names.duplicated()][0]!r} appears twice")
    unknown = [str(name) for name in new.columns if name not in table.scores.columns]
    warnings = [f"not in the training table, ignored: {_some(unknown)}"] if unknown else []
    again = [name for name in new.index if name in table.scores.index]
    if again:
        warnings.append(
            f"also among the training models: {_some(again)}; what is predicted there was partly "
            "learned from the model itself, and its intervals are too narrow"
        )
    return _numbers(new.reindex(columns=table.scores.columns)), warnings


def _numbers(new: pd.DataFrame) -> pd.DataFrame:
    for name in new.columns:
        try:
            values = new[name].to_numpy(np.float64, na_value=np.nan)
        except (TypeError, ValueError):
            raise EeveeError(
                f"new scores: column {name!r} holds something that is no number"
            ) from None
        if np.isinf(values).any():
            model = new.index[int(np.argmax(np.isinf(values)))]
            raise EeveeError(f"new scores: model {model!r} has an infinite score in {name!r}")
    return new.astype(np.float64)


def _out_of_range(
    table: ResultsTable, scores: pd.DataFrame, inputs: Mapping[str, Subset]
) -> pd.DataFrame:
    """Inputs beyond those of all training models by more than the tolerance, one a row."""
    known, values = table.scores.to_numpy(np.float64), scores.to_numpy(np.float64)
    lowest, highest = np.fmin.reduce(known), np.fmax.reduce(known)  # NaN without any score
    slack = TOLERANCE * table.units.to_numpy(np.float64)
    beyond = (values < lowest - slack) | (values > highest + slack)
    owners, names = list(table.columns["benchmark"]), list(table.scores.columns)
    found = [
        (model, owners[j], names[j], values[i, j], lowest[j], highest[j])
        for i, model in enumerate(scores.index)
        for j in np.flatnonzero(beyond[i])
        if owners[j] in inputs[str(model)]
    ]
    header = ["model", "benchmark", "column", "score", "lowest", "highest"]
    return pd.DataFrame(found, columns=pd.Index(header))


def _lacking(benchmarks: Subset, inputs: Mapping[str, Subset]) -> list[str]:
    lacks = {model: [name for name in benchmarks if name not in inputs[model]] for model in inputs}
    return [
        f"{model}: predicted without {_some(names)}, which it lacks"
        for model, names in lacks.items()
        if names
    ]


def _beyond(outside: pd.DataFrame) -> list[str]:
    return [
        f"{model}: outside of what the training models show, so less sure: "
        + _some(
            f"{row.column} ({row.score:.4g}, seen {row.lowest:.4g} to {row.highest:.4g})"
            for row in rows.itertuples()
        )
        for model, rows in outside.groupby("model", sort=False)
    ]


def _some(names: Iterable[str], most: int = 8) -> str:
    """Name a few, and say how many more there are."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
