"""Readers: one module per kind of source; each has `sniff` and `read`.

`read_table` asks them in turn, then cleans what the first fitting one found, adds what sidecars
say, and writes down everything that was dropped, guessed or ignored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd

from eevee.base.bounded import MAX_MB, MOST_MB
from eevee.base.errors import EeveeError
from eevee.readers import delimited, frames
from eevee.readers.aliases import unit_in
from eevee.readers.cleaning import clean
from eevee.readers.cost_files import CostSource, costs_of_facts, read_costs
from eevee.readers.cost_rows import CostRows
from eevee.readers.costs import Costs, count_costs, match_costs, note_costs
from eevee.readers.doubts import against_the_rest, note_doubts
from eevee.readers.gpus import GpuSpeeds, note_unused, read_speeds, to_reference
from eevee.readers.harness import reader as harness
from eevee.readers.lookalikes import note_looks
from eevee.readers.measured import DUPLICATES, LAYOUTS, Measured, Options
from eevee.readers.proxies import check_unit, join_proxies
from eevee.readers.roles import check_roles
from eevee.readers.sidecars import BenchmarkFacts, apply_benchmarks, read_benchmarks, read_models
from eevee.readers.statistic import read_statistic
from eevee.tables.column_names import guess_direction, unprintable
from eevee.tables.results_table import NO_COSTS, Note, Provenance, ResultsTable


class Reader(Protocol):
    """What each reader module is."""

    def sniff(self, source: object) -> bool:
        """Tell whether the module reads this source."""
        ...

    def read(self, source: Any, options: Options, wanted: frozenset[str]) -> Measured:
        """Read it; columns in `wanted` are scores whatever their names suggest."""
        ...


READERS: tuple[Reader, ...] = (frames, harness, delimited)

USUAL_UNIT = "GPU-hours"

Layout = Literal["auto", "wide", "long", "two-header-rows", "transposed"]
Duplicates = Literal["error", "mean", "first", "last"]
Source = str | os.PathLike[str] | pd.DataFrame


def read_table(
    source: Source,
    *,
    costs: CostSource | None = None,
    benchmarks: Source | None = None,
    models: Source | None = None,
    proxies: Source | None = None,
    layout: Layout = "auto",
    model_column: str | None = None,
    benchmark_column: str | None = None,
    metric_column: str | None = None,
    score_column: str | None = None,
    min_coverage: float = 0.0,
    duplicates: Duplicates = "error",
    keep_aggregates: bool = False,
    cost_unit: str | None = None,
    cost_statistic: str = "median",
    gpu_speeds: Mapping[str, float] | None = None,
    gpu_column: str | None = None,
    column_roles: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    drop_models: Sequence[str] = (),
    missing: Sequence[str] = (),
    max_mb: float = MAX_MB,
) -> ResultsTable:
    """Read scores, and what is known about them, as a `ResultsTable`.

    Parameters
    ----------
    source : path or DataFrame
        Scores: a CSV or TSV file (also gzipped; separated by comma, tab, ``;`` or ``|``), a file
        or folder that a harness wrote (`eevee.readers.harness`), or a DataFrame whose index
        names the models.
    costs : path, mapping, Series or DataFrame, optional
        What each benchmark costs: ``benchmark,cost``; or what each cell costs, models x
        benchmarks or ``model,benchmark,cost`` (kept as ``table.cell_costs``).
    benchmarks : path or DataFrame, optional
        Rows by ``benchmark`` (or ``column``) with any of task, direction, cost, role, metric.
    models : path or DataFrame, optional
        Attributes of models, by its first column or the one named ``model``.
    proxies : path or DataFrame, optional
        Proxy columns of these models, as `eevee measure` writes them, with a cost of each in the
        unit of the other costs.
    layout : {"auto", "wide", "long", "two-header-rows", "transposed"}
        ``"wide"``: one row per model. ``"long"``: one row per score, or per model and benchmark.
        ``"transposed"``: one row per benchmark, one column per model.
    model_column, benchmark_column, metric_column, score_column : str, optional
        Names of columns, where the header does not tell; several columns that make a model
        unique are joined by commas (``"name,pretrained"``).
    min_coverage : float in [0, 1]
        Share of the models that a benchmark needs scores of, and then share of the columns
        that a model needs scores in.
    duplicates : {"error", "mean", "first", "last"}
        What to do with several scores for one cell.
    keep_aggregates : bool
        Keep columns that are means of others (they leak what they are the mean of).
    cost_unit : str, optional
        What costs are counted in; by default what their source says (a harness: "seconds"), else,
        noted as a guess, what its name says (``seconds.csv``) or GPU-hours.
    cost_statistic : str
        Which statistic of its cells' costs, over models, a benchmark counts with:
        ``"median"``, ``"mean"``, ``"max"``, ``"min"``, or a quantile in percent, ``"q90"``.
    gpu_speeds : mapping of GPU type to speed, optional
        Where costs were measured on several types (case does not count): each is multiplied by
        the speed of its type, so costs and budgets are those of the type whose speed is 1.
    gpu_column : str, optional
        Column of GPU types, if it is not named gpu, gpu_type, hardware or accelerator. It is
        looked for beside the costs, then in `models`, then in the scores.
    column_roles : mapping of column name or pattern to role, optional
        What columns are, against the reader's guess: ``{"*_usd": "cost"}``. Roles are the keys
        of `eevee.readers.roles.ROLES`; ``"higher"`` and ``"lower"`` make scores of a direction.
    drop_columns, drop_models : sequence of str
        Names or patterns (``"*_std"``) of columns, benchmarks and models to leave out.
    missing : sequence of str
        What means "not measured", such as ``"OOM"`` or ``"-1"``; numbers count by value.
        ``"NAME=-1"`` counts in the columns of that name or pattern alone.
    max_mb : float
        Megabytes that a file may have, unpacked; a table may have 100,000 cells for each.

    Returns
    -------
    ResultsTable
        ``table.provenance`` tells the layout, and what was dropped, guessed, ignored or converted.

    Raises
    ------
    EeveeError
        If anything is wrong; the message names file, row and column, and what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"mmlu": [60, 70, 65, 80], "c4.loss": [2.1, 2.0, 2.4, 1.8], "average": [1, 2, 3, 4]},
    ...     index=["a", "b", "c", "d"],
    ... )
    >>> table = read_table(frame, costs={"mmlu": 3.0, "c4": 0.5}, cost_unit="GPU-hours")
    >>> table.columns[["benchmark", "metric", "direction"]]
            benchmark metric direction
    mmlu         mmlu  score    higher
    c4.loss        c4   loss     lower
    >>> [f"{note.action} {note.kind} {note.name}: {note.why}" for note in table.provenance.notes]
    ['dropped column average: is an aggregate of other columns, by its name']
    """
    options = Options(
        layout, model_column, benchmark_column, metric_column, score_column, duplicates, gpu_column,
        dict(column_roles or {}), tuple(drop_columns), tuple(drop_models), tuple(missing),
        max_mb=max_mb,
    )  # fmt: skip
    _check_options(options, min_coverage, cost_unit)
    statistic = read_statistic(cost_statistic)
    speeds = _read_speeds(gpu_speeds, gpu_column)
    facts = None if benchmarks is None else read_benchmarks(benchmarks, max_mb)
    wanted = frozenset() if facts is None else facts.names
    measured = read_measured(source, options, wanted)
    if facts is not None:
        measured = apply_benchmarks(measured, facts)
    if models is not None:
        measured = read_models(models, measured, options)
    paid = _find_costs(costs, facts, measured, options, by_gpu=speeds is not None)
    unit = _unit(paid, cost_unit)
    paid = _on_one_gpu(paid, speeds, measured, gpu_column, unit)
    found = None if paid is None else count_costs(paid, statistic)
    cleaned = clean(
        measured, min_coverage=min_coverage, keep_aggregates=keep_aggregates, wanted=wanted
    )
    cleaned = note_doubts(cleaned, [name for name, role in options.roles.items() if role])
    cleaned = cleaned.noted(
        *note_looks("model", [str(name) for name in cleaned.scores.index]),
        *note_looks("benchmark", cleaned.benchmarks),
    )
    if paid is not None and paid.unit is None and cost_unit is None:
        cleaned = cleaned.noted(guessed_unit(paid.source, unit))
    table = _build(cleaned, found, _names_in(measured), unit)
    if proxies is None:
        return table
    cheap = read_measured(proxies, Options(max_mb=max_mb), frozenset())
    spent = cheap.costs
    if spent is not None:
        check_unit(cheap.source, spent.unit, table)
        if spent.unit is None and cost_unit is None:
            cheap = cheap.noted(guessed_unit(cheap.source, unit))
        spent = _on_one_gpu(spent, speeds, cheap, gpu_column, unit)
    return join_proxies(table, cheap, None if spent is None else count_costs(spent, statistic))


def _check_options(options: Options, min_coverage: float, cost_unit: str | None) -> None:
    if options.layout not in LAYOUTS:
        raise EeveeError(f"layout must be one of {', '.join(LAYOUTS)}, not {options.layout!r}")
    if options.duplicates not in DUPLICATES:
        choices = ", ".join(DUPLICATES)
        raise EeveeError(f"duplicates must be one of {choices}, not {options.duplicates!r}")
    check_roles(options.roles)
    if not 0.0 <= min_coverage <= 1.0:
        raise EeveeError(f"min_coverage must be between 0 and 1, not {min_coverage!r}")
    if not 0 < options.max_mb <= MOST_MB:
        raise EeveeError(
            f"max_mb must be positive, and at most {MOST_MB:,.0f}, not {options.max_mb!r}"
        )
    if cost_unit is None:
        return
    if not cost_unit.strip() or cost_unit == NO_COSTS or unprintable(cost_unit):
        raise EeveeError(f"cost_unit must name a unit such as 'GPU-hours', not {cost_unit!r}")


def read_measured(source: Source, options: Options, wanted: frozenset[str]) -> Measured:
    """Read a source with the reader that fits it; nothing is dropped or turned."""
    for reader in READERS:
        if reader.sniff(source):
            return reader.read(source, options, wanted)
    if isinstance(source, str | os.PathLike):
        raise EeveeError(f"{os.fspath(source)!r} cannot be read")
    raise EeveeError(f"scores must be a path or a DataFrame, not {type(source).__name__}")


def _read_speeds(given: Mapping[str, float] | None, column: str | None) -> GpuSpeeds | None:
    if given is None and column is not None:
        raise EeveeError(
            f"a column of GPU types is named ({column!r}), but no speeds are given "
            "(gpu_speeds, --gpu-speed)"
        )
    return None if given is None else read_speeds(given)


def _find_costs(
    costs: CostSource | None,
    facts: BenchmarkFacts | None,
    measured: Measured,
    options: Options,
    *,
    by_gpu: bool,
) -> CostRows | None:
    """Return the costs of the first that has some: `costs`, benchmarks file, score file."""
    beside = None if facts is None else costs_of_facts(facts, measured, options.gpu_column)
    if costs is not None and beside is not None:
        raise EeveeError(f"costs are given twice: in {beside.source} too; leave one out")
    if costs is not None:
        return read_costs(costs, measured.benchmarks, options, by_gpu=by_gpu)
    return measured.costs if beside is None else beside


def _on_one_gpu(
    costs: CostRows | None,
    speeds: GpuSpeeds | None,
    measured: Measured,
    column: str | None,
    unit: str,
) -> CostRows | None:
    """Convert costs by the speeds of GPU types, if there are any."""
    if costs is None and speeds is not None:
        raise EeveeError(
            f"{measured.source}: GPU speeds convert costs, and there are none; give costs "
            "(costs, --costs) or leave the speeds out"
        )
    if costs is None:
        return None
    if speeds is None:
        return note_unused(costs)
    return to_reference(costs, speeds, measured, column, unit)


def _unit(paid: CostRows | None, asked: str | None) -> str:
    """Return the unit of costs: what is asked for, else what their source says, or its name."""
    if asked is not None or paid is None:
        return asked or USUAL_UNIT
    return paid.unit or unit_in(paid.source) or USUAL_UNIT


def guessed_unit(source: str, unit: str) -> Note:
    """Return the note on a unit that no one named."""
    named = unit_in(source) == unit
    why = f"by the name of {source}" if named else f"{source} names no unit"
    return Note("guessed", "unit", unit, f"{why} (cost_unit, --cost-unit)")


def _names_in(measured: Measured) -> list[str]:
    return [*measured.benchmarks, *measured.scores.columns, *measured.models.columns]


def _build(
    measured: Measured, costs: Costs | None, known: list[str], cost_unit: str
) -> ResultsTable:
    names = measured.benchmarks
    columns = _finish_columns(measured.columns)
    notes = [*measured.notes, *_note_against(measured.scores, columns)]
    prices = dict.fromkeys(names, 1.0)
    cells = None
    if costs is not None:
        prices = match_costs(costs, names, known)
        notes += note_costs(costs, names, cost_unit)
    if costs is not None and costs.cells is not None:
        strangers = [
            m for m in costs.cells.dropna(how="all").index if m not in measured.scores.index
        ]
        why = f"has costs in {costs.source} but no scores"
        notes += [Note("ignored", "model", name, why) for name in strangers]
        cells = costs.cells.reindex(index=measured.scores.index, columns=names)
    return ResultsTable.from_scores(
        measured.scores,
        columns=columns,
        benchmarks=pd.DataFrame(
            {
                "task": pd.Series([measured.tasks.get(n) for n in names], names, dtype=object),
                "cost": pd.Series(prices, names, dtype=float),
            }
        ),
        models=measured.models,
        cost_unit=NO_COSTS if costs is None else cost_unit,
        stderrs=measured.stderrs,
        cell_costs=cells,
        provenance=Provenance(
            measured.source, measured.sha256, measured.layout, tuple(notes), measured.sources
        ),
    )


def _note_against(scores: pd.DataFrame, columns: pd.DataFrame) -> list[Note]:
    """Name score columns whose order of the models runs against that of all others."""
    columns = columns[columns["role"] != "proxy"]
    scores = scores[columns.index]
    signs = np.where(columns["direction"] == "higher", 1.0, -1.0)
    notes = []
    for name, r in against_the_rest(scores, signs).items():
        direction = columns["direction"][str(name)]
        source = columns["direction_source"][str(name)]
        other = "lower" if direction == "higher" else "higher"
        why = (
            f"runs against all other columns (rank correlation {r:.2f} with their mean) with "
            f"{direction} as better ({source}): if {other} is better, say --column '{name}={other}'"
        )
        notes.append(Note("guessed", "column", str(name), why))
    return notes


def _finish_columns(columns: pd.DataFrame) -> pd.DataFrame:
    """Fill in directions that were not read, and roles."""
    guesses = [guess_direction(str(c), m) for c, m in columns["metric"].items()]
    read = columns["direction"].notna()
    return pd.DataFrame(
        {
            "benchmark": columns["benchmark"],
            "metric": columns["metric"],
            "direction": columns["direction"].where(read, guesses),
            "direction_source": read.map({True: "read", False: "guessed"}),
            "role": columns["role"].fillna("score"),
            "bounds": columns["bounds"].fillna("guessed"),
        }
    )
