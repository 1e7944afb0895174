"""Options that several verbs share, in groups."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from eevee.cli.printing import warn_of_leak
from eevee.cli.table_file import take_table_file

if TYPE_CHECKING:
    from eevee.scorers.base import Scorer
    from eevee.scorers.spec import Scoring
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


class ScorerName(StrEnum):
    """Which meta-model."""

    mlp = "mlp"
    ridge = "ridge"
    factor = "factor"
    auto = "auto"


class Targets(StrEnum):
    """What the meta-model predicts."""

    all = "all"
    unseen = "unseen"


def option(*names: str, help: str, panel: str, **more: Any) -> Any:
    """Return an option of one panel of `--help`."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


_TABLE, _SCORER, _OUTPUT = "Table", "Scorer", "Output"
_FACTS = "CSV 'benchmark' with any of task, direction, cost, role, metric, bounds."


@dataclass(frozen=True)
class TableOptions:
    """What to read, and how."""

    scores: Annotated[
        Path, typer.Argument(help="Scores: a CSV or TSV file, wide or long, also gzipped.")
    ]
    table: Annotated[
        Path | None,
        option(
            "--table",
            help="TOML file of the options in this panel, as `eevee describe --save` writes it.",
            panel=_TABLE,
            is_eager=True,
            callback=take_table_file,
        ),
    ] = None
    costs: Annotated[
        Path | None,
        option(
            "--costs",
            help="CSV 'benchmark,cost', 'model,benchmark,cost', or models x benchmarks.",
            panel=_TABLE,
        ),
    ] = None
    cost_unit: Annotated[
        str, option("--cost-unit", help="What costs are counted in.", panel=_TABLE)
    ] = "GPU-hours"
    cost_statistic: Annotated[
        str,
        option(
            "--cost-statistic",
            help="Of costs per model: median, mean, max, min, or a quantile such as q90.",
            panel=_TABLE,
        ),
    ] = "median"
    gpu_speed: Annotated[
        list[str] | None,
        option(
            "--gpu-speed",
            help="TYPE=NUMBER, once per GPU type: costs are converted to the GPU with speed 1.",
            panel=_TABLE,
        ),
    ] = None
    gpu_column: Annotated[
        str | None,
        option("--gpu-column", help="Column of GPU types (default: gpu).", panel=_TABLE),
    ] = None
    facts: Annotated[
        Path | None,
        option(
            "--benchmarks-file",
            help=_FACTS,
            panel=_TABLE,
        ),
    ] = None
    models: Annotated[
        Path | None,
        option("--models-file", help="Attributes of models, such as family.", panel=_TABLE),
    ] = None
    model_column: Annotated[
        str | None,
        option(
            "--model-column", help="Column(s) that name the model, as 'name,tag'.", panel=_TABLE
        ),
    ] = None
    benchmark_column: Annotated[
        str | None,
        option("--benchmark-column", help="Column that names the benchmark.", panel=_TABLE),
    ] = None
    metric_column: Annotated[
        str | None, option("--metric-column", help="Column that names the metric.", panel=_TABLE)
    ] = None
    score_column: Annotated[
        str | None, option("--score-column", help="Column of scores.", panel=_TABLE)
    ] = None
    layout: Annotated[Layout, option("--layout", help="How scores are laid out.", panel=_TABLE)] = (
        Layout.auto
    )
    keep_aggregates: Annotated[
        bool,
        option("--keep-aggregates", help="Keep columns that are means of others.", panel=_TABLE),
    ] = False
    min_coverage: Annotated[
        float,
        option("--min-coverage", help="Share of cells a benchmark or model needs.", panel=_TABLE),
    ] = 0.0
    duplicates: Annotated[
        Duplicates, option("--duplicates", help="Several scores for one cell.", panel=_TABLE)
    ] = Duplicates.error

    def check(self) -> None:
        """Refuse numbers out of range as wrong usage."""
        if not 0.0 <= self.min_coverage <= 1.0:
            raise typer.BadParameter(f"--min-coverage lies in 0..1, not {self.min_coverage:g}")
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

    def read(self) -> ResultsTable:
        """Read the table."""
        from eevee.readers import read_table
        from eevee.readers.gpus import parse_speeds

        return read_table(
            self.scores,
            costs=self.costs,
            benchmarks=self.facts,
            models=self.models,
            model_column=self.model_column,
            benchmark_column=self.benchmark_column,
            metric_column=self.metric_column,
            score_column=self.score_column,
            layout=self.layout.value,
            keep_aggregates=self.keep_aggregates,
            min_coverage=self.min_coverage,
            duplicates=self.duplicates.value,
            cost_unit=self.cost_unit,
            cost_statistic=self.cost_statistic,
            gpu_speeds=parse_speeds(self.gpu_speed) if self.gpu_speed else None,
            gpu_column=self.gpu_column,
        )


@dataclass(frozen=True)
class JudgedTableOptions(TableOptions):
    """The same, beside a list of names to judge."""

    facts: Annotated[Path | None, option("--benchmarks-file", help=_FACTS, panel=_TABLE)] = None


@dataclass(frozen=True)
class TrainingTableOptions(JudgedTableOptions):
    """The same, where the table is an option: another file comes first."""

    scores: Annotated[
        Path | None,
        option("--scores", help="Scores of the training models, wide or long.", panel=_TABLE),
    ] = None  # type: ignore[assignment]


@dataclass(frozen=True)
class ScorerOptions:
    """How subsets are scored."""

    seed: Annotated[
        int, option("--seed", help="Of splits, scorer and search.", panel=_SCORER, min=0)
    ] = 0
    scorer: Annotated[
        ScorerName,
        option(
            "--scorer",
            help="The meta-model; 'auto' takes what predicts this table's models best.",
            panel=_SCORER,
        ),
    ] = ScorerName.mlp
    paper: Annotated[
        bool,
        option(
            "--paper",
            help="As in the paper: 20 epochs, all targets, top 50 kept, all generations.",
            panel=_SCORER,
        ),
    ] = False
    targets: Annotated[
        Targets,
        option("--targets", help="Predict all columns, or only unseen benchmarks.", panel=_SCORER),
    ] = Targets.all
    epochs: Annotated[
        str | None,
        option("--epochs", help="A number, or 'auto' (the default).", panel=_SCORER),
    ] = None
    n_init: Annotated[
        int, option("--n-init", help="Initialisations averaged.", panel=_SCORER, min=1)
    ] = 1
    n_splits: Annotated[
        int,
        option("--n-splits", help="Number of splits of the models.", panel=_SCORER, min=1),
    ] = 10
    test_size: Annotated[
        float, option("--test-size", help="Share of models held out.", panel=_SCORER)
    ] = 0.2
    group_duplicates: Annotated[
        bool,
        option(
            "--group-duplicates",
            help="Models that are nearly the same stay on one side of a split.",
            panel=_SCORER,
        ),
    ] = False
    groups: Annotated[
        str | None,
        option(
            "--groups",
            help="Attribute of models, such as family: those that share it stay on one side.",
            panel=_SCORER,
        ),
    ] = None
    weights: Annotated[
        Path | None,
        option(
            "--weights", help="CSV 'benchmark,weight', of the loss and mean scores.", panel=_SCORER
        ),
    ] = None
    device: Annotated[str, option("--device", help="auto, cpu, cuda or cuda:N.", panel=_SCORER)] = (
        "auto"
    )

    def make(self, table: ResultsTable, *, quiet: bool = False) -> Scorer:
        """Make the scorer; on standard error: what "auto" chose, near-duplicates that are apart."""
        from eevee.scorers.choose import ChosenScorer
        from eevee.splits.near_duplicates import find_leak

        made = self.plan().make(table, self.seed)
        warn_of_leak(find_leak(table, made.splits))
        if isinstance(made, ChosenScorer) and not quiet:
            typer.echo(f"scorer: {made.choice.name} ({made.choice.reason})", err=True)
        return made

    def plan(self) -> Scoring:
        """Return how to score, before there is a table."""
        from eevee.readers.weights import read_weights
        from eevee.scorers.spec import Scoring

        return Scoring(
            scorer=self.scorer.value,
            n_splits=self.n_splits,
            test_size=self.test_size,
            targets=self.targets.value,
            weights=None if self.weights is None else read_weights(self.weights),
            options=self._mlp_options(),
            groups=self.groups,
            group_duplicates=self.group_duplicates,
        )

    def elsewhere(self, made: Scorer, table: ResultsTable, count: int) -> Sequence[Scorer]:
        """Make the same scorer on so many other splits."""
        return self.plan().elsewhere(made, table, self.seed, count)

    def _mlp_options(self) -> dict[str, Any]:
        if self.scorer is ScorerName.auto:
            return {"device": self.device}
        if self.scorer is not ScorerName.mlp:
            return {}
        return {"epochs": self._epochs(), "n_init": self.n_init, "device": self.device}

    def check(self) -> None:
        """Refuse contradictions, and numbers out of range, as wrong usage."""
        self._epochs()
        self._check_scorer()
        if not 0.0 < self.test_size < 1.0:
            raise typer.BadParameter(f"--test-size lies between 0 and 1, not {self.test_size:g}")
        if self.paper and (self.targets is not Targets.all or self.epochs not in (None, "20")):
            raise typer.BadParameter(
                "--paper means 20 epochs and all targets; remove --epochs and --targets, or --paper"
            )

    def _check_scorer(self) -> None:
        given = {
            "--paper": self.paper,
            "--epochs": self.epochs is not None,
            "--n-init": self.n_init != 1,
            "--device": self.device != "auto" and self.scorer is not ScorerName.auto,
        }
        extra = [name for name, there in given.items() if there]
        if self.scorer is not ScorerName.mlp and extra:
            raise typer.BadParameter(
                f"{' and '.join(extra)} {'needs' if len(extra) == 1 else 'need'} --scorer mlp, "
                f"not --scorer {self.scorer.value}"
            )

    def _epochs(self) -> Any:
        if self.epochs is None:
            return 20 if self.paper else "auto"
        if self.epochs == "auto":
            return "auto"
        if not self.epochs.isdecimal() or int(self.epochs) < 1:
            raise typer.BadParameter(f"--epochs is a number or 'auto', not {self.epochs!r}")
        return int(self.epochs)

    @property
    def search_seed(self) -> int:
        """Seed of the search, apart from those of splits and scorer."""
        from eevee.base.seeds import child_seed
        from eevee.scorers.spec import SEARCH

        return child_seed(self.seed, SEARCH)


@dataclass(frozen=True)
class FrontScorerOptions(ScorerOptions):
    """The same, where sizes are compared: the targets are all columns."""

    FIXED: ClassVar[tuple[str, ...]] = ("targets",)


@dataclass(frozen=True)
class JsonOption:
    """Whether results are for machines."""

    as_json: Annotated[bool, option("--json", help="Print JSON for machines.", panel=_OUTPUT)] = (
        False
    )


@dataclass(frozen=True)
class OutputOptions(JsonOption):
    """The same, for verbs that take long."""

    quiet: Annotated[
        bool, option("--quiet", "-q", help="No progress on stderr.", panel=_OUTPUT)
    ] = False


Out = Annotated[
    Path | None,
    option("--out", "-o", help="Also write a run folder (replaces an earlier).", panel=_OUTPUT),
]

TierFile = Annotated[
    Path | None, typer.Option("--tier-file", help="A tier file, whose lists are taken.")
]
TierName = Annotated[
    str | None, typer.Option("--tier", help="Which tier of the file; all by default.")
]


def named_subsets(
    benchmarks: str | None, tiers: Path | None, tier: str | None
) -> dict[str, tuple[str, ...]]:
    """Return the subsets that a list of names or a tier file gives, by name."""
    if (benchmarks is None) == (tiers is None):
        raise typer.BadParameter("give either --subset a,b,c or --tier-file FILE")
    if benchmarks is not None:
        if tier is not None:
            raise typer.BadParameter("--tier goes with --tier-file")
        return {"list": split_names("--subset", benchmarks)}
    from eevee.tiers.file import load_tiers

    assert tiers is not None
    loaded = load_tiers(tiers)
    chosen = loaded if tier is None else [loaded[tier]]
    return {one.name: one.benchmark_names for one in chosen}


def split_names(name: str, text: str | None) -> tuple[str, ...]:
    """Read names such as ``a,b,"c, d"``; none where nothing was given, wrong usage if empty.

    Examples
    --------
    >>> split_names("--require", 'a, "b, c"')
    ('a', 'b, c')
    """
    if text is None:
        return ()
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise typer.BadParameter(
            f"{name} is a,b,c in one line (a name with commas in quotes), not {text!r}"
        ) from None
    names = [one.strip() for one in names if one.strip()]
    if not names:
        raise typer.BadParameter(f"{name} names none; give a,b,c")
    return tuple(names)


def settings(*groups: object, **more: Any) -> dict[str, Any]:
    """Return what a job was asked to do: every option, and what the files were that it read."""
    from eevee.report.run_folder import hash_files

    values: dict[str, Any] = {}
    for group in groups:
        values |= asdict(group)  # type: ignore[call-overload]
    values |= more
    files = {name: value for name, value in values.items() if isinstance(value, Path)}
    options = {name: value for name, value in values.items() if name not in files}
    return {"seed": options.pop("seed"), "options": options, "inputs": hash_files(files)}
