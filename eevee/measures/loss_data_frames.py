"""Tables of what is read off loss-data curves, as in the paper's Tables 1 and 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataCurve, LossDataMeasure, Rule

EPSILONS = (1.0, 0.1, 0.01)
_NAMES = {"va": "Val loss", "mi": "MI", "mdl": "MDL", "sdl": "SDL", "esc": "eSC"}


@dataclass(frozen=True, eq=False)
class LossDataTable:
    """Measures of several curves.

    Attributes
    ----------
    measures : dict of (curve, LossDataMeasure.name, n, epsilon) to LossDataMeasure
    notes : tuple of str
        Curves that rise, and those that leave a tolerance which they had reached.
    """

    measures: dict[tuple[str, str, int, float], LossDataMeasure]
    notes: tuple[str, ...]

    @property
    def long(self) -> pd.DataFrame:
        """A row per measure, with every field of it."""
        rows = [{"curve": key[0], **asdict(one)} for key, one in self.measures.items()]
        order = ["curve", "name", "n", "epsilon", "value", "stderr", "unit", "bound", "observed",
                 "certified", "low", "high", "certified_n"]  # fmt: skip
        return pd.DataFrame(rows)[order]

    @property
    def shown(self) -> pd.DataFrame:
        """Texts, lower bounds after ``>``: a row per measure, a column per curve and n."""
        cells: dict[tuple[str, int], dict[str, str]] = {}
        for (curve, name, n, epsilon), one in self.measures.items():
            label = _NAMES[name] + (f", eps={epsilon:g}" if name in ("sdl", "esc") else "")
            cells.setdefault((curve, n), {})[label] = str(one)
        columns = pd.MultiIndex.from_tuples(list(cells), names=["curve", "n"])
        return pd.DataFrame(list(cells.values()), index=columns).T


def loss_data_table(
    curves: Sequence[LossDataCurve],
    *,
    ns: Sequence[int] | None = None,
    epsilons: Sequence[float] = EPSILONS,
    rule: Rule = "left",
    unit: Literal["nats", "bits"] = "nats",
) -> LossDataTable:
    """Read all measures off curves.

    Parameters
    ----------
    curves : sequence of LossDataCurve
        Of different names.
    ns : sequence of int, optional
        Sizes at which each is evaluated, as if there were no more samples; by default the largest.
    epsilons : sequence of float
        Tolerances, in nats whatever the unit.
    rule : {"left", "right", "trapezoid"}
        As of `LossDataCurve.sdl`.
    unit : {"nats", "bits"}

    Returns
    -------
    LossDataTable

    Raises
    ------
    EeveeError
        If a size was not measured, or names are not different.

    Examples
    --------
    >>> slow = LossDataCurve.of([10, 100, 1000], [0.6, 0.3, 0.02], n_classes=2, name="slow")
    >>> quick = LossDataCurve.of([10, 100, 1000], [0.3, 0.2, 0.2], n_classes=2, name="quick")
    >>> table = loss_data_table([slow, quick], epsilons=[0.1])
    >>> table.shown.loc["eSC, eps=0.1"].tolist()
    ['1000', '> 1000']
    """
    if unit not in ("nats", "bits"):
        raise EeveeError(f"unit: 'nats' or 'bits', not {unit!r}")
    names = [one.name for one in curves]
    if not names or len(set(names)) < len(names):
        raise EeveeError("curves: at least one is needed, and each needs a name of its own")
    found: dict[tuple[str, str, int, float], LossDataMeasure] = {}
    for curve in curves:
        for n in ns or [int(curve.sizes[-1])]:
            for one in _measures(curve, n, epsilons, rule):
                key = (curve.name, one.name, n, one.epsilon)
                found[key] = one.in_bits() if unit == "bits" else one
    notes = [note for curve in curves for note in curve_notes(curve, epsilons)]
    return LossDataTable(found, tuple(notes))


def _measures(
    curve: LossDataCurve, n: int, epsilons: Sequence[float], rule: Rule
) -> list[LossDataMeasure]:
    own = [curve.va(n)]
    if curve.label_entropy is not None:
        own.append(curve.mi(n))
    own.append(curve.mdl(n, rule))
    own += [curve.sdl(epsilon, n, rule) for epsilon in epsilons]
    return own + [curve.esc(epsilon, n) for epsilon in epsilons]


def curve_notes(curve: LossDataCurve, epsilons: Sequence[float] = ()) -> list[str]:
    """Return what a reader must know about a curve.

    Examples
    --------
    >>> curve = LossDataCurve.of([1, 2, 3], [0.5, 0.2, 0.4])
    >>> curve_notes(curve, [0.3])  # doctest: +NORMALIZE_WHITESPACE
    ['the loss rises at 3 samples; SDL and eSC assume that it never does',
     'reaches a loss of 0.3 and leaves it again']
    """
    own = f"{curve.name}: " if curve.name else ""
    notes = []
    if len(curve.rises):
        at = ", ".join(map(str, curve.rises))
        notes.append(f"{own}the loss rises at {at} samples; SDL and eSC assume that it never does")
    for epsilon in epsilons:
        reached = curve.mean <= epsilon
        if (reached[:-1] & ~reached[1:]).any():
            notes.append(f"{own}reaches a loss of {epsilon:g} and leaves it again")
    return notes


def curves_of_frame(
    frame: pd.DataFrame, *, n_classes: int | None = None, label_entropy: float | None = None
) -> list[LossDataCurve]:
    """Return the curves of a long table: columns ``name`` (optional), ``seed, samples, val_loss``.

    Raises
    ------
    EeveeError
        If a column is missing, a cell is empty or no number, there are no rows, or seeds differ
        between the sizes of a curve.

    Examples
    --------
    >>> frame = pd.DataFrame({"seed": [0, 1], "samples": 10, "val_loss": [0.5, 0.7]})
    >>> curves_of_frame(frame)[0].losses.tolist()
    [[0.5, 0.7]]
    """
    missing = [one for one in ("seed", "samples", "val_loss") if one not in frame.columns]
    if missing:
        raise EeveeError(f"curves: the table has no column {missing[0]!r}")
    named = frame if "name" in frame.columns else frame.assign(name="")
    _check_cells(named)
    found: list[LossDataCurve] = []
    about: dict[str, Any] = {"n_classes": n_classes, "label_entropy": label_entropy}
    for name, rows in named.groupby("name", sort=False):
        if rows.duplicated(["seed", "samples"]).any():
            raise EeveeError(f"curves: {name!r} has two losses of one seed and size")
        grid = rows.pivot_table(index="samples", columns="seed", values="val_loss", dropna=False)
        if np.isnan(grid.to_numpy(dtype=float)).any():
            raise EeveeError(
                f"curves: {name!r} lacks a loss of a seed and size; leave the size out"
            )
        found.append(LossDataCurve.of(grid.index, grid.to_numpy(), name=str(name), **about))
    return found


def _check_cells(frame: pd.DataFrame) -> None:
    if frame.empty:
        raise EeveeError("curves: the table has no rows")
    for name in ("name", "seed", "samples", "val_loss"):
        cells = frame[name]
        empty = cells.isna().to_numpy()
        if empty.any():
            raise EeveeError(f"curves: row {int(empty.argmax()) + 1} has no {name!r}")
        if name in ("samples", "val_loss") and not pd.api.types.is_numeric_dtype(cells):
            raise EeveeError(f"curves: column {name!r} must hold numbers, not {cells.dtype}")
