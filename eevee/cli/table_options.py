"""Options of what to read, and how: the panel "Table"."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from eevee.base.bounded import MAX_MB, MOST_MB
from eevee.cli.panels import COST_OPTIONS, TABLE, option
from eevee.cli.printing import say
from eevee.cli.table_file import take_table_file

if TYPE_CHECKING:
    from eevee.tables.results_table import ResultsTable


class Duplicates(StrEnum):
    """What to do with several scores for one cell."""

    error = "error"
    mean = "mean"
    first = "first"
    last = "last"


class Layout(StrEnum):
    """How scores are laid out."""

    auto = "auto"
    wide = "wide"
    long = "long"
    two_header_rows = "two-header-rows"
    transposed = "transposed"


ColumnOption = Annotated[
    list[str] | None,
    option(
        "--column",
        help="NAME=ROLE: what a column is, such as score, cost, text or lower (is better).",
        panel=TABLE,
    ),
]
DropColumnsOption = Annotated[
    list[str] | None,
    option("--drop-columns", help="Columns or benchmarks to leave out, as '*_std'.", panel=TABLE),
]
DropModelsOption = Annotated[
    list[str] | None,
    option("--drop-models", help="Models to leave out, as 'human*'.", panel=TABLE),
]
MissingOption = Annotated[
    list[str] | None,
    option(
        "--missing",
        help="What else means 'not measured': 'OOM,-1' or, in one column, 'NAME=-1'.",
        panel=TABLE,
    ),
]
MaxMbOption = Annotated[
    float, option("--max-mb", help="Megabytes that a file may have, unpacked.", panel=TABLE)
]

_FACTS = "CSV 'benchmark' with any of task, direction, cost, role, metric, bounds."


def check_reading(column: list[str] | None, max_mb: float) -> None:
    """Refuse roles and limits that are none as wrong usage."""
    for given in column or ():
        if not all(part.strip() for part in given.rpartition("=")):
            raise typer.BadParameter(f"--column takes NAME=ROLE, not {given!r}")
    if not 0 < max_mb <= MOST_MB:
        raise typer.BadParameter(
            f"--max-mb is a positive number, at most {MOST_MB:,.0f}, not {max_mb:g}"
        )


@dataclass(frozen=True)
class TableOptions:
    """What to read, and how."""

    PAID: ClassVar[bool] = True
    """Whether costs count."""

    scores: Annotated[
        Path, typer.Argument(help="Scores: a CSV or TSV file, wide or long, also gzipped.")
    ]
    table: Annotated[
        Path | None,
        option(
            "--table",
            help="TOML file of the options in this panel, as `eevee describe --save` writes it.",
            panel=TABLE,
            is_eager=True,
            callback=take_table_file,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        option(
            "--costs",
            help="CSV 'benchmark,cost', 'model,benchmark,cost', or models x benchmarks.",
            panel=TABLE,
        ),
    ] = None
    cost_unit: Annotated[
        str | None,
        option(
            "--cost-unit",
            help="What costs are counted in, unless their file says it: else GPU-hours.",
            panel=TABLE,
        ),
    ] = None
    cost_statistic: Annotated[
        str,
        option(
            "--cost-statistic",
            help="Of costs per model: median, mean, max, min, or a quantile such as q90.",
            panel=TABLE,
        ),
    ] = "median"
    gpu_speed: Annotated[
        list[str] | None,
        option(
            "--gpu-speed",
            help="TYPE=NUMBER, once per GPU type: costs are converted to the GPU with speed 1.",
            panel=TABLE,
        ),
    ] = None
    gpu_column: Annotated[
        str | None,
        option("--gpu-column", help="Column of GPU types (default: gpu).", panel=TABLE),
    ] = None
    facts: Annotated[
        Path | None,
        option(
            "--benchmarks-file",
            help=_FACTS,
            panel=TABLE,
        ),
    ] = None
    models: Annotated[
        Path | None,
        option("--models-file", help="Attributes of models, such as family.", panel=TABLE),
    ] = None
    proxies: Annotated[
        Path | None,
        option(
            "--proxies",
            help="Proxy columns, as `eevee measure` writes them: inputs, never targets.",
            panel=TABLE,
        ),
    ] = None
    model_column: Annotated[
        str | None,
        option("--model-column", help="Column(s) that name the model, as 'name,tag'.", panel=TABLE),
    ] = None
    benchmark_column: Annotated[
        str | None,
        option("--benchmark-column", help="Column that names the benchmark.", panel=TABLE),
    ] = None
    metric_column: Annotated[
        str | None, option("--metric-column", help="Column that names the metric.", panel=TABLE)
    ] = None
    score_column: Annotated[
        str | None, option("--score-column", help="Column of scores.", panel=TABLE)
    ] = None
    layout: Annotated[Layout, option("--layout", help="How scores are laid out.", panel=TABLE)] = (
        Layout.auto
    )
    keep_aggregates: Annotated[
        bool,
        option("--keep-aggregates", help="Keep columns that are means of others.", panel=TABLE),
    ] = False
    column: ColumnOption = None
    drop_columns: DropColumnsOption = None
    drop_models: DropModelsOption = None
    missing: MissingOption = None
    min_coverage: Annotated[
        float,
        option("--min-coverage", help="Share of cells a benchmark or model needs.", panel=TABLE),
    ] = 0.0
    duplicates: Annotated[
        Duplicates, option("--duplicates", help="Several scores for one cell.", panel=TABLE)
    ] = Duplicates.error
    max_mb: MaxMbOption = MAX_MB

    def check(self) -> None:
        """Refuse numbers out of range as wrong usage."""
        if not 0.0 <= self.min_coverage <= 1.0:
            raise typer.BadParameter(f"--min-coverage lies in 0..1, not {self.min_coverage:g}")
        check_reading(self.column, self.max_mb)
        self._check_costs()

    def _check_costs(self) -> None:
        if self.gpu_column is not None and not self.gpu_speed:
            raise typer.BadParameter("--gpu-column goes with --gpu-speed")
        if self.cost_statistic == "median" and not self.gpu_speed:
            return  # loads pandas for nothing
        from eevee.base.errors import EeveeError
        from eevee.readers.gpus import parse_speeds
        from eevee.readers.statistic import read_statistic

        try:
            read_statistic(self.cost_statistic)
            if self.gpu_speed:
                parse_speeds(self.gpu_speed)
        except EeveeError as wrong:
            raise typer.BadParameter(str(wrong)) from None

    def read(self, *, silent: bool = False) -> ResultsTable:
        """Read the table; unless `silent`, say on standard error what was set aside."""
        from eevee.readers.asides import aside_sentence, proxy_sentence, unit_sentence
        from eevee.readers.from_options import read_as_asked
        from eevee.readers.proxies import check_paid

        table = read_as_asked(asdict(self))
        if self.proxies is not None and self.PAID:
            check_paid(table)
        proxies = [str(name) for name in table.columns.index[~table.is_target]]
        said = (aside_sentence(table), unit_sentence(table), proxy_sentence(proxies))
        for sentence in filter(None, said):
            if not silent:
                say(sentence)
        return table


@dataclass(frozen=True)
class JudgedTableOptions(TableOptions):
    """The same, beside a list of names to judge."""

    facts: Annotated[Path | None, option("--benchmarks-file", help=_FACTS, panel=TABLE)] = None


@dataclass(frozen=True)
class TrainingTableOptions(JudgedTableOptions):
    """The same, where the table is an option and costs play no part: another file comes first."""

    PAID: ClassVar[bool] = False
    FIXED: ClassVar[tuple[str, ...]] = tuple(name.replace("-", "_") for name in COST_OPTIONS)

    scores: Annotated[
        Path | None,
        option("--scores", help="Scores of the training models, wide or long.", panel=TABLE),
    ] = None  # type: ignore[assignment]
