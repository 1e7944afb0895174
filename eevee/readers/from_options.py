"""Read a table by options that were written down: those of the command line, or of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from eevee.readers import read_table
from eevee.readers.gpus import parse_speeds
from eevee.tables.results_table import ResultsTable

_SAME = (
    *("costs", "models", "proxies"),
    *("model_column", "benchmark_column", "metric_column", "score_column"),
    *("layout", "keep_aggregates", "min_coverage", "duplicates", "cost_unit", "cost_statistic"),
    *("gpu_column", "max_mb"),
)
"""Options that `read_table` has under the same name."""


def read_as_asked(options: Mapping[str, Any]) -> ResultsTable:
    """Read the table that the options of the command line ask for, by the names of its fields.

    Options that are not there have the defaults of `eevee.read_table`.

    Raises
    ------
    EeveeError
        As `eevee.read_table`.
    """
    given = {name: options[name] for name in _SAME if options.get(name) is not None}
    for name in ("layout", "duplicates"):
        if name in given:
            given[name] = str(given[name])
    for name in ("drop_columns", "drop_models", "missing"):
        given[name] = options.get(name) or ()
    speeds = options.get("gpu_speed")
    return read_table(
        options["scores"],
        benchmarks=options.get("facts"),
        gpu_speeds=parse_speeds(speeds) if speeds else None,
        column_roles=roles_of(options.get("column")),
        **given,
    )


def roles_of(column: Iterable[str] | None) -> dict[str, str]:
    """Take NAME=ROLE apart.

    Examples
    --------
    >>> roles_of(["price=cost", "a=b=lower"])
    {'price': 'cost', 'a=b': 'lower'}
    """
    pairs = (given.rsplit("=", 1) for given in column or ())
    return {name.strip(): role.strip() for name, role in pairs}
