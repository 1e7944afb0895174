"""`Standing`: how a method did on held-out models, in all its measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from eevee.assessment.folds import MEAN_PREDICTOR, Fold, spread_out
from eevee.assessment.judge import squared_errors
from eevee.base.arrays import FloatArray, Subset
from eevee.scorers.loss import TARGETS, Targets, pooled_r2
from eevee.stats.metrics import (
    GAPS,
    mae,
    mean_of_known,
    pairwise_accuracy,
    ranking_agreement,
    regret,
)
from eevee.stats.overlap import jaccard, kuncheva
from eevee.tables.averages import LossWeights, averaged, loss_weights, mean_scores
from eevee.tables.results_table import ResultsTable

R2: dict[str, Targets] = {"r2": "all", "r2_unseen": "unseen"}
MEASURES = ("r2", "r2_unseen", "spearman", "kendall", "regret")


@dataclass(frozen=True, eq=False)
class Standing:
    """One method over all outer splits.

    Attributes
    ----------
    errors : mapping of targets to array, shape (n_models,)
        Each model's error, a mean over the splits that held it out.
    losses : mapping of targets to array, shape (n_splits,)
        Loss of each outer split.
    subsets : list of subsets, one per outer split
    measures : mapping of str to float
        `MEASURES`, each a mean over rounds.
    mae : array, shape (n_columns,)
        In each column's own measure, over the splits whose subset did not hold it; of predictions
        between the bounds of the column.
    pairwise : DataFrame
        ``low, high, pairs, accuracy`` by true gap, over all rounds.
    """

    errors: Mapping[Targets, FloatArray]
    losses: Mapping[Targets, FloatArray]
    subsets: Sequence[Subset]
    measures: Mapping[str, float]
    mae: FloatArray
    pairwise: pd.DataFrame


def standing(
    table: ResultsTable,
    folds: list[Fold],
    name: str,
    rounds: list[list[int]],
    weights: Mapping[str, float] | None,
) -> Standing:
    """Measure one method.

    A model's error is the loss with that model as the only test model: squared errors in units,
    averaged over columns, benchmarks and tasks that it has a score in. On a complete table the
    mean over the models of a split is the loss of that split.

    Mean scores (of the ranking, the pairs and the regret) are those that a user would see: what
    was measured as measured, the rest predicted by a meta-model for unseen targets and, as in
    `eevee.Predictor`, between the bounds of the column. The loss, the errors and R2 are of
    predictions without bounds, which is what meta-models are fitted and searches made by.
    """
    true = table.scores.to_numpy(np.float64)
    predicted = {targets: spread_out(folds, name, targets, rounds) for targets in TARGETS}
    average = loss_weights(table, weights)
    errors = {
        targets: mean_of_known(averaged(squared_errors(values, true, table), average), axis=0)
        for targets, values in predicted.items()
    }
    blind = name == MEAN_PREDICTOR
    unseen = spread_out(folds, name, "unseen", rounds, clipped=True)
    shown = _shown(folds, unseen, predicted["all"], rounds, true)
    scores = [_mean_scores(table, *pair, average, blind) for pair in shown]
    return Standing(
        errors=errors,
        losses={t: np.array([fold.judged[name].losses[t] for fold in folds]) for t in TARGETS},
        subsets=[fold.judged[name].subset for fold in folds],
        measures=_measures(table, predicted, scores, average),
        mae=_mae(unseen, true),
        pairwise=_pairwise(scores),
    )


def together(standings: Sequence[Standing]) -> Standing:
    """Return the mean of several standings, as of random subsets."""
    return Standing(
        errors={t: _mean([s.errors[t] for s in standings]) for t in TARGETS},
        losses={t: _mean([s.losses[t] for s in standings]) for t in TARGETS},
        subsets=[subset for s in standings for subset in s.subsets],
        measures={n: float(_mean([s.measures[n] for s in standings])) for n in MEASURES},
        mae=_mean([s.mae for s in standings]),
        pairwise=_pooled([s.pairwise for s in standings], per=len(standings)),
    )


def _mean(values: Sequence[npt.ArrayLike]) -> FloatArray:
    """The mean of what is known: on sparse tables a subset may leave a model nothing unseen."""
    return mean_of_known(np.asarray(values, dtype=np.float64), axis=0)


def overlap(subsets: Sequence[Subset], n_benchmarks: int) -> tuple[float, float]:
    """Mean Jaccard and Kuncheva index over all pairs of subsets; NaN without a pair.

    Examples
    --------
    >>> jaccard_index, kuncheva_index = overlap([("a", "b"), ("a", "c")], 4)
    >>> round(jaccard_index, 3), kuncheva_index
    (0.333, 0.0)
    """
    pairs = list(combinations(subsets, 2))
    if not pairs:
        return float("nan"), float("nan")
    beyond = [kuncheva(a, b, n_benchmarks) for a, b in pairs]
    return float(np.mean([jaccard(a, b) for a, b in pairs])), float(np.mean(beyond))


def _shown(
    folds: list[Fold],
    unseen: FloatArray,
    every: FloatArray,
    rounds: list[list[int]],
    true: FloatArray,
) -> list[tuple[FloatArray, FloatArray]]:
    """What a user would see of each round, and the truth: only models that it holds out."""
    pairs = []
    for members, values, whole in zip(rounds, unseen, every, strict=True):
        out = np.stack([folds[number].held_out for number in members]).any(axis=0)
        # A column with too few scores to fit on counts neither as predicted nor as measured.
        truth = np.where(np.isfinite(whole[out]), true[out], np.nan)
        seen = np.where(np.isfinite(values[out]), values[out], truth)
        pairs.append((np.where(np.isfinite(truth), seen, np.nan), truth))
    return pairs


def _mean_scores(
    table: ResultsTable, seen: FloatArray, truth: FloatArray, average: LossWeights, blind: bool
) -> tuple[FloatArray, FloatArray]:
    """Mean score of each held-out model, as seen and true, in units above the mean model."""
    signs = np.where(table.columns["direction"] == "higher", 1.0, -1.0)
    centre = np.nan_to_num(mean_of_known(table.oriented, axis=0))
    units = np.asarray(table.units, dtype=np.float64)
    real = mean_scores(truth * signs, centre, units, average)
    # Means of the training models differ from fold to fold, and would seem to rank the folds.
    guess = np.zeros_like(real) if blind else mean_scores(seen * signs, centre, units, average)
    return guess, real


def _measures(
    table: ResultsTable,
    predicted: Mapping[Targets, FloatArray],
    scores: list[tuple[FloatArray, FloatArray]],
    average: LossWeights,
) -> dict[str, float]:
    true = table.scores.to_numpy(np.float64)
    units = np.asarray(table.units, dtype=np.float64)
    agreements = [ranking_agreement(*pair) for pair in scores]
    by_round = {
        **{
            name: [pooled_r2(*_both(one, true), units, average) for one in predicted[targets]]
            for name, targets in R2.items()
        },
        "spearman": [agreement.spearman for agreement in agreements],
        "kendall": [agreement.kendall for agreement in agreements],
        "regret": [regret(*pair) for pair in scores],
    }
    return {name: float(np.mean(values)) for name, values in by_round.items()}


def _both(predicted: FloatArray, true: FloatArray) -> tuple[FloatArray, FloatArray]:
    there = np.isfinite(predicted) & np.isfinite(true)
    return np.where(there, predicted, np.nan), np.where(there, true, np.nan)


def _mae(predicted: FloatArray, true: FloatArray) -> FloatArray:
    n_columns = true.shape[1]
    repeated = np.broadcast_to(true, predicted.shape)
    return mae(*_both(predicted.reshape(-1, n_columns), repeated.reshape(-1, n_columns)))


def _pairwise(scores: list[tuple[FloatArray, FloatArray]]) -> pd.DataFrame:
    return _pooled([pairwise_accuracy(*pair, GAPS) for pair in scores])


def _pooled(frames: Sequence[pd.DataFrame], per: int = 1) -> pd.DataFrame:
    """Share of right pairs over several frames; pairs are counted once for each `per` frames."""
    pairs = np.sum([frame["pairs"] for frame in frames], axis=0)
    hits = np.sum([(frame["accuracy"] * frame["pairs"]).fillna(0.0) for frame in frames], axis=0)
    with np.errstate(invalid="ignore"):
        return frames[0][["low", "high"]].assign(pairs=pairs // per, accuracy=hits / pairs)
