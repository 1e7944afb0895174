"""GPU types and their speeds: costs measured on several types, in hours of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from eevee.base.arrays import MAX_COST, round_cost
from eevee.base.errors import EeveeError
from eevee.readers.cells import is_missing
from eevee.readers.cost_rows import CostRows, Paid
from eevee.readers.grid import Grid
from eevee.readers.measured import Measured
from eevee.tables.column_names import GPU_NAMES
from eevee.tables.results_table import Note

_NO_COLUMN = f"{', '.join(GPU_NAMES)}; another is named by gpu_column, --gpu-column"


@dataclass(frozen=True)
class GpuSpeeds:
    """How fast GPU types are: one hour on a type does the work of `factors[type]` hours.

    Attributes
    ----------
    factors : mapping of GPU type (lower case) to positive factor
    """

    factors: Mapping[str, float]

    @property
    def reference(self) -> str:
        """The types whose speed is 1, in words."""
        return " or ".join(t for t, f in self.factors.items() if f == 1) or "a GPU of speed 1"

    def of(self, gpu: str, where: str) -> float:
        """Return the speed of a type; an error names the place that the type stands in."""
        if is_missing(gpu):
            raise EeveeError(f"{where}: no GPU type, but there is a cost; name the type")
        if gpu.casefold() not in self.factors:
            raise EeveeError(
                f"{where}: GPU type {gpu!r} has no speed (those of {', '.join(self.factors)} are "
                "given); give one (gpu_speeds, --gpu-speed)"
            )
        return self.factors[gpu.casefold()]


def read_speeds(given: Mapping[str, float]) -> GpuSpeeds:
    """Check the speeds of GPU types.

    Raises
    ------
    EeveeError
        If there is none, a type has no name or two speeds, or a speed is not positive.

    Examples
    --------
    >>> read_speeds({"A100": 1, "H100": 2.1}).factors
    {'a100': 1.0, 'h100': 2.1}
    """
    factors: dict[str, float] = {}
    for gpu, speed in given.items():
        name = str(gpu).strip().casefold()
        if is_missing(name):
            raise EeveeError(f"{gpu!r} names no GPU type; give speeds such as a100=1")
        if name in factors:
            raise EeveeError(f"GPU type {gpu!r} has two speeds (case does not count); keep one")
        number = _to_number(speed)
        if not 0 < number <= MAX_COST:
            raise EeveeError(
                f"the speed of {gpu!r} is {number:g}; speeds are positive numbers of at most "
                f"{MAX_COST:g}"
            )
        factors[name] = number
    if not factors:
        raise EeveeError("no GPU speed is given; give one for each type, such as a100=1")
    return GpuSpeeds(factors)


def parse_speeds(texts: Iterable[str]) -> dict[str, float]:
    """Read ``TYPE=SPEED`` texts, as a command line has them.

    Raises
    ------
    EeveeError
        If one is written otherwise, or `read_speeds` refuses them.

    Examples
    --------
    >>> parse_speeds(["a100=1", "h100=2.1"])
    {'a100': 1.0, 'h100': 2.1}
    """
    speeds: dict[str, float] = {}
    for text in texts:
        gpu, _, speed = (part.strip() for part in text.rpartition("="))
        if not gpu or math.isnan(_to_number(speed)):
            raise EeveeError(f"a GPU speed is TYPE=NUMBER, such as h100=2.1, not {text!r}")
        if gpu in speeds:
            raise EeveeError(f"GPU type {gpu!r} has two speeds; keep one")
        speeds[gpu] = float(speed)
    read_speeds(speeds)
    return speeds


def is_gpu(header: str) -> bool:
    """Tell whether a header is a usual name for a column of GPU types.

    Examples
    --------
    >>> is_gpu("GPU_type"), is_gpu("gpu_hours")
    (True, False)
    """
    return _words(header) in GPU_NAMES


def gpu_place(grid: Grid, named: str | None, known: Sequence[str] = ()) -> int | None:
    """Return the place of a grid's column of GPU types, None where it has none.

    Parameters
    ----------
    grid : Grid
    named : str or None
        Its header, if the user said so: then no other will do.
    known : sequence of str
        Headers that are benchmarks, whatever they seem to be.
    """
    header = _find([name for name in grid.header if named or name not in known], named)
    return None if header is None else grid.header.index(header)


def to_reference(
    costs: CostRows, speeds: GpuSpeeds, measured: Measured, column: str | None, unit: str
) -> CostRows:
    """Convert costs to those of the GPU type whose speed is 1: cost x speed of its type.

    The types are in the costs' own column; else in the attributes of the models; else in the
    rows of the score file.

    Parameters
    ----------
    costs : CostRows
    speeds : GpuSpeeds
    measured : Measured
        With the attributes of the models.
    column : str or None
        Header of the column of types, where it has no usual name.
    unit : str
        What costs are counted in.

    Raises
    ------
    EeveeError
        If there is no column of types, or a cost has no type, or a type no speed.
    """
    label = f"column {costs.gpu_column!r}"
    if costs.gpu_column is None:
        costs, label = _with_types_beside(costs, measured, column)
    rows = []
    for row in costs.rows:
        if math.isnan(row.cost):
            rows.append(row)
            continue
        where = f"{costs.source}: row {row.line}, {label}"
        if costs.gpu_column is None:
            where += f" for {row.model!r} on {row.benchmark!r}"
        rows.append(replace(row, cost=round_cost(row.cost * speeds.of(row.gpu, where))))
    used = {row.gpu.casefold() for row in rows if not math.isnan(row.cost)}
    factors = ", ".join(f"{t} x {f:g}" for t, f in speeds.factors.items() if t in used)
    why = f"to {unit} of {speeds.reference}, by {label}: {factors}"
    return replace(costs, rows=tuple(rows)).noted(Note("converted", "cost", costs.source, why))


def note_unused(costs: CostRows) -> CostRows:
    """Add a note where costs were measured on several GPU types, and no speeds are given."""
    types = {row.gpu.casefold() for row in costs.rows if not is_missing(row.gpu)}
    if costs.gpu_column is None or len(types) < 2:
        return costs
    why = (
        f"names GPU types ({', '.join(sorted(types)[:4])}): costs are taken as if they were one; "
        "give their speeds (gpu_speeds, --gpu-speed)"
    )
    return costs.noted(Note("ignored", "column", costs.gpu_column, why))


def _with_types_beside(
    costs: CostRows, measured: Measured, column: str | None
) -> tuple[CostRows, str]:
    """Fill in types that another file knows; models that it does not know are left out."""
    wanted = repr(column) if column else _NO_COLUMN
    if not costs.per_cell:
        raise EeveeError(
            f"{costs.source}: GPU speeds are given, but no column here names the GPU type of each "
            f"benchmark ({wanted})"
        )
    attribute = _find([str(name) for name in measured.models], column)
    if attribute is not None:
        label = f"column {attribute!r} of the models"
        type_of = _types_of_models(measured.models[attribute])
    elif measured.cell_gpus is not None:
        label = f"column of GPU types in {measured.source}"
        cells = measured.cell_gpus

        def type_of(row: Paid) -> str:
            return " and ".join(cells.get((str(row.model), row.benchmark), ()))
    else:
        raise EeveeError(
            f"{costs.source}: GPU speeds are given, but no column of the costs, the models or the "
            f"scores names GPU types ({wanted})"
        )
    strangers = dict.fromkeys(
        str(row.model) for row in costs.rows if row.model not in measured.scores.index
    )
    why = f"has costs in {costs.source} but neither scores nor a GPU type: costs left out"
    rows = tuple(replace(r, gpu=type_of(r)) for r in costs.rows if r.model not in strangers)
    notes = [Note("ignored", "model", name, why) for name in strangers]
    return replace(costs, rows=rows).noted(*notes), label


def _types_of_models(attribute: pd.Series) -> Callable[[Paid], str]:
    types = {model: _text(value) for model, value in attribute.items()}
    return lambda row: types.get(row.model, "")


def _text(value: object) -> str:
    if value is None or value != value:  # noqa: PLR0124
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)  # a type such as 4090


def _find(headers: Sequence[str], named: str | None) -> str | None:
    if named is not None:
        return named if named in headers else None
    words = [_words(header) for header in headers]
    found = next((name for name in GPU_NAMES if name in words), None)
    return None if found is None else headers[words.index(found)]


def _words(header: str) -> str:
    return header.casefold().replace("_", " ").replace("-", " ").strip()


def _to_number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan
    except OverflowError:
        return math.inf
