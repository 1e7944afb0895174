"""What a verb leaves behind: from results to the files and figures of a run folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from eevee import plots
from eevee.analysis.ablation import ablate
from eevee.analysis.describe import summary
from eevee.analysis.ranking import rank_benchmarks
from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError
from eevee.report.run_folder import (
    CONFIG,
    agreements,
    logbooks,
    ranked_subsets,
    run_folder,
    write_config,
    write_json,
    write_table,
)
from eevee.scorers.base import Advance, Scorer
from eevee.search.curve import losses_for, random_ones
from eevee.search.front.pareto import ParetoResult
from eevee.search.result import SearchResult
from eevee.tables.results_table import ResultsTable
from eevee.tiers.file import TierSet, dump_tiers
from eevee.tiers.result import TiersResult

FIGURES = "figures"


def save_tiers(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: TiersResult,
    settings: Mapping[str, Any],
    *,
    advance: Advance | None = None,
) -> None:
    """Write the run folder of `eevee tiers`: tier files, subsets, logbook, config, figures.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    scorer : Scorer
    result : TiersResult
    settings : mapping
        Of the job, for `config.json`.
    advance : callable, optional
        Told how many subsets have just been scored for the figures.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    found = result.searches
    more = dict(settings)
    if result.nesting is not None:
        more["nesting"] = result.nesting.price.to_dict("records")
    with run_folder(out) as folder:
        dump_tiers(result, folder / "tiers.yaml")
        dump_tiers(result, folder / "tiers.json")
        _save_search(folder, "tiers", scorer, found, more, by="tier", baselines=result.baselines)
        save_figure(folder, "rank", _rank_figure(scorer, rank_benchmarks(scorer, advance=advance)))
        save_figure(
            folder,
            "cost",
            cost_frame(found, result.losses, scorer),
            cost_unit=scorer.table.cost_unit,
        )
        for name, one in found.items():
            drop = ablate(scorer, one.best, advance=advance)
            save_figure(folder, f"ablation-{name}", _ablation_figure(scorer, one.best, drop))
        save_figure(folder, "heatmap", plots.heatmap_data(scorer.table))


def save_selection(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: SearchResult,
    both: pd.DataFrame,
    settings: Mapping[str, Any],
    *,
    baselines: pd.DataFrame | None = None,
    advance: Advance | None = None,
) -> None:
    """Write the run folder of `eevee select`; as `save_tiers`, of one search."""
    with run_folder(out) as folder:
        found = {"selected": result}
        _save_search(folder, "select", scorer, found, settings, by="search", baselines=baselines)
        save_figure(folder, "rank", _rank_figure(scorer, rank_benchmarks(scorer, advance=advance)))
        drop = ablate(scorer, result.best, advance=advance)
        save_figure(folder, "ablation", _ablation_figure(scorer, result.best, drop))
        save_figure(folder, "heatmap", plots.heatmap_data(scorer.table))
        save_figure(
            folder, "cost", cost_frame(found, both, scorer), cost_unit=scorer.table.cost_unit
        )


def save_pareto(
    out: str | os.PathLike[str],
    scorer: Scorer,
    result: ParetoResult,
    found: Mapping[str, SearchResult],
    tiers: TierSet | None,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee pareto`: front, all subsets scored, logbook, figure, tiers.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    scorer : Scorer
    result : ParetoResult
    found : mapping of tier name to SearchResult
        From `tiers_from_front`; empty without budgets.
    tiers : TierSet or None
        The same, as it is exported.
    settings : mapping
        Of the job, for `config.json`.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    searches = {"front": result.settings}
    searches |= {name: one.settings for name, one in found.items()}
    with run_folder(out) as folder:
        write_table(folder / "front.csv", result.front)
        write_table(folder / "subsets.csv", result.evaluated)
        write_table(folder / "logbook.csv", result.logbook)
        write_config(folder, "pareto", _settings(scorer, {**settings, "searches": searches}))
        if tiers is not None:
            dump_tiers(tiers, folder / "tiers.yaml")
            dump_tiers(tiers, folder / "tiers.json")
        data = plots.pareto_data(result, found)
        save_figure(folder, "pareto", data, cost_unit=scorer.table.cost_unit)


def save_sweep(
    out: str | os.PathLike[str],
    scorer: Scorer,
    results: Sequence[SearchResult],
    losses: pd.DataFrame,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee sweep`; `losses` is from `curve_losses`."""
    with run_folder(out) as folder:
        found = {str(len(result.best)): result for result in results}
        _save_search(folder, "sweep", scorer, found, settings, by="k")
        write_table(folder / "sweep.csv", losses)
        save_figure(folder, "sweep", plots.sweep_data(losses))


def save_ranking(
    out: str | os.PathLike[str],
    scorer: Scorer,
    ranking: pd.DataFrame,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee rank`."""
    with run_folder(out) as folder:
        write_config(folder, "rank", _settings(scorer, settings))
        write_table(folder / "ranking.csv", ranking)
        save_figure(folder, "rank", _rank_figure(scorer, ranking))


def save_ablation(
    out: str | os.PathLike[str],
    scorer: Scorer,
    ablations: Mapping[str, tuple[Subset, pd.DataFrame]],
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee ablate`, a figure for each named subset."""
    with run_folder(out) as folder:
        write_config(folder, "ablate", _settings(scorer, settings))
        parts = [frame.assign(subset=name) for name, (_, frame) in ablations.items()]
        write_table(folder / "ablation.csv", pd.concat(parts, ignore_index=True))
        for name, (subset, frame) in ablations.items():
            save_figure(folder, f"ablation-{name}", _ablation_figure(scorer, subset, frame))


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


def redraw(run: str | os.PathLike[str]) -> list[Path]:
    """Draw every figure of a run folder again from its data, such as after editing it.

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
        options = {"cost_unit": _cost_unit(folder)} if kind in ("cost", "pareto") else {}
        figure = plots.figure(kind, plots.read_data(source), **options)
        written += plots.save_figure(figure, source.with_suffix(""))
    return written


def save_heatmap(
    path: str | os.PathLike[str],
    table: ResultsTable,
    by: str | None = None,
    benchmarks: Iterable[str] | None = None,
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
    figure = plots.figure("heatmap", plots.heatmap_data(table, by, benchmarks))
    return plots.save_figure(figure, target.with_suffix(""), (kind,))[0]


def cost_frame(
    found: Mapping[str, SearchResult], both: pd.DataFrame, scorer: Scorer
) -> pd.DataFrame | None:
    """Every subset that the searches scored, and the best of each, by cost and search loss.

    Of searches that went by another objective, the best 50 subsets and 200 random ones.
    `both` is from `best_losses`. None where every loss is blank.
    """
    parts = []
    for name, result in found.items():
        seen = _with_losses(result, scorer).drop_duplicates("benchmarks")
        kind = seen["drawn"].map(lambda times: "random" if times else "evaluated")
        parts.append(
            pd.DataFrame({"kind": kind, "name": "", "cost": seen["cost"], "loss": seen["loss"]})
        )
        loss = seen["loss"][seen["benchmarks"] == result.best].iloc[0]
        row = {"kind": "tier", "name": name, "cost": result.best_row["cost"], "loss": loss}
        rows = [row]
        if scorer.targets == "all":
            rows.append({**row, "kind": "unseen", "loss": both.loc[name, "unseen"]})
        parts.append(pd.DataFrame(rows))
    frame = pd.concat(parts, ignore_index=True)
    return plots.cost_data(frame) if frame["loss"].notna().any() else None


def _with_losses(result: SearchResult, scorer: Scorer) -> pd.DataFrame:
    """Return ``benchmarks, cost, loss, drawn`` of subsets that a search scored."""
    seen = result.evaluated
    if result.objective == "loss":
        return seen
    shown = {*result.ranked["benchmarks"], *random_ones(result)}
    kept = seen[seen["benchmarks"].isin(shown)]
    losses = losses_for(scorer, scorer.targets).losses(list(kept["benchmarks"]))
    return kept.assign(loss=losses)


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


def _rank_figure(scorer: Scorer, ranking: pd.DataFrame) -> pd.DataFrame | None:
    if ranking["loss"].isna().all():
        return None
    return plots.rank_data(ranking, float(scorer.mean_predictor().mean()))


def _ablation_figure(scorer: Scorer, subset: Subset, frame: pd.DataFrame) -> pd.DataFrame | None:
    if frame["increase"].isna().all():
        return None
    return plots.ablation_data(frame, float(scorer.losses([subset])[0]))
