"""What a verb leaves behind: from results to the files and figures of a run folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from eevee import plots
from eevee.analysis.ablation import Ablation
from eevee.analysis.describe import summary
from eevee.analysis.overview import Overview
from eevee.base.errors import EeveeError
from eevee.report.out import CONFIG
from eevee.report.run_folder import (
    agreements,
    logbooks,
    ranked_subsets,
    run_folder,
    write_config,
    write_json,
    write_table,
)
from eevee.scorers.base import Scorer
from eevee.search.result import SearchResult
from eevee.search.select import Selection
from eevee.search.sweep import SweepResult
from eevee.tables.results_table import ResultsTable
from eevee.tiers.file import dump_tiers
from eevee.tiers.from_front import FrontResult
from eevee.tiers.result import TiersResult

FIGURES = "figures"
SELECTED = "selected"
"""Name of the one search of `eevee select`."""


def save_tiers(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: TiersResult,
    shown: Overview,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee tiers`: tier files, subsets, logbook, config, figures.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    scorer : Scorer
    result : TiersResult
    shown : Overview
        Of the same searches.
    settings : mapping
        Of the job, for `config.json`.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    more = dict(settings)
    if result.nesting is not None:
        more["nesting"] = result.nesting.price.to_dict("records")
    found, beside = result.searches, result.baselines
    with run_folder(out) as folder:
        dump_tiers(result, folder / "tiers.yaml")
        dump_tiers(result, folder / "tiers.json")
        _save_search(folder, "tiers", scorer, found, more, by="tier", baselines=beside)
        _save_overview(folder, scorer, shown, named=True)


def save_selection(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: Selection,
    shown: Overview,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee select`; as `save_tiers`, of one search."""
    found, beside = {SELECTED: result}, result.baselines
    more = {**settings, "verdict": result.verdict.as_dict()}
    with run_folder(out) as folder:
        _save_search(folder, "select", scorer, found, more, by="search", baselines=beside)
        _save_overview(folder, scorer, shown, named=False)


def save_pareto(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: FrontResult,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee pareto`: front, all subsets scored, logbook, figure, tiers.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    scorer : Scorer
    result : FrontResult
    settings : mapping
        Of the job, for `config.json`.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    front, found = result.front, result.searches
    searches = {"front": front.settings}
    searches |= {name: one.settings for name, one in found.items()}
    with run_folder(out) as folder:
        write_table(folder / "front.csv", front.front)
        write_table(folder / "subsets.csv", front.evaluated)
        write_table(folder / "logbook.csv", front.logbook)
        write_config(folder, "pareto", _settings(scorer, {**settings, "searches": searches}))
        if result.tier_set is not None:
            dump_tiers(result.tier_set, folder / "tiers.yaml")
            dump_tiers(result.tier_set, folder / "tiers.json")
        data = plots.pareto_data(front, found)
        save_figure(folder, "pareto", data, cost_unit=scorer.table.cost_unit)


def save_sweep(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: SweepResult,
    ablations: Mapping[str, Ablation],
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee sweep`; with the ablation of the first subset of each k."""
    verdicts = {str(k): one.as_dict() for k, one in result.verdicts.items()}
    found = {str(len(one.best)): one for one in result}
    with run_folder(out) as folder:
        _save_search(folder, "sweep", scorer, found, {**settings, "verdicts": verdicts}, by="k")
        write_table(folder / "sweep.csv", result.losses)
        write_table(folder / "ablation.csv", _stacked(ablations))
        save_figure(folder, "sweep", plots.sweep_data(result.losses))


def save_ranking(
    out: str | os.PathLike[str],
    scorer: Scorer,
    ranking: pd.DataFrame,
    mean_predictor: float,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee rank`."""
    with run_folder(out) as folder:
        write_config(folder, "rank", _settings(scorer, settings))
        write_table(folder / "ranking.csv", ranking)
        save_figure(folder, "rank", _rank_figure(ranking, mean_predictor))


def save_ablation(
    out: str | os.PathLike[str],
    scorer: Scorer,
    ablations: Mapping[str, Ablation],
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee ablate`, a figure for each named subset."""
    with run_folder(out) as folder:
        write_config(folder, "ablate", _settings(scorer, settings))
        write_table(folder / "ablation.csv", _stacked(ablations))
        for name, one in ablations.items():
            save_figure(folder, f"ablation-{name}", _ablation_figure(one))


def save_ratings(
    out: str | os.PathLike[str],
    scorer: Scorer,
    ratings: Mapping[str, Mapping[str, Any]],
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee rate`."""
    with run_folder(out) as folder:
        write_config(folder, "rate", _settings(scorer, settings))
        write_json(folder / "ratings.json", ratings)


def save_figure(folder: Path, name: str, data: pd.DataFrame | None, **options: Any) -> None:
    """Write a figure's data step as CSV and the figure itself as PNG and PDF.

    The part of the name before the first hyphen is the kind of figure. None, for where every
    loss is blank, writes nothing.
    """
    if data is None:
        return
    (folder / FIGURES).mkdir(exist_ok=True)
    path = folder / FIGURES / name
    data.to_csv(path.with_name(f"{name}.csv"), index=False, lineterminator="\n")
    plots.save_figure(plots.figure(name.partition("-")[0], data, **options), path)


def redraw(run: str | os.PathLike[str], width: float | None = None) -> list[Path]:
    """Draw every figure of a run folder again from its data, such as after editing it.

    Parameters
    ----------
    run : path
    width : float, optional
        In inches, as a paper needs it; by default as the figures were made.

    Raises
    ------
    EeveeError
        If the folder is no run folder, or holds no figure data.
    """
    folder = Path(run)
    sources = sorted((folder / FIGURES).glob("*.csv"))
    if not (folder / CONFIG).is_file() or not sources:
        raise EeveeError(f"{folder}: is no run folder with figures; `eevee tiers --out` makes one")
    written: list[Path] = []
    for source in sources:
        kind = source.stem.partition("-")[0]
        options: dict[str, Any] = {} if width is None else {"width": width}
        if kind in ("cost", "pareto"):
            options["cost_unit"] = _cost_unit(folder)
        figure = plots.figure(kind, plots.read_data(source), **options)
        written += plots.save_figure(figure, source.with_suffix(""))
    return written


def save_heatmap(
    path: str | os.PathLike[str],
    table: ResultsTable,
    by: str | None = None,
    benchmarks: Iterable[str] | None = None,
    width: float | None = None,
) -> Path:
    """Draw the heat map of ranks of a table to one PNG, PDF or SVG file, by suffix.

    Raises
    ------
    EeveeError
        If the suffix is another, a benchmark is unknown or the file cannot be written.
    """
    target = Path(path)
    kind = target.suffix.removeprefix(".")
    if kind not in ("png", "pdf", "svg"):
        raise EeveeError(f"{target}: a figure ends in .png, .pdf or .svg")
    figure = plots.figure("heatmap", plots.heatmap_data(table, by, benchmarks), width=width)
    return plots.save_figure(figure, target.with_suffix(""), (kind,))[0]


def _cost_unit(folder: Path) -> str:
    """Return the unit of costs that a run's config names."""
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return str(config["table"]["cost_unit"])
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise EeveeError(f"{folder / CONFIG}: names no table.cost_unit ({error})") from None


def _save_search(
    folder: Path,
    command: str,
    scorer: Scorer,
    found: Mapping[str, SearchResult],
    settings: Mapping[str, Any],
    *,
    by: str,
    baselines: pd.DataFrame | None = None,
) -> None:
    write_table(folder / "subsets.csv", ranked_subsets(found, by))
    if baselines is not None:
        objective = next(iter(found.values())).objective
        write_table(folder / "baselines.csv", baselines.assign(objective=objective))
    agreed = [one for r in found.values() for one in (r.agreement, r.split_agreement) if one]
    if any(one.jaccard is not None for one in agreed):
        write_table(folder / "agreement.csv", agreements(found, by, "benchmarks"))
        write_table(folder / "pairs.csv", agreements(found, by, "pairs"))
    write_table(folder / "logbook.csv", logbooks(found, by))
    searches = {name: result.settings for name, result in found.items()}
    write_config(folder, command, _settings(scorer, {**settings, "searches": searches}))


def _settings(scorer: Scorer, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {**settings, "table": summary(scorer.table), "scorer": scorer.describe()}


def _save_overview(folder: Path, scorer: Scorer, shown: Overview, *, named: bool) -> None:
    """Draw what stands beside searches: each benchmark alone, costs, ablations, the table."""
    save_figure(folder, "rank", _rank_figure(shown.ranking, shown.mean_predictor))
    if shown.cloud["loss"].notna().any():
        unit = scorer.table.cost_unit
        save_figure(folder, "cost", plots.cost_data(shown.cloud), cost_unit=unit)
    for name, one in shown.ablations.items():
        suffix = f"-{name}" if named else ""
        save_figure(folder, f"ablation{suffix}", _ablation_figure(one))
    save_figure(folder, "heatmap", plots.heatmap_data(scorer.table))


def _stacked(ablations: Mapping[str, Ablation]) -> pd.DataFrame:
    parts = [one.frame.assign(subset=name) for name, one in ablations.items()]
    return pd.concat(parts, ignore_index=True)


def _rank_figure(ranking: pd.DataFrame, mean_predictor: float) -> pd.DataFrame | None:
    return None if ranking["loss"].isna().all() else plots.rank_data(ranking, mean_predictor)


def _ablation_figure(one: Ablation) -> pd.DataFrame | None:
    blank = one.frame["increase"].isna().all()
    return None if blank else plots.ablation_data(one.frame, one.loss)
