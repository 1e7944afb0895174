"""Splits that are harder than random ones: new families, stronger models, later models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.base.keywords import shares_keywords
from eevee.splits.drawing import Draw, DrawSettings, draw_models, draw_validation, n_testing
from eevee.splits.groups import attribute, group_labels, joined
from eevee.splits.splits import Splits, grouped_splits
from eevee.stats.metrics import mean_of_known
from eevee.tables.averages import loss_weights, mean_scores
from eevee.tables.results_table import ResultsTable


@shares_keywords(DrawSettings, Draw)
def family_splits(
    table: ResultsTable,
    *,
    by: str = "family",
    **draw: Unpack[DrawSettings],
) -> Splits:
    """Draw random splits in which a family is never on two sides.

    The families that test are drawn at random among those choices whose models come nearest to
    the share asked for. So a family much larger than that share never tests;
    ``fold_splits(table, groups="family")`` holds out every family.

    Parameters
    ----------
    table : ResultsTable
    by : str
        The attribute of ``table.models`` that names the family. A model without a value is a
        family of its own.
    **draw
        ``n_splits, test_size, validation_size, seed, groups`` of `shuffle_splits`. Shares are met
        as nearly as whole families allow; where only one family is left to train on, none
        validates. Families linked by groups are one.

    Returns
    -------
    Splits

    Raises
    ------
    EeveeError
        If there is no such attribute, only one family, or one so large that no choice leaves two
        models to test and two to train.

    Examples
    --------
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)), columns=list("abc"))
    >>> models = pd.DataFrame({"family": list("aaabbbcccddd")})
    >>> splits = family_splits(ResultsTable.from_scores(frame, models=models), n_splits=3)
    >>> splits.test.reshape(3, 4, 3).sum(axis=2).max(axis=1).tolist()
    [3, 3, 3]
    """
    drawn = Draw(**draw)
    families = group_labels(table, by)
    labels = joined(families, group_labels(table, drawn.groups))
    if labels.max() == 0:
        linked = "" if families.max() == 0 else " once groups are joined"
        raise EeveeError(
            f"all models have one {by}{linked}: at least two are needed to split by it"
        )
    return grouped_splits(table, labels, drawn, n_testing(table, drawn.test_size))


@shares_keywords(DrawSettings, Draw)
def frontier_splits(
    table: ResultsTable,
    *,
    train_share: float = 0.8,
    weights: Mapping[str, float] | None = None,
    **draw: Unpack[DrawSettings],
) -> Splits:
    """Train on the models with low mean scores, test on the top ones.

    The mean score of a model is that of (score - mean of the column) / unit over its observed
    columns, benchmarks and tasks, as in the loss, directions turned, so that a model is not
    judged by how hard the benchmarks are that it happens to have run. (Which models ran a
    benchmark still shows: one that only the strong have run flatters none of them.)

    The same models test in every split, so that losses differ by training models alone: each
    split draws `train_share` of the lower models, and the others are on no side.

    Parameters
    ----------
    table : ResultsTable
    train_share : float
        Share of the lower models that train or validate in each split; 1 draws all of them, and
        then splits differ by validation models only.
    weights : mapping of benchmark to weight, optional
        Of the mean score, as in the loss.
    **draw
        ``n_splits, test_size, validation_size, seed, groups`` of `shuffle_splits`. Models of equal
        mean score stay together; ``validation_size`` is a share of the drawn lower models; a lower
        model of a group that has a top model is on no side.

    Returns
    -------
    Splits

    Raises
    ------
    EeveeError
        If a model has no score that counts, a size is out of range, or too few models are left to
        train on.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": np.arange(10.0), "b": np.arange(10.0) ** 2})
    >>> splits = frontier_splits(ResultsTable.from_scores(frame), n_splits=3)
    >>> np.flatnonzero(splits.test[0]).tolist(), splits.fit.sum(axis=1).tolist()
    ([8, 9], [6, 6, 6])
    """
    drawn = Draw(**draw)
    centre = mean_of_known(table.oriented, axis=0)
    units = np.asarray(table.units, dtype=np.float64)
    standing = mean_scores(table.oriented, centre, units, loss_weights(table, weights))
    if np.isnan(standing).any():
        name = table.model_names[int(np.argmax(np.isnan(standing)))]
        raise EeveeError(
            f"model {name!r} has no score that counts: it has no place by mean score; drop it"
        )
    test = _top(standing, n_testing(table, drawn.test_size), "mean score")
    return _splits_below(test, group_labels(table, drawn.groups), drawn, train_share)


@shares_keywords(DrawSettings, Draw)
def time_splits(
    table: ResultsTable,
    *,
    by: str = "date",
    train_share: float = 0.8,
    **draw: Unpack[DrawSettings],
) -> Splits:
    """Train on earlier models, test on later ones.

    The same models test in every split: the latest. Each split draws `train_share` of the earlier
    ones, and the others are on no side. Models of one date stay on one side, so the test share is
    met as nearly as dates allow.

    Parameters
    ----------
    table : ResultsTable
    by : str
        The attribute of ``table.models`` that dates them: ISO dates (``2023-03-15``,
        ``2023-03``), years, or any numbers that grow with time.
    train_share : float
    **draw
        As in `frontier_splits`; an earlier model of a group that has a later model is on no side.

    Returns
    -------
    Splits

    Raises
    ------
    EeveeError
        If there is no such attribute, a model has no date or one that cannot be read, all dates
        are the same, or too few models are left to train on.

    Examples
    --------
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 3)), columns=list("abc"))
    >>> models = pd.DataFrame({"date": ["2021"] * 4 + ["2022-05-01"] * 4 + ["2023-11"] * 2})
    >>> splits = time_splits(ResultsTable.from_scores(frame, models=models), n_splits=2)
    >>> np.flatnonzero(splits.test[0]).tolist(), splits.fit.sum(axis=1).tolist()
    ([8, 9], [6, 6])
    """
    drawn = Draw(**draw)
    times = _times(table, by)
    test = _top(times, n_testing(table, drawn.test_size), by)
    return _splits_below(test, group_labels(table, drawn.groups), drawn, train_share)


def _top(values: FloatArray, n_test: int, what: str) -> BoolArray:
    """The models above one value, as near as possible to `n_test` of them."""
    lowest = np.unique(values)
    counts = len(values) - np.searchsorted(np.sort(values), lowest)
    allowed = (counts >= 2) & (counts <= len(values) - 2)
    if not allowed.any():
        raise EeveeError(
            f"too many models share one {what}: no value of it has two models on either side"
        )
    lowest, counts = lowest[allowed], counts[allowed]
    # From the top down, so that of two equally near counts the smaller one is taken.
    nearest = np.argmin(np.abs(counts[::-1] - n_test))
    return np.asarray(values >= lowest[::-1][nearest])


def _splits_below(test: BoolArray, labels: IntArray, drawn: Draw, train_share: float) -> Splits:
    """Draw the training and validation models of each split from those that never test."""
    if not 0 < train_share <= 1:
        raise EeveeError(f"train_share must lie above 0 and be at most 1, got {train_share}")
    lower = ~test & ~np.isin(labels, labels[test])
    wanted = round(train_share * lower.sum())
    rng = np.random.default_rng(drawn.seed)
    fits = []
    validations = []
    for _ in range(drawn.n_splits):
        fit = draw_models(labels, lower, wanted, least=2, most=int(lower.sum()), rng=rng)
        if fit is None:
            raise EeveeError(
                f"{lower.sum()} models are left to train on, and two are needed: the others test, "
                "or are in a group with one that does"
            )
        fits.append(fit)
        validations.append(draw_validation(labels, fit, drawn.validation_size, rng))
    fit, validation = np.stack(fits), np.stack(validations)
    return Splits(
        train=fit & ~validation, validation=validation, test=np.tile(test, (drawn.n_splits, 1))
    )


def _times(table: ResultsTable, by: str) -> FloatArray:
    """Ranks of the dates: read as ISO dates where all are, else as numbers."""
    text = attribute(table, by).astype("string").str.strip()
    undated = text.isna() | (text == "").fillna(True)
    if undated.any():
        raise EeveeError(
            f"{undated.sum()} models have no {by}, the first is {text.index[undated][0]!r}; "
            "fill them in, or leave these models out"
        )
    dates = pd.to_datetime(text, format="ISO8601", errors="coerce", utc=True)
    numbers = pd.to_numeric(text, errors="coerce")
    readings = [dates, numbers]
    for reading in readings:
        if reading.notna().all():
            return np.asarray(reading.rank(method="dense"), dtype=np.float64)
    unread = min((reading.isna() for reading in readings), key=lambda bad: int(bad.sum()))
    name = unread.index[unread][0]
    raise EeveeError(
        f"model {name!r}: {by} {text[name]!r} cannot be read; write 2023-03-15, 2023-03 or 2023"
    )
