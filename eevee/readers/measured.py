"""What a reader hands over: `Measured`, scores as found, before cleaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from eevee.base.bounded import MAX_MB
from eevee.base.errors import EeveeError
from eevee.readers.cost_rows import CostRows
from eevee.tables.column_names import guessed_heads, unprintable
from eevee.tables.results_table import Note, SourceColumn

DUPLICATES = ("error", "mean", "first", "last")
LAYOUTS = ("auto", "wide", "long", "two-header-rows", "transposed")
MAX_NAME = 1000
"""Letters that a name may have."""


@dataclass(frozen=True)
class Options:
    """How a source is to be read (see `eevee.read_table`)."""

    layout: str = "auto"
    model_column: str | None = None
    benchmark_column: str | None = None
    metric_column: str | None = None
    score_column: str | None = None
    duplicates: str = "error"
    gpu_column: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    drop_columns: tuple[str, ...] = ()
    drop_models: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    max_mb: float = MAX_MB
    one_of_several: bool = False
    """Whether names and patterns may mean what is in other sources."""


@dataclass(frozen=True)
class Measured:
    """Scores as a source has them: nothing dropped, nothing turned.

    Attributes
    ----------
    source, sha256, layout : str
    scores : DataFrame, models x columns
    columns : DataFrame indexed by column name
        ``benchmark``, ``metric``, and ``direction``, ``role`` and ``bounds``, None where not said.
    tasks : mapping of benchmark to task
    models : DataFrame indexed by model name
    stderrs : DataFrame like `scores`, or None
    costs : CostRows or None
        What its cells cost, where it says so.
    cell_gpus : mapping of (model, benchmark) to GPU types, or None
        Where its rows say so.
    notes : tuple of Note
    sources : tuple of SourceColumn
        Every column of the source.
    """

    source: str
    sha256: str
    layout: str
    scores: pd.DataFrame
    columns: pd.DataFrame
    models: pd.DataFrame
    tasks: Mapping[str, str] = field(default_factory=dict)
    stderrs: pd.DataFrame | None = None
    costs: CostRows | None = None
    cell_gpus: Mapping[tuple[str, str], tuple[str, ...]] | None = None
    notes: tuple[Note, ...] = ()
    sources: tuple[SourceColumn, ...] = ()

    @property
    def benchmarks(self) -> list[str]:
        """Names of the benchmarks, sorted."""
        return sorted(set(self.columns["benchmark"]))

    @property
    def targets(self) -> pd.DataFrame:
        """Scores of the columns that are no proxies."""
        return self.scores.loc[:, (self.columns["role"] != "proxy").to_numpy()]

    def noted(self, *notes: Note) -> Measured:
        """Add notes."""
        return replace(self, notes=(*self.notes, *notes))

    def without_columns(
        self, why: Mapping[str, str], role: str = "dropped", of: str | None = None
    ) -> Measured:
        """Drop columns, with a note each; their role in the source becomes another."""
        keep = [name for name in self.scores.columns if name not in why]
        columns = self.columns.loc[keep]
        gone = set(self.columns["benchmark"]) - set(columns["benchmark"])
        return replace(
            self,
            scores=self.scores[keep],
            columns=columns,
            costs=None if self.costs is None else self.costs.without(gone),
            stderrs=None if self.stderrs is None else self.stderrs[keep],
            sources=tuple(
                SourceColumn(s.name, role, why[s.name], of)
                if s.name in why and s.role in {"score", "proxy"}
                else s
                for s in self.sources
            ),
            notes=(*self.notes, *(Note("dropped", "column", n, w) for n, w in why.items())),
        )

    def without_models(self, why: Mapping[str, str]) -> Measured:
        """Drop models, with a note each."""
        keep = [name for name in self.scores.index if name not in why]
        return replace(
            self,
            scores=self.scores.loc[keep],
            models=self.models.loc[keep],
            stderrs=None if self.stderrs is None else self.stderrs.loc[keep],
            notes=(*self.notes, *(Note("dropped", "model", n, w) for n, w in why.items())),
        )


@dataclass(frozen=True)
class Cell:
    """One measured cell: where it goes, its value, the line that it stood on."""

    model: str
    column: str
    value: float
    line: int


def pivot(
    cells: Sequence[Cell],
    models: Sequence[str],
    columns: Sequence[str],
    source: str,
    rule: str,
    hint: str = "",
) -> pd.DataFrame:
    """Lay cells out as models x columns; several values for one cell follow the rule.

    Raises
    ------
    EeveeError
        If a cell has several values and the rule is ``"error"``.

    Examples
    --------
    >>> cells = [Cell("x", "mmlu", 1.0, 2), Cell("x", "mmlu", 2.0, 3)]
    >>> float(pivot(cells, ["x"], ["mmlu"], "scores.csv", "mean").loc["x", "mmlu"])
    1.5
    """
    row = {name: i for i, name in enumerate(models)}
    place = {name: j for j, name in enumerate(columns)}
    found: dict[tuple[int, int], list[Cell]] = {}
    for cell in cells:
        found.setdefault((row[cell.model], place[cell.column]), []).append(cell)
    values = np.full((len(models), len(columns)), np.nan)
    for key, same in found.items():
        values[key] = _one_value(same, source, rule, hint)
    return pd.DataFrame(values, index=pd.Index(models), columns=pd.Index(columns))


def note_duplicates(cells: Sequence[Cell], source: str, rule: str) -> list[Note]:
    """Return a note if cells have more than one score."""
    counts = Counter((cell.model, cell.column) for cell in cells)
    several = [count for count in counts.values() if count > 1]
    surplus = sum(several) - len(several)
    why = f"of several scores for one cell the {rule} is kept: {surplus} are left out"
    if rule == "mean":
        cells_said = f"{len(several)} cell{'s' * (len(several) > 1)}"
        why = f"of several scores for one cell the mean is kept: {sum(several)} in {cells_said}"
    return [Note("dropped", "file", source, why)] if surplus else []


def note_splits(names: Sequence[str]) -> list[Note]:
    """Return a note for each benchmark that only its repeated name made."""
    return [
        Note("guessed", "benchmark", head, f"owns columns {', '.join(map(repr, owned))}")
        for head, owned in guessed_heads(names).items()
    ]


def column_frame(names: Sequence[str], owners: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Return a frame of benchmark and metric of each column; the rest unknown."""
    benchmarks = [benchmark for benchmark, _ in owners]
    metrics = [metric for _, metric in owners]
    return pd.DataFrame(
        {"benchmark": benchmarks, "metric": metrics}
        | dict.fromkeys(("direction", "role", "bounds")),
        index=list(names),
        dtype=object,
    )


def check_name(name: str, what: str, where: str) -> str:
    """Return a name if it is fit to be one, else raise an error that says where it stands."""
    if not name:
        raise EeveeError(f"{where}: {what} has no name; give it one")
    check_length(name, what, where)
    if unprintable(name):
        raise EeveeError(
            f"{where}: the name of {what} {name!r} holds a line break or control character; "
            "take it out"
        )
    return name


def check_length(name: str, what: str, where: str) -> None:
    """Refuse a name that nobody can have meant: what looks at names takes time with their length.

    Raises
    ------
    EeveeError
    """
    if len(name) > MAX_NAME:
        raise EeveeError(
            f"{where}: the name of {what} has {len(name)} letters ({name[:20]!r}...); names have "
            f"at most {MAX_NAME}: shorten it"
        )


def unique(names: Sequence[str]) -> list[str]:
    """Return names once each, in their order."""
    return list(dict.fromkeys(names))


def _one_value(same: list[Cell], source: str, rule: str, hint: str) -> float:
    if len(same) == 1:
        return same[0].value
    if rule == "error":
        raise EeveeError(
            f"{source}: model {same[0].model!r} has more than one score in {same[0].column!r}: "
            f"rows {same[0].line} and {same[1].line}; name the columns that make a model unique "
            f"(model_column, --model-column){hint}, or choose duplicates = mean, first or last"
        )
    if rule == "mean":
        return float(np.mean([cell.value for cell in same]))
    return same[0].value if rule == "first" else same[-1].value
