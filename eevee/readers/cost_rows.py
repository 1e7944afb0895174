"""What was paid: costs as a source has them, row by row, before they are added up."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from eevee.tables.results_table import Note


@dataclass(frozen=True)
class Paid:
    """One cost: what it is of, where it stands, and what it was measured on.

    Attributes
    ----------
    benchmark : str
    cost : float
        Positive, NaN where not measured.
    line : int
        Row of the source.
    model : str or None
        None where the cost is of the benchmark, whatever the model.
    gpu : str
        GPU type, empty where not said.
    """

    benchmark: str
    cost: float
    line: int
    model: str | None = None
    gpu: str = ""


@dataclass(frozen=True)
class CostRows:
    """The costs of one source: checked to be positive, names not yet compared with a table.

    Attributes
    ----------
    source : str
    rows : tuple of Paid
    gpu_column : str or None
        Header of its own column of GPU types.
    guessed : str or None
        Column that was taken for the costs though it is not named so.
    notes : tuple of Note
    unit : str or None
        What the source counts costs in, where it says so.
    """

    source: str
    rows: tuple[Paid, ...]
    gpu_column: str | None = None
    guessed: str | None = None
    notes: tuple[Note, ...] = ()
    unit: str | None = None

    @property
    def per_cell(self) -> bool:
        """Whether costs are of models on benchmarks, rather than of benchmarks."""
        return any(row.model is not None for row in self.rows)

    def without(self, benchmarks: Collection[str]) -> CostRows:
        """Leave out the costs of some benchmarks."""
        return replace(self, rows=tuple(r for r in self.rows if r.benchmark not in benchmarks))

    def noted(self, *notes: Note) -> CostRows:
        """Add notes."""
        return replace(self, notes=(*self.notes, *notes))
