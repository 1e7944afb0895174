"""`Bounds`: between which ends the scores of a column must lie, such as 0 and 100."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray
from eevee.base.errors import EeveeError
from eevee.tables.column_names import LONE_METRIC, guess_direction, words_of
from eevee.tables.results_table import ResultsTable

PERCENTAGE_WORDS = frozenset("percent percentage pct rate err ece brier".split())  # noqa: SIM905
"""In the name of a lower-is-better column, what tells a percentage from seconds or perplexity."""
QUANTITY_WORDS = frozenset(
    "token tokens tps qps fps rps throughput speed second seconds sec secs ms minutes hours "  # noqa: SIM905
    "latency elo rating psnr db perplexity ppl flops gflops tflops mb gb bytes joules watts".split()
)
"""In the name of any column, what tells a quantity without an upper end from a percentage."""
GUESSED = "guessed"
"""In ``table.columns["bounds"]``: nothing was said, so that `column_bounds` guesses."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Ends of each column, in the table's own numbers; infinite where it has none.

    Attributes
    ----------
    low, high : shape (n_columns,)

    Examples
    --------
    >>> bounds = Bounds(np.array([0.0, -np.inf]), np.array([100.0, np.inf]))
    >>> bounds.clip(np.array([[115.7, 115.7], [np.nan, -3.0]])).tolist()
    [[100.0, 115.7], [nan, -3.0]]
    >>> bounds.turned(np.array([-1.0, 1.0])).low.tolist()
    [-100.0, -inf]
    """

    low: FloatArray
    high: FloatArray

    @property
    def bounded(self) -> BoolArray:
        """Columns that have ends, (n_columns,)."""
        return np.isfinite(self.low)

    def at(self, columns: BoolArray) -> Bounds:
        """Return the ends of some columns, given as a mask (n_columns,)."""
        return Bounds(self.low[columns], self.high[columns])

    def clip(self, scores: FloatArray) -> FloatArray:
        """Keep scores (..., n_columns) between the ends of their columns; gaps stay NaN."""
        return np.clip(scores, self.low, self.high)

    def turned(self, signs: FloatArray) -> Bounds:
        """Return the ends of the same columns multiplied by 1 or -1, (n_columns,)."""
        ends = np.sort([self.low * signs, self.high * signs], axis=0)
        return Bounds(*ends)


def column_bounds(table: ResultsTable | pd.DataFrame) -> Bounds:
    """Return the ends of every column: those of a benchmarks file, or a guess.

    The guess goes by measured scores and names. A column whose measured scores lie between 0 and 1
    is a share, else between 0 and 100 a percentage (negated: between -1 or -100 and 0). A column
    whose name says that lower is better or that it is a quantity ("tokens_per_second", "elo"), or
    that is negative once directions are turned, is one only if its name says so ("error rate",
    "top1_err", "ece", "%"): seconds and perplexities are never held below 100.

    Parameters
    ----------
    table : ResultsTable or DataFrame, shape (n_models, n_columns)
        NaN where not measured.

    Returns
    -------
    Bounds

    Examples
    --------
    >>> frame = pd.DataFrame({"acc": [91.2, 40.0], "f1": [0.5, 0.9], "seconds": [3.0, 80.0]})
    >>> bounds = column_bounds(frame)
    >>> bounds.low.tolist(), bounds.high.tolist()
    ([0.0, 0.0, -inf], [100.0, 1.0, inf])
    """
    frame = table.scores if isinstance(table, ResultsTable) else table
    scores = frame.astype(np.float64).to_numpy()
    low, width = scale_of(scores, np.isfinite(scores))
    doubtful = _named_lower(table) | (np.fmin.reduce(scores * _signs(table), axis=0) < 0)
    doubtful |= _named(table, QUANTITY_WORDS)
    bounded = np.isfinite(width) & (~doubtful | _named(table, PERCENTAGE_WORDS, "%"))
    ends = np.where(bounded, [low, low + width], [[-np.inf], [np.inf]])
    for place, said in _said(table).items():
        ends[:, place] = parse_bounds(said, "bounds")
    return Bounds(*ends)


def scale_of(scores: FloatArray, seen: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Lower end and width of the scale that the seen scores of each column look like.

    0 to 1 or 0 to 100, or -1 or -100 to 0; any other column has width NaN. A column of percentages
    that are all at most 1 is taken for one of shares, and any column between 0 and 100 for
    percentages.

    Parameters
    ----------
    scores, seen : shape (n_models, n_columns)
    """
    largest = np.where(seen, scores, -np.inf).max(axis=0, initial=-np.inf)
    smallest = np.where(seen, scores, np.inf).min(axis=0, initial=np.inf)
    size = np.maximum(largest, -smallest)
    one_sided = (smallest >= 0) | (largest <= 0)
    width = np.where(size <= 1, 1.0, np.where(size <= 100, 100.0, np.nan))
    width = np.where(one_sided & seen.any(axis=0), width, np.nan)
    return np.where(np.isfinite(width) & (smallest < 0), -width, 0.0), width


def _signs(table: ResultsTable | pd.DataFrame) -> FloatArray:
    if not isinstance(table, ResultsTable):
        return np.ones(table.shape[1])
    return np.where(table.columns["direction"] == "higher", 1.0, -1.0)


def _named_lower(table: ResultsTable | pd.DataFrame) -> BoolArray:
    """For each column, whether its name says that lower is better, whatever its sign."""
    if isinstance(table, ResultsTable):
        pairs = [(str(name), str(metric)) for name, metric in table.columns["metric"].items()]
    else:
        pairs = [(str(name), LONE_METRIC) for name in table.columns]
    return np.array([guess_direction(*pair) == "lower" for pair in pairs], dtype=np.bool_)


def _said(table: ResultsTable | pd.DataFrame) -> dict[int, str]:
    """Bounds that were given, by the place of the column."""
    if not isinstance(table, ResultsTable) or "bounds" not in table.columns:
        return {}
    return {j: said for j, said in enumerate(table.columns["bounds"]) if said != GUESSED}


def _named(
    table: ResultsTable | pd.DataFrame, words: frozenset[str], sign: str | None = None
) -> BoolArray:
    """For each column, whether its name holds one of some words, or a sign."""
    if isinstance(table, ResultsTable):
        names = [f"{name} {metric}" for name, metric in table.columns["metric"].items()]
    else:
        names = [str(name) for name in table.columns]
    return np.array(
        [(sign or "\0") in name or not words.isdisjoint(words_of(name)) for name in names],
        dtype=np.bool_,
    )


_NUMBER = r"[-+\u2212]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?%?"
_LONG = 80
_PAIR = re.compile(rf"[\[(]?\s*({_NUMBER})\s*(?:to|\.\.\.?|[-,;:\u2013])\s*({_NUMBER})\s*[\])]?")


def parse_bounds(said: str, where: str) -> tuple[float, float]:
    """Read the ends of a column: "0 to 100", "0-1", "-1, 1", "0 to 100 %", or "none".

    Parameters
    ----------
    said : str
    where : str
        Names the cell in an error.

    Examples
    --------
    >>> parse_bounds("0-100", ""), parse_bounds("[-1, 1]", ""), parse_bounds("none", "")
    ((0.0, 100.0), (-1.0, 1.0), (-inf, inf))
    """
    plain = said.strip().casefold()
    if plain == "none":
        return -math.inf, math.inf
    match = _PAIR.fullmatch(" ".join(plain.replace(" %", "%").split())[:_LONG])
    low, high = map(_number, match.groups()) if match else (0.0, 0.0)
    if low >= high:
        raise EeveeError(f"{where}: {said!r} are no bounds; write such as '0 to 100', or 'none'")
    return low, high


def bounds_in_words(low: float, high: float) -> str:
    """Write ends as `parse_bounds` reads them.

    Examples
    --------
    >>> bounds_in_words(0.0, 100.0), bounds_in_words(-math.inf, math.inf)
    ('0 to 100', 'none')
    """
    return f"{low:.17g} to {high:.17g}" if math.isfinite(low) else "none"


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-").rstrip("%"))
