"""`ResultsTable`: what was measured, in what direction it counts, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from eevee.base.arrays import MAX_COST, BoolArray, FloatArray, IntArray, Subset, total_cost
from eevee.base.errors import EeveeError, did_you_mean

NO_COSTS = "benchmarks"
"""The cost unit of a table without costs: each benchmark costs 1, budgets are counts."""

COLUMN_FIELDS = ("benchmark", "metric", "direction", "direction_source", "role", "bounds")


@dataclass(frozen=True)
class Note:
    """One thing that a reader dropped, guessed, ignored or converted, and why.

    Attributes
    ----------
    action : {"dropped", "guessed", "ignored", "converted"}
    kind : {"column", "benchmark", "model", "cost", "unit", "file"}
    name : str
        Name of the column, benchmark or model, as in the file; or the unit of costs.
    why : str
        One clause that completes "dropped column X: ...".
    """

    action: Literal["dropped", "guessed", "ignored", "converted"]
    kind: Literal["column", "benchmark", "model", "cost", "unit", "file"]
    name: str
    why: str


@dataclass(frozen=True)
class SourceColumn:
    """One column of a source: the part that it plays, and why.

    Attributes
    ----------
    name : str
        As the source has it.
    role : str
        ``"score"`` or ``"proxy"``, else what it is instead (`eevee.readers.roles.ROLES`).
    why : str
        One clause that completes "column X is a cost: ...".
    of : str or None
        The column that it says something about, such as that of a standard error.
    """

    name: str
    role: str
    why: str
    of: str | None = None


@dataclass(frozen=True)
class Provenance:
    """Where a table came from.

    Attributes
    ----------
    source : str
        File name (without its folder) or a word such as ``"DataFrame"``.
    sha256 : str
        Of the bytes of the score file; of the canonical CSV for a DataFrame.
    layout : str
        How the source was read, in words.
    notes : tuple of Note
        What was dropped, guessed, ignored or converted.
    columns : tuple of SourceColumn
        Every column of the source, in its order.
    """

    source: str = "memory"
    sha256: str = ""
    layout: str = ""
    notes: tuple[Note, ...] = ()
    columns: tuple[SourceColumn, ...] = ()


@dataclass(frozen=True, eq=False)
class ResultsTable:
    """Models x columns of scores, with directions, groups and costs.

    Attributes
    ----------
    scores : DataFrame, shape (n_models, n_columns)
        As published (not turned, not scaled); NaN where a cell was not measured.
    columns : DataFrame indexed by column name
        ``benchmark, metric, direction`` ("higher" or "lower"), ``direction_source``
        ("read" or "guessed"), ``role`` ("score" or "proxy"), ``bounds`` ("guessed", "none" or such
        as "0 to 100": `eevee.tables.bounds`).
    benchmarks : DataFrame indexed by benchmark name
        ``task`` (or None) and ``cost`` in `cost_unit`.
    models : DataFrame indexed by model name
        Free attributes, possibly none.
    units : Series indexed by column name
        Population standard deviation of the observed scores of the table that the user
        gave. Computed once; tables made from this one keep it (`design`: the loss).
    cost_unit : str
    stderrs : DataFrame or None, shape (n_models, n_columns)
    cell_costs : DataFrame or None, shape (n_models, n_benchmarks)
        In `cost_unit`, of the GPU type whose speed is 1 where speeds were given.
    provenance : Provenance
    paid : tuple of benchmark names
        Already paid for: they cost nothing more, and a search always takes them.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.1, 0.3, 0.2]}, index=["x", "y", "z"])
    >>> table = ResultsTable.from_scores(frame)
    >>> table.n_models, table.benchmark_names
    (3, ('a', 'b'))
    >>> table.subset(["b", "a", "b"])
    ('a', 'b')
    """

    scores: pd.DataFrame
    columns: pd.DataFrame
    benchmarks: pd.DataFrame
    models: pd.DataFrame
    units: pd.Series[float]
    cost_unit: str = NO_COSTS
    stderrs: pd.DataFrame | None = None
    cell_costs: pd.DataFrame | None = None
    provenance: Provenance = field(default_factory=Provenance)
    paid: Subset = ()

    def __post_init__(self) -> None:
        _check_frames(self)

    @classmethod
    def from_scores(
        cls,
        scores: pd.DataFrame,
        *,
        columns: pd.DataFrame | None = None,
        benchmarks: pd.DataFrame | None = None,
        models: pd.DataFrame | None = None,
        cost_unit: str = NO_COSTS,
        stderrs: pd.DataFrame | None = None,
        cell_costs: pd.DataFrame | None = None,
        provenance: Provenance | None = None,
    ) -> ResultsTable:
        """Build a table from clean frames, filling in what is left out.

        Without `columns` each column is a benchmark of its own, higher is better. Without
        costs each benchmark costs 1. `eevee.read_table` is the forgiving way in: it drops,
        guesses and explains; this one only checks.

        Raises
        ------
        EeveeError
            If names repeat, frames disagree, a score is infinite or a column is constant.
        """
        scores = scores.astype(np.float64)
        if columns is None:
            columns = _plain_columns(list(scores.columns))
        if "bounds" not in columns:
            columns = columns.assign(bounds="guessed")
        if benchmarks is None:
            names = sorted(set(columns["benchmark"]))
            benchmarks = pd.DataFrame({"task": None, "cost": 1.0}, index=pd.Index(names))
        if models is None:
            models = pd.DataFrame(index=scores.index)
        varies = scores.max(axis=0) > scores.min(axis=0)
        units = scores.std(axis=0, ddof=0).where(varies, 0.0)
        return cls(
            scores=scores,
            columns=columns,
            benchmarks=benchmarks.sort_index(),
            models=models,
            units=units,
            cost_unit=cost_unit,
            stderrs=stderrs,
            cell_costs=cell_costs,
            provenance=provenance or Provenance(),
        )

    @property
    def n_models(self) -> int:
        """Number of models (rows)."""
        return len(self.scores)

    @property
    def n_columns(self) -> int:
        """Number of columns, scores and proxies together."""
        return self.scores.shape[1]

    @property
    def n_benchmarks(self) -> int:
        """Number of benchmarks: what can be selected."""
        return len(self.benchmarks)

    @cached_property
    def model_names(self) -> tuple[str, ...]:
        """Names of the models, in row order."""
        return tuple(self.scores.index)

    @cached_property
    def benchmark_names(self) -> Subset:
        """Names of the benchmarks, sorted."""
        return tuple(self.benchmarks.index)

    @cached_property
    def oriented(self) -> FloatArray:
        """Scores with every direction turned so that higher is better, (n_models, n_columns)."""
        signs = np.where(self.columns["direction"] == "higher", 1.0, -1.0)
        values = np.asarray(self.scores.to_numpy(np.float64) * signs)
        values.setflags(write=False)
        return values

    @cached_property
    def column_owner(self) -> IntArray:
        """For each column, the position of its benchmark in `benchmark_names`."""
        position = {name: i for i, name in enumerate(self.benchmark_names)}
        return np.array([position[name] for name in self.columns["benchmark"]], dtype=np.int64)

    @cached_property
    def is_target(self) -> BoolArray:
        """For each column, whether its role is *score* (a target of the meta-model)."""
        return np.asarray(self.columns["role"] == "score", dtype=np.bool_)

    @property
    def targets(self) -> pd.DataFrame:
        """Scores of the columns that are no proxies."""
        return self.scores.loc[:, self.is_target]

    @cached_property
    def target_benchmarks(self) -> Subset:
        """Names of the benchmarks that own a score column, sorted: the others are proxies."""
        return tuple(sorted(set(self.columns["benchmark"][self.is_target])))

    @cached_property
    def proxy_benchmarks(self) -> Subset:
        """Names of what can be selected and owns proxy columns alone, sorted."""
        return tuple(sorted({*self.benchmark_names} - {*self.target_benchmarks}))

    @property
    def size_words(self) -> str:
        """How many models and benchmarks there are, proxies counted by themselves."""
        said = f"{self.n_models} models x {len(self.target_benchmarks)} benchmarks"
        n = len(self.proxy_benchmarks)
        return said + (f" and {n} {'proxy' if n == 1 else 'proxies'}" if n else "")

    @cached_property
    def costs(self) -> dict[str, float]:
        """What running each benchmark once costs, in `cost_unit`; 0 where already paid for."""
        paid = set(self.paid)
        return {
            str(name): 0.0 if name in paid else float(cost)
            for name, cost in self.benchmarks["cost"].items()
        }

    @cached_property
    def total_cost(self) -> float:
        """What running everything once costs, proxies left out, what is paid for included."""
        return total_cost(self.benchmarks["cost"][list(self.target_benchmarks)])

    @property
    def coverage(self) -> float:
        """Share of the cells of score columns that were measured."""
        return float(self.targets.notna().to_numpy().mean())

    def cost_of(self, subset: Iterable[str]) -> float:
        """Total cost of a subset, to 12 significant digits, whatever the order of the names."""
        return total_cost(self.costs[name] for name in subset)

    def columns_of(self, benchmark: str) -> list[str]:
        """Names of the columns that a benchmark owns, in table order."""
        return list(self.columns.index[self.columns["benchmark"] == benchmark])

    def subset(self, names: Iterable[str]) -> Subset:
        """Return a checked subset: a sorted tuple of distinct benchmark names.

        Raises
        ------
        EeveeError
            If a name is not a benchmark of this table, or none is given.
        """
        chosen = tuple(sorted(set(names)))
        for name in chosen:
            if name not in self.costs:
                hint = did_you_mean(name, self.benchmark_names)
                raise EeveeError(
                    f"no benchmark {name!r} in {self.provenance.source}{hint}; "
                    "`eevee describe` lists the names"
                )
        if not chosen:
            raise EeveeError("a subset needs at least one benchmark")
        return chosen

    def already_paid(self, names: Iterable[str]) -> ResultsTable:
        """Return the same table, in which some benchmarks cost nothing more.

        Raises
        ------
        EeveeError
            If a name is not a benchmark of this table.

        Examples
        --------
        >>> import pandas as pd
        >>> table = ResultsTable.from_scores(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]}))
        >>> table.already_paid(["a"]).cost_of(["a", "b"])
        1.0
        """
        names = tuple(names)
        return replace(self, paid=self.subset(names) if names else ())

    def take_models(self, keep: Sequence[bool] | BoolArray) -> ResultsTable:
        """Return the table of some models, with the units, costs and columns of this one."""
        mask = np.asarray(keep, dtype=np.bool_)
        return replace(
            self,
            scores=self.scores[mask],
            models=self.models[mask],
            stderrs=None if self.stderrs is None else self.stderrs[mask],
            cell_costs=None if self.cell_costs is None else self.cell_costs[mask],
        )


def _plain_columns(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "benchmark": names,
            "metric": "score",
            "direction": "higher",
            "direction_source": "guessed",
            "role": "score",
        },
        index=pd.Index(names),
    )


def _check_frames(table: ResultsTable) -> None:
    """Check what the rest of the library relies on."""
    for what, index in (
        ("model", table.scores.index),
        ("column", table.scores.columns),
        ("benchmark", table.benchmarks.index),
    ):
        if not index.is_unique:
            raise EeveeError(f"duplicated {what} name {index[index.duplicated()][0]!r}")
    if list(table.columns.index) != list(table.scores.columns):
        raise EeveeError("`columns` must describe the columns of `scores`, in their order")
    if list(table.models.index) != list(table.scores.index):
        raise EeveeError("`models` must describe the rows of `scores`, in their order")
    if not set(table.columns["benchmark"]) == set(table.benchmarks.index):
        raise EeveeError("`columns` and `benchmarks` name different benchmarks")
    if list(table.benchmarks.index) != sorted(table.benchmarks.index):
        raise EeveeError("`benchmarks` must be sorted by name")
    _check_numbers(table)


def _check_numbers(table: ResultsTable) -> None:
    infinite = np.isinf(table.scores.to_numpy(np.float64))
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise EeveeError(
            f"infinite score of model {table.scores.index[row]!r} "
            f"in column {table.scores.columns[column]!r}"
        )
    units = table.units.to_numpy(np.float64)
    if not (units > 0).all():
        name = table.units.index[~(units > 0)][0]
        raise EeveeError(f"column {name!r} is constant or empty: it has no unit; drop it")
    costs = table.benchmarks["cost"].to_numpy(np.float64)
    fine = (costs > 0) & (costs <= MAX_COST)
    if not fine.all():
        name = table.benchmarks.index[~fine][0]
        raise EeveeError(
            f"the cost of benchmark {name!r} must be a positive number of at most {MAX_COST:g}"
        )
