"""`impute`: predictions for the cells that nobody measured, with intervals and their basis."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import BoolArray
from eevee.base.files import replacing
from eevee.base.seeds import child_seed
from eevee.completion.beliefs import Beliefs
from eevee.completion.calibration import MIN_SCORES, Calibration, calibrate
from eevee.completion.filling import Filling, Problem, Recipe, Tell, choose, fill, signs, silent
from eevee.completion.gains import Gains, beliefs_of, measure
from eevee.scorers.factor.scorer import checked_seed
from eevee.stats.jackknife import check_level, models_needed
from eevee.tables.results_table import NO_COSTS, ResultsTable

FARTHER = "that the column was measured on, by more than could be tested"
LARGE = 50_000
"""Cells from which on a completion takes more than seconds."""
SUFFIXES = ("predicted", "lower", "upper")


@dataclass(frozen=True, eq=False)
class Completion:
    """A table without gaps, how it was filled, and how far that can be trusted.

    Attributes
    ----------
    scores : DataFrame, shape (n_models, n_columns)
        Measured scores as they were; predictions in the gaps; NaN only in a column without a
        single score.
    predicted : DataFrame of bool, same shape
        Which cells are predictions.
    lower, upper : DataFrame, same shape
        Ends of the interval of each prediction, NaN where it has none; of zero width where
        measured.
    basis : DataFrame, one row per prediction
        ``model, column, predicted, lower, upper``, ``n_scores`` (measured scores of the model),
        ``n_models`` (models with a score in the column), ``rests_on`` (up to five pairs of the
        columns that the regressions listened to and their shares, which sum to 1; the
        regressions are half of the prediction, less the farther the model is outside those measured
        in the column, and the factor model, which hears all `n_scores`, the rest; none: the factor
        model alone) and ``why`` there is no interval (empty if there is one).
    logit : bool
        Whether percentages were logit-scaled.
    rank : int
        Factors of the factor model.
    penalty : float
        Of its factors.
    level : float
        Of the intervals.
    beliefs : Beliefs
        What the factor model holds of a model with some of the scores, for `next_benchmark`.
    gains : Gains
        How far off each cell is expected to be, and what came true of such promises.
    columns : DataFrame indexed by column
        ``benchmark`` and whether it is a ``target`` (no proxy).
    costs : Series indexed by benchmark
    cost_unit : str
    """

    scores: pd.DataFrame
    predicted: pd.DataFrame
    lower: pd.DataFrame
    upper: pd.DataFrame
    basis: pd.DataFrame
    logit: bool
    rank: int
    penalty: float
    level: float
    beliefs: Beliefs
    gains: Gains
    columns: pd.DataFrame
    costs: pd.Series[float]
    cost_unit: str

    @property
    def is_target(self) -> BoolArray:
        """For each column, whether it is to be filled (no proxy)."""
        return self.columns["target"].to_numpy(np.bool_)

    @property
    def by_column(self) -> pd.DataFrame:
        """How well each column could be filled.

        Returns
        -------
        DataFrame, one row per column to be filled
            ``column, measured, filled, no_interval`` (of those) and ``width``: the median one of
            the intervals, in standard deviations of the measured scores. At a level of 90 %, a
            width of 3.3 is what normal scores have that nothing tells anything about.
        """
        filled = self.predicted.to_numpy()[:, self.is_target]
        width = (self.upper - self.lower).where(self.predicted).loc[:, self.is_target]
        measured = self.scores.where(~self.predicted).loc[:, self.is_target]
        spread = measured.std(ddof=0)
        return pd.DataFrame(
            {
                "column": measured.columns,
                "measured": measured.notna().sum().to_numpy(),
                "filled": filled.sum(axis=0),
                "no_interval": (filled & width.isna().to_numpy()).sum(axis=0),
                "width": (width.median() / spread.where(spread > 0)).to_numpy(),
            }
        )

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the completed table, wide: measured scores in full, predictions with 6 digits.

        Without proxies: a wide table does not say which columns these are.

        Raises
        ------
        EeveeError
            If the file cannot be written.
        """
        rounded = self.scores.map(lambda value: float(f"{value:.6g}"))
        full = self.scores.where(~self.predicted, rounded).loc[:, self.is_target]
        with replacing(Path(path)) as temporary:
            full.rename_axis("model").to_csv(temporary, lineterminator="\n")

    def write_mask(self, path: str | os.PathLike[str]) -> None:
        """Write a table like that of `write_csv`, with a 1 where a cell is a prediction.

        Raises
        ------
        EeveeError
            If the file cannot be written.
        """
        mask = self.predicted.loc[:, self.is_target].astype(int)
        with replacing(Path(path)) as temporary:
            mask.rename_axis("model").to_csv(temporary, lineterminator="\n")


def impute(
    table: ResultsTable | pd.DataFrame,
    *,
    level: float = 0.9,
    seed: int = 0,
    tell: Tell = silent,
) -> Completion:
    """Fill the gaps of a sparse table.

    Each filled cell has an interval, or a reason why there is none (`Completion.basis`).

    Parameters
    ----------
    table : ResultsTable or DataFrame, shape (n_models, n_columns)
        NaN in gaps. The columns of a bare frame must point the same way; `eevee.read_table` turns
        those of a table by their directions.
    level : float
        Of the intervals, in [0.5, 1).
    seed : int
        Of the folds of cells, not negative.
    tell : callable
        Called with what is done next, in words, and changes nothing.

    Returns
    -------
    Completion

    Raises
    ------
    EeveeError
        If no column has two different scores, a score is infinite or no number, or the level or
        the seed is out of range.

    Notes
    -----
    ``docs/methods.md``, section "Completion", says how cells are predicted, which columns are held
    within bounds and how intervals are set.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> logits = np.add.outer(np.linspace(-2, 2, 20), np.linspace(-1, 1, 6))
    >>> truth = pd.DataFrame(100 / (1 + np.exp(-logits)), columns=list("abcdef"))
    >>> gaps = np.random.default_rng(0).random(truth.shape) < 0.3
    >>> filled = impute(truth.mask(gaps))
    >>> bool(filled.predicted.to_numpy().sum() == gaps.sum())
    True
    >>> float(np.abs(filled.scores - truth).to_numpy().max()) < 5
    True
    >>> inside = (filled.lower <= truth) & (truth <= filled.upper)
    >>> bool(inside.to_numpy()[gaps].mean() > 0.8)
    True
    >>> filled.basis.loc[0, ["n_scores", "n_models"]].tolist()
    [3, 16]
    """
    level, seed = check_level(level), checked_seed(seed)
    problem, sign = Problem.of(table), signs(table)
    with threadpool_limits(1, "blas"):  # its threads only get in each other's way here
        recipe, calibration, gains = learn(problem, level, seed, tell)
        filling = fill(problem, problem.seen, recipe)
    frame = table.scores if isinstance(table, ResultsTable) else table
    fillable = ~problem.seen & problem.seen.any(axis=0) & problem.targets
    measured = problem.scores * sign
    ends = np.sort([end * sign for end in calibration.ends(filling)], axis=0)
    why = _reasons(filling, calibration, level)
    ends[:, fillable & (why != "")] = np.nan
    scores, lower, upper = (
        pd.DataFrame(np.where(fillable, cells, measured), frame.index, frame.columns)
        for cells in (filling.scores * sign, *ends)
    )
    return Completion(
        scores=scores,
        predicted=pd.DataFrame(fillable, frame.index, frame.columns),
        lower=lower,
        upper=upper,
        basis=_basis((scores, lower, upper), fillable, filling, why),
        logit=recipe.logit,
        rank=recipe.rank,
        penalty=recipe.penalty,
        level=level,
        beliefs=beliefs_of(filling, calibration),
        gains=gains,
        columns=columns_of(table),
        costs=costs_of(table),
        cost_unit=table.cost_unit if isinstance(table, ResultsTable) else NO_COSTS,
    )


def learn(
    problem: Problem, level: float, seed: int, tell: Tell = silent
) -> tuple[Recipe, Calibration, Gains]:
    """Choose the factor model; measure its errors, and what another score takes away of them."""
    recipe = choose(problem, np.random.default_rng(seed), tell)
    tell("hiding measured cells, for the intervals")
    hiding = np.random.default_rng(child_seed(seed, 1))
    calibration = calibrate(problem, recipe, level, hiding)
    tell("showing hidden cells again, for what to run next")
    trying = np.random.default_rng(child_seed(seed, 2))
    filling = fill(problem, problem.seen, recipe)
    return recipe, calibration, measure(problem, recipe, filling, calibration, trying)


def is_large(table: ResultsTable) -> bool:
    """Whether completing a table takes so long that people want to know how far it is."""
    return table.n_models * table.n_columns > LARGE


def _reasons(filling: Filling, calibration: Calibration, level: float) -> npt.NDArray[np.object_]:
    """Why each cell cannot have an interval, in words; empty where it can."""
    seen, outside = filling.seen, filling.reach.outside
    per_column = seen.sum(axis=0)
    why = np.full(seen.shape, "", dtype=object)
    untested = calibration.far.untested(outside)
    why[untested & (outside < 0)] = f"the model is weaker than all {FARTHER}"
    why[untested & (outside > 0)] = f"the model is stronger than all {FARTHER}"
    for column in np.flatnonzero(per_column < MIN_SCORES):
        why[:, column] = f"{_models(per_column[column])} in the column, {MIN_SCORES} are needed"
    why[~seen.any(axis=1)] = "the model has no score"
    if np.isnan(calibration.quantile):
        why[:] = (
            f"too few scores in the table to hide some: {100 * level:g} % need "
            f"{models_needed(level)} in columns of at least {MIN_SCORES}"
        )
    return why


def _models(count: int) -> str:
    return f"only {count} score{'s' if count > 1 else ''}"


def _basis(
    cells: tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame],
    fillable: BoolArray,
    filling: Filling,
    why: npt.NDArray[np.object_],
) -> pd.DataFrame:
    rows, columns = np.nonzero(fillable)
    names, seen = cells[0].columns.to_numpy(), filling.seen
    heard = zip(
        names[filling.neighbours.columns[rows, columns]],
        filling.neighbours.weights[rows, columns].tolist(),
        strict=True,
    )
    return pd.DataFrame(
        {
            "model": cells[0].index.to_numpy()[rows],
            "column": names[columns],
            **{
                name: frame.to_numpy()[rows, columns]
                for name, frame in zip(SUFFIXES, cells, strict=True)
            },
            "n_scores": seen.sum(axis=1)[rows],
            "n_models": seen.sum(axis=0)[columns],
            "rests_on": [
                tuple((name, share) for name, share in zip(*pair, strict=True) if share > 0)
                for pair in heard
            ],
            "why": why[rows, columns],
        }
    )


def columns_of(table: ResultsTable | pd.DataFrame) -> pd.DataFrame:
    """Return `Completion.columns` of a table."""
    if isinstance(table, ResultsTable):
        return pd.DataFrame({"benchmark": table.columns["benchmark"], "target": table.is_target})
    return pd.DataFrame({"benchmark": table.columns, "target": True}, index=table.columns)


def costs_of(table: ResultsTable | pd.DataFrame) -> pd.Series[float]:
    """Return `Completion.costs` of a table."""
    if isinstance(table, ResultsTable):
        return pd.Series(table.costs)
    return pd.Series(1.0, index=table.columns)
