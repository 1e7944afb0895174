"""The verb that foresees: `predict`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from eevee.cli.app import app
from eevee.cli.command import verb
from eevee.cli.options import DetailOptions, parse_epochs
from eevee.cli.panels import MANY, MOST_SEED
from eevee.cli.printing import print_json, print_line, print_table, print_written, say
from eevee.cli.subset_options import Names, TierName, named_subsets, tier_subsets
from eevee.cli.table_options import TrainingTableOptions

if TYPE_CHECKING:
    import pandas as pd

    from eevee.prediction.prediction import Prediction
    from eevee.prediction.predictor import Predictor
    from eevee.tables.results_table import ResultsTable

SHOWN = 10
"""Rows without --verbose."""
_OF_NEW = (
    "scores", "model_column", "benchmark_column", "duplicates", "column", "drop_columns",
    "drop_models", "missing", "max_mb",
)  # fmt: skip
"""Options of the table that concern the file of new scores as well; `scores` has its own check."""
_PANEL = "Fit"


class MetaModelName(StrEnum):
    """Which meta-model."""

    auto = "auto"
    mlp = "mlp"
    ridge = "ridge"


@dataclass(frozen=True)
class FitOptions:
    """How the predictor is fitted."""

    scorer: Annotated[
        MetaModelName,
        typer.Option(
            "--scorer",
            help="The meta-model; 'auto' takes what predicts held-out training models better.",
            rich_help_panel=_PANEL,
        ),
    ] = MetaModelName.auto
    epochs: Annotated[
        str,
        typer.Option("--epochs", help="Of the MLP: a number, or 'auto'.", rich_help_panel=_PANEL),
    ] = "auto"
    n_init: Annotated[
        int,
        typer.Option(
            "--n-init",
            help="Of the MLP: networks averaged.",
            rich_help_panel=_PANEL,
            min=1,
            max=MANY,
            metavar="N",
        ),
    ] = 8
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Of the fits.", rich_help_panel=_PANEL, min=0, max=MOST_SEED, metavar="N"
        ),
    ] = 0
    weights: Annotated[
        Path | None,
        typer.Option(
            "--weights",
            help="CSV 'benchmark,weight', of the loss and the mean score.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            help="Attribute of models, such as family: those that share it are left out together.",
            rich_help_panel=_PANEL,
        ),
    ] = None

    def check(self) -> None:
        """Refuse epochs that are none as wrong usage."""
        self.checked_epochs()

    def checked_epochs(self) -> int | Literal["auto"]:
        """Return the epochs as a number or "auto"."""
        return parse_epochs(self.epochs)


@app.command(
    epilog="Example: eevee predict data/zoo/new.csv --scores data/zoo/scores.csv "
    "--subset banana,penbased,pima,spambase"
)
@verb
def predict(
    context: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="[TIERS] NEW",
            help="A tier file (unless --subset or --predictor is given), then the scores of "
            "the new models, as far as they were measured.",
        ),
    ],
    table: TrainingTableOptions,
    fit: FitOptions,
    output: DetailOptions,
    tier: TierName = None,
    benchmarks: Names = None,
    predictor: Annotated[
        Path | None,
        typer.Option(
            "--predictor", help="A predictor that --save-predictor wrote, in place of a fit."
        ),
    ] = None,
    level: Annotated[str, typer.Option("--level", help="Of the intervals: 90% or 0.9.")] = "90%",
    save: Annotated[
        Path | None,
        typer.Option("--save-predictor", help="Also write the fitted predictor (FILE.npz)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--csv", help="Also write a CSV: a row per model and column."),
    ] = None,
) -> None:
    """Predict new models' full rows, with intervals, from their scores on a few benchmarks."""
    from eevee.prediction.predictor import Predictor

    share = parse_level(level)
    tiers, new = _two(files, tier, benchmarks, predictor)
    _keep_inputs(
        {"--csv": out, "--save-predictor": save}, [*files, table.scores, predictor, fit.weights]
    )
    if (table.scores is None) == (predictor is None):
        raise typer.BadParameter("give either --scores (of the training models) or --predictor")
    if predictor is not None:
        _refuse_fitting(context)
        fitted = Predictor.load(predictor)
    else:
        fitted = _fit(table.read(), fit, tiers, tier, benchmarks)
    if save is not None:
        fitted.save(save)
    found = fitted.predict(_new_scores(new, fitted, table), level=share)
    for warning in found.warnings:
        _warn(warning)
    if out is not None:
        found.write_csv(out)
    if output.as_json:
        print_json(_as_json(fitted, found))
        return
    _print(fitted, found, most=None if output.verbose else SHOWN)
    print_written(out)


def _new_scores(path: Path, fitted: Predictor, table: TrainingTableOptions) -> pd.DataFrame:
    from eevee.readers.from_options import roles_of
    from eevee.readers.new_scores import read_new_scores

    return read_new_scores(
        path,
        fitted.table,
        model_column=table.model_column,
        benchmark_column=table.benchmark_column,
        duplicates=table.duplicates.value,
        column_roles=roles_of(table.column),
        drop_columns=table.drop_columns or (),
        drop_models=table.drop_models or (),
        missing=table.missing or (),
        max_mb=table.max_mb,
    )


def parse_level(text: str) -> float:
    """Read a level such as ``90%`` or ``0.9``; wrong usage if it is none.

    Examples
    --------
    >>> parse_level("90%"), parse_level("0.8")
    (0.9, 0.8)
    """
    from eevee.base.errors import EeveeError
    from eevee.stats.jackknife import check_level

    try:
        if text.endswith("%"):
            return check_level(float(text[:-1]) / 100)
        return check_level(float(text))
    except (EeveeError, ValueError):
        raise typer.BadParameter(f"--level is at least 50% and below 100%, not {text!r}") from None


def _refuse_fitting(context: typer.Context) -> None:
    """Refuse what would change a fit, were there one to make."""
    names = {one.name for group in (FitOptions, TrainingTableOptions) for one in fields(group)}
    given = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in names.difference(_OF_NEW) and source is not None and source.name != "DEFAULT":
            given.append(parameter.opts[0])
    if given:
        raise typer.BadParameter(f"--predictor is fitted already; drop {', '.join(given)}")


def _two(
    files: list[Path], tier: str | None, benchmarks: str | None, predictor: Path | None
) -> tuple[Path | None, Path]:
    """The tier file, if there is one, and the new scores."""
    inputs = [name for name, given in (("--subset", benchmarks), ("--predictor", predictor))
              if given is not None]  # fmt: skip
    if len(inputs) > 1:
        raise typer.BadParameter("--predictor has its benchmarks; remove --subset")
    if len(files) != (1 if inputs else 2):
        what = f"with {inputs[0]}, NEW alone" if inputs else "TIERS and NEW"
        raise typer.BadParameter(
            f"give {what}, not {len(files)} files (a list of names goes with --subset)"
        )
    if inputs and tier is not None:
        raise typer.BadParameter("--tier goes with a tier file")
    return (None if inputs else files[0]), files[-1]


def _keep_inputs(outputs: Mapping[str, Path | None], inputs: Sequence[Path | None]) -> None:
    """Refuse to write over a file that is read."""
    read = [path for path in inputs if path is not None and path.is_file()]
    for option, out in outputs.items():
        if out is not None and out.is_file() and any(out.samefile(path) for path in read):
            raise typer.BadParameter(f"{option} {out} is a file that is read; give another name")


def _fit(
    table: ResultsTable,
    fit: FitOptions,
    tiers: Path | None,
    tier: str | None,
    benchmarks: str | None,
) -> Predictor:
    from eevee.prediction.predictor import fit_predictor
    from eevee.readers.weights import read_weights

    if tiers is None:
        named = named_subsets(benchmarks, None, tier)
    else:
        named = _subsets_of(tiers, tier, table)
    if len(named) > 1:
        raise typer.BadParameter(f"name one tier: --tier {', --tier '.join(named)}")
    (subset,) = named.values()
    return fit_predictor(
        table,
        subset,
        scorer=fit.scorer.value,
        epochs=fit.checked_epochs(),
        n_init=fit.n_init,
        seed=fit.seed,
        weights=None if fit.weights is None else read_weights(fit.weights),
        groups=fit.groups,
    )


def _subsets_of(tiers: Path, tier: str | None, table: ResultsTable) -> dict[str, tuple[str, ...]]:
    """Read a tier file, once, and say where it was made from other scores than these."""
    from eevee.tiers.file import load_tiers

    loaded = load_tiers(tiers)
    expected = loaded.table
    if expected.sha256 != table.provenance.sha256:
        _warn(
            f"{tiers} was made from {expected.name} with another SHA-256 than "
            f"{table.provenance.source}: not the same scores"
        )
    return tier_subsets(loaded, tier)


def _warn(message: str) -> None:
    say(f"warning: {message}")


def _as_json(fitted: Predictor, found: Prediction) -> dict[str, Any]:
    return {
        "meta_model": {
            "name": fitted.model.name,
            "epochs": fitted.model.epochs,
            "n_init": fitted.model.n_init,
            "losses": dict(fitted.model.losses),
        },
        "benchmarks": fitted.benchmarks,
        "level": found.level,
        "method": found.method,
        "inputs": dict(found.inputs),
        "mean_score": None if found.mean_score is None else _records(found.mean_score),
        "mean_in_units": _records(found.mean_in_units),
        "scores": found.to_long().to_dict("records"),
        "no_interval": dict(found.no_interval),
        "outside": found.outside.to_dict("records"),
        "out_of_range": found.out_of_range.to_dict("records"),
        "warnings": found.warnings,
    }


def _records(means: pd.DataFrame) -> list[dict[Any, Any]]:
    return means.rename_axis("model").reset_index().to_dict("records")


def _print(fitted: Predictor, found: Prediction, *, most: int | None) -> None:
    print_line(f"meta-model: {fitted.model.words}, from {', '.join(fitted.benchmarks)}")
    print_line(f"intervals: {100 * found.level:g} %, {found.method}")
    print_line()
    means = found.mean_in_units if found.mean_score is None else found.mean_score
    what = "of scores" if means is found.mean_score else "in units above the training models' mean"
    print_table(
        f"Mean over benchmarks, {what}",
        ["model", *means.columns],
        ([model, *row] for model, row in zip(means.index, means.to_numpy().tolist(), strict=True)),
        most=most,
    )
    print_line()
    rows = found.to_long()
    predicted = rows[~rows["measured"]].drop(columns="measured")
    print_table(
        f"Predicted scores ({len(rows) - len(predicted)} more were measured)",
        predicted.columns,
        predicted.itertuples(index=False),
        most=most,
        rest="--csv FILE.csv, --json or --verbose has all",
    )
    for name, why in found.no_interval.items():
        print_line(f"no interval for {name}: {why}")
