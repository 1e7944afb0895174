"""`gap_pattern`: whether what was measured goes with how strong a model is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from eevee.base.arrays import BoolArray, FloatArray
from eevee.base.remembered import per_object
from eevee.completion.filling import Problem
from eevee.completion.reach import strengths, widened
from eevee.scorers.factor.transform import fit_space
from eevee.tables.results_table import ResultsTable

FALSE_SHARE = 0.05
"""Of the columns that are named, how many may be named by chance (Benjamini and Hochberg)."""
LEAST = 3
"""Models that a column must have, and lack, to be tested."""


@dataclass(frozen=True, eq=False)
class GapPattern:
    """How gaps go with strength.

    Attributes
    ----------
    columns : DataFrame indexed by column
        ``correlation`` (Spearman's, of being measured in it with the model's strength by its other
        columns), ``p`` (two-sided, Mann and Whitney's test), and whether it is ``biased``: p small
        enough that at most 5 % of such columns are so by chance. NaN where fewer than three
        models have the column, or lack it.
    correlation : float
        Spearman's, of how many scores a model has with its strength; NaN without gaps.
    p : float
        Of that.
    """

    columns: pd.DataFrame
    correlation: float
    p: float

    @property
    def sentence(self) -> str:
        """One line for people; empty where gaps do not go with strength."""
        biased = self.columns[self.columns["biased"]].sort_values("correlation", kind="stable")
        strong, weak = biased[biased["correlation"] > 0][::-1], biased[biased["correlation"] < 0]
        parts = [
            f"{len(part)} of {len(self.columns)} columns were measured mostly on {kind} models "
            f"(correlation {part['correlation'].iloc[0]:+.2f} in {part.index[0]})"
            for kind, part in (("strong", strong), ("weak", weak))
            if len(part)
        ]
        if self.p < FALSE_SHARE:
            parts.append(
                f"models with more scores are {'stronger' if self.correlation > 0 else 'weaker'} "
                f"(rank correlation {self.correlation:+.2f}, p = {self.p:.2g})"
            )
        return f"gaps go with strength: {'; '.join(parts)}" if parts else ""


@per_object
def gap_pattern(table: ResultsTable | pd.DataFrame) -> GapPattern:
    """Test whether the models that were measured in a column are stronger or weaker than others.

    Parameters
    ----------
    table : ResultsTable or DataFrame, shape (n_models, n_columns)

    Returns
    -------
    GapPattern

    Raises
    ------
    EeveeError
        If a score is infinite or no number.

    Notes
    -----
    Benjamini and Hochberg (1995), "Controlling the false discovery rate".

    Examples
    --------
    >>> skill = np.linspace(-2, 2, 40)
    >>> frame = pd.DataFrame(np.add.outer(skill, np.zeros(4)), columns=list("abcd"))
    >>> frame.loc[:29, "d"] = np.nan
    >>> found = gap_pattern(frame)
    >>> bool(found.columns.loc["d", "biased"]), found.columns["correlation"].round(2).tolist()[3]
    (True, 0.75)
    """
    frame = table.scores if isinstance(table, ResultsTable) else table
    varied = (frame.max() > frame.min()).any()
    if frame.notna().to_numpy().all() or not varied:
        nothing = pd.DataFrame({"correlation": np.nan, "p": np.nan, "biased": False}, frame.columns)
        return GapPattern(nothing, np.nan, np.nan)
    problem = Problem.of(table)
    seen = problem.seen
    space = fit_space(problem.scores, seen, problem.units, logit=False, bounds=problem.bounds)
    space = widened(space, problem.scores, seen)
    values = np.where(seen, space.standardise(problem.scores), 0.0)
    heard = seen.sum(axis=1)[:, None] - seen > 0
    strength = strengths(values, seen)
    tested = [_test(seen[h, j], strength[h, j]) for j, h in enumerate(heard.T)]
    columns = pd.DataFrame(tested, frame.columns, ["correlation", "p"])
    known = columns["p"].notna()
    columns["biased"] = False
    if known.any():
        adjusted = stats.false_discovery_control(columns.loc[known, "p"])
        columns.loc[known, "biased"] = adjusted <= FALSE_SHARE
    return GapPattern(columns, *_overall(values, seen))


def _test(measured: BoolArray, strength: FloatArray) -> tuple[float, float]:
    """Spearman's correlation of having a score with strength, and the p of Mann and Whitney."""
    if min(measured.sum(), (~measured).sum()) < LEAST or np.ptp(strength) == 0:
        return np.nan, np.nan
    p = stats.mannwhitneyu(strength[measured], strength[~measured]).pvalue
    return float(stats.spearmanr(measured, strength).statistic), float(p)


def _overall(values: FloatArray, seen: BoolArray) -> tuple[float, float]:
    """Spearman's correlation of how many scores a model has with its strength, and its p."""
    count = seen.sum(axis=1)
    mean = values.sum(axis=1)[count > 0] / (count[count > 0] + 1.0)
    if len(mean) < 2 * LEAST or np.ptp(count[count > 0]) == 0 or np.ptp(mean) == 0:
        return np.nan, np.nan
    found = stats.spearmanr(count[count > 0], mean)
    return float(found.statistic), float(found.pvalue)
