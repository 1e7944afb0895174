"""Numbers that look wrong: two scales in a column, slips by 100, stand-ins for missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata

from eevee.base.arrays import BoolArray, FloatArray
from eevee.base.errors import EeveeError
from eevee.readers.cells import is_missing
from eevee.readers.fits import rank_correlation
from eevee.readers.grid import Grid
from eevee.readers.measured import Measured
from eevee.readers.overrides import matches
from eevee.readers.scales import other_scale
from eevee.readers.stand_ins import ALL, StandIn, stand_ins
from eevee.tables.column_names import guess_direction
from eevee.tables.results_table import Note

_LEAST = 8
"""Models that a column needs before its numbers can look wrong."""
_AGAINST = -0.5
_GAP = 10.0
"""How many times larger the large scores must be: a hard benchmark has small ones, too."""
_SHARES = 0.7
_SLIPS, _CLEAR = 2, 0.1
_HALF = 0.2
"""Share of each scale from which two scales in one column are an error."""


def check_commas(grid: Grid, j: int) -> None:
    """Refuse "68,937" beside "100" where the comma must be a decimal one.

    Raises
    ------
    EeveeError
        Where cells with a comma are numbers like the others only if it stands before decimals.
    """
    cells = grid.column(j)
    comma = [i for i, cell in enumerate(cells) if "," in cell and not grid.decimal_comma]
    if not comma:
        return
    values = grid.numbers(j)
    plain = [v for i, v in enumerate(values) if i not in comma and not is_missing(cells[i])]
    plain = [abs(v) for v in plain if v == v and v != 0]  # noqa: PLR0124
    there = np.abs(values[comma])
    if not plain or not len(there):
        return
    if there.min() > 20 * max(plain) and there.max() / 1000 <= 3 * max(plain):
        i = comma[0]
        raise grid.error(
            i, j, f"{cells[i]!r} is {values[i]:g}, or {values[i] / 1000:g} with a decimal comma "
            "like the numbers beside it; write it with a decimal point, or without the comma"
        )  # fmt: skip


def note_doubts(measured: Measured, trusted: Collection[str] = ()) -> Measured:
    """Note numbers that look wrong; refuse columns and models in two scales. Proxies may be any.

    Parameters
    ----------
    measured : Measured
    trusted : collection of str
        Names or patterns of columns that the user calls scores: none of them is refused.

    Raises
    ------
    EeveeError
        If a part of a column, or of the models, lies in 0 to 1 and the rest in 0 to 100, and one
        scale fits better.
    """
    values = measured.targets.to_numpy(np.float64)
    names = [str(name) for name in measured.targets.columns]
    lower = np.array([guess_direction(name, "score") == "lower" for name in names], dtype=bool)
    sure = np.array([matches(name, trusted) for name in names], dtype=bool)
    _check_models(measured, values[:, ~(lower | sure)])
    shares = _are_shares(values)
    rests = _rests(_standing(values))
    found: dict[str, list[StandIn]] = {}
    slips = []
    for j, name in enumerate(names):
        column = values[:, j]
        if (~np.isnan(column)).sum() < _LEAST:
            continue
        slip = _slips(column, rests[:, j], bool(lower[j]))
        if slip is not None:
            slips.append(_note_slips(measured, name, *slip, trusted=bool(sure[j])))
            column = np.where(slip[0], np.nan, column)
        found[name] = list(stand_ins(column, rests[:, j], bool(lower[j]) or not shares))
    return measured.noted(*_note_stand_ins(measured, found), *slips)


def _are_shares(values: FloatArray) -> bool:
    """Tell whether nearly all columns lie in 0 to 100: not so of times, where large ones happen."""
    tops = [np.quantile(column[~np.isnan(column)], 0.9) for column in values.T]
    return bool(np.mean(np.array(tops) <= 100) >= _SHARES)


def _check_models(measured: Measured, values: FloatArray) -> None:
    """Refuse models that are in another scale than the others."""
    found = other_scale(values)
    if found is None:
        return
    rows, fractions, count = found
    own, other = ("0 to 1", "0 to 100") if fractions else ("0 to 100", "0 to 1")
    who = _who(measured.scores.index, rows)
    several = rows.sum() > 1
    raise EeveeError(
        f"{measured.source}: {'models' if several else 'model'} {who} {'are' if several else 'is'} "
        f"in {own}, the others in {other} ({count} columns); write one scale, or leave "
        f"{'them' if several else 'it'} out (--drop-models); if it is right, say --column "
        "NAME=score of the columns"
    )


def _note_slips(
    measured: Measured, name: str, rows: BoolArray, small: bool, *, trusted: bool
) -> Note:
    """Return the note on scores 100 times off; refuse many of them."""
    seen = measured.scores[name].notna().to_numpy()
    factor = "100 times smaller" if small else "100 times larger"
    who = _who(measured.scores.index, rows)
    fewer = min(rows.sum(), (seen & ~rows).sum())
    if fewer >= max(3, _HALF * seen.sum()) and not trusted:
        raise EeveeError(
            f"{measured.source}: column {name!r} is in two scales: {int(rows.sum())} of "
            f"{int(seen.sum())} scores are {factor} than the others ({who}); "
            f"write one scale (or, if it is right, --column {name!r}=score)"
        )
    return Note("guessed", "column", name, f"is {factor} than the others for {who}: a slip of the "
                "scale?")  # fmt: skip


def _note_stand_ins(measured: Measured, found: Mapping[str, Sequence[StandIn]]) -> list[Note]:
    """Note what may mean missing: by model where one has it nearly everywhere, else by column."""
    models = measured.scores.index
    counts: Counter[tuple[int, float]] = Counter(
        (int(i), one.value) for ones in found.values() for one in ones
        for i in np.flatnonzero(one.rows)
    )  # fmt: skip
    total = measured.targets.notna().sum(axis=1).to_numpy()
    whole = {key for key, count in counts.items() if count >= max(3, total[key[0]] / 2)}
    notes = []
    for i, value in sorted(whole):
        why = (
            f"is {value:.12g} in {counts[i, value]} of {total[i]} columns, far from all others: if "
            f"that means missing, leave it out (--drop-models) or say --missing {value:.12g}"
        )
        notes.append(Note("guessed", "model", str(models[i]), why))
    for name, ones in found.items():
        for one in ones:
            rows = one.rows.copy()
            rows[[i for i, value in whole if value == one.value]] = False
            if not rows.any():
                continue
            said = f"{one.value:.12g}" if one.far == ALL else f"'{name}={one.value:.12g}'"
            why = (
                f"is {one.value:.12g} for {_who(models, rows)}, far from {one.far}: if that means "
                f"missing, say --missing {said}"
            )
            notes.append(Note("guessed", "column", name, why))
    return notes


def against_the_rest(scores: pd.DataFrame, signs: FloatArray) -> pd.Series[float]:
    """Return columns that order the models against all others, with their rank correlation.

    Parameters
    ----------
    scores : DataFrame, shape (n_models, n_columns)
    signs : shape (n_columns,)
        1 where higher is better, else -1.

    Examples
    --------
    >>> skill = np.arange(12.0)
    >>> frame = pd.DataFrame({"a": skill, "b": skill ** 2, "c": -skill, "d": skill + 1})
    >>> against_the_rest(frame, np.ones(4)).round(2).to_dict()
    {'c': -1.0}
    """
    values = scores.to_numpy(np.float64) * signs
    standing = _standing(values)
    rests = _rests(standing)
    found = {}
    for j, name in enumerate(scores.columns):
        rest = rests[:, j]
        both = ~np.isnan(standing[:, j]) & ~np.isnan(rest)
        if both.sum() < _LEAST or values.shape[1] < 3:
            continue
        r = rank_correlation(standing[both, j], rest[both])
        # Beyond chance, over all columns: Fisher's z with a Bonferroni bound of one in twenty.
        z = np.arctanh(np.clip(r, -0.999999, 0.999999)) * np.sqrt(both.sum() - 3)
        if r < _AGAINST and z < norm.ppf(0.05 / values.shape[1]):
            found[name] = float(r)
    return pd.Series(found, dtype=np.float64)


def _standing(values: FloatArray) -> FloatArray:
    """Ranks of the models in each column, -1 to 1; NaN where missing."""
    ranks = np.full(values.shape, np.nan)
    for j, column in enumerate(values.T):
        seen = ~np.isnan(column)
        if seen.sum() > 1:
            ranks[seen, j] = (rankdata(column[seen]) - 1) / (seen.sum() - 1) * 2 - 1
    return ranks


def _rests(standing: FloatArray) -> FloatArray:
    """Mean standing of each model in all columns but each one, NaN where it has no other."""
    seen = ~np.isnan(standing)
    filled = np.where(seen, standing, 0.0)
    count = seen.sum(axis=1)[:, None] - seen
    total = filled.sum(axis=1)[:, None] - filled
    # Rounded, so that models that tie do so whatever was added and taken off.
    return np.where(count > 0, (total / np.maximum(count, 1)).round(12), np.nan)


def _slips(column: FloatArray, rest: FloatArray, lower: bool) -> tuple[BoolArray, bool] | None:
    """Find scores that are 100 times too small or too large; True where too small.

    The small ones lie in 0 to 1, the others in 1 to 100 with a gap between, and 100 times the
    small ones lie among the others and agree better with how the models do elsewhere.
    """
    seen = ~np.isnan(column)
    if lower or column[seen].min() < 0 or column[seen].max() > 100:
        return None
    small = seen & (column <= 1) & (column > 0)
    large = seen & (column > 1)
    if not small.any() or not large.any():
        return None
    if column[large].min() < _GAP * column[small].max():
        return None
    whole, reference = (small, large) if small.sum() <= large.sum() else (large, small)
    factor = 100.0 if whole is small else 0.01
    moved = column[whole] * factor
    lo, hi = column[reference].min(), column[reference].max()
    margin = hi - lo
    if moved.min() < lo - margin or moved.max() > min(hi + margin, 100.0 if factor > 1 else 1.0):
        return None
    mended = np.where(whole, column * factor, column)
    both = seen & ~np.isnan(rest)
    # Models that are weak everywhere may well score near 0: several of them are no slip unless
    # the other scale agrees clearly better with the rest of the table.
    gain = 0.0
    if both.sum() >= _LEAST:
        gain = _gain(mended[both], column[both], rest[both])
    if gain < 0 or (whole.sum() > _SLIPS and gain < _CLEAR):
        return None
    return whole, bool(factor > 1)


def _gain(mended: FloatArray, column: FloatArray, rest: FloatArray) -> float:
    return rank_correlation(mended, rest) - rank_correlation(column, rest)


def _who(models: pd.Index, rows: BoolArray) -> str:
    names = [str(name) for name in models[rows]]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(repr, names[:3])) + more
