"""How `assess` shows what it found: tables and sentences on standard output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eevee.cli.printing import number, print_line, print_table

if TYPE_CHECKING:
    from eevee.assessment.full import FullAssessment
    from eevee.assessment.learning_result import LearningCurve
    from eevee.assessment.result import Assessment
    from eevee.assessment.stability import Stability
    from eevee.tables.results_table import ResultsTable


def print_assessment(
    found: Assessment,
    table: ResultsTable,
    stable: Stability | None,
    curve: LearningCurve | None,
    *,
    fixed: bool,
) -> None:
    """Print everything; `fixed`: whether given lists were judged."""
    _print_methods(found, table)
    _print_differences(found)
    _print_pairs(found)
    _print_columns(found)
    _print_gap(found)
    _print_objectives(found)
    if stable is not None:
        _print_stability(stable)
    if curve is not None:
        _print_curve(curve)
    _print_words(found, fixed)


def print_in_brief(found: FullAssessment, table: ResultsTable, *, fixed: bool) -> None:
    """Print the losses, what was asked for besides them, and where the rest is."""
    if found.splits is None:
        _print_losses(found.assessment, table, both=False)
        print_line("t low, t high: the interval to quote, over splits. All measures: --verbose")
        print_line("An assessed loss belongs to the procedure: each split has a subset of its own.")
    if not found.objectives.empty:
        _print_objectives(found.assessment)
    if found.stability is not None:
        for sentence in found.stability.words:
            print_line(sentence)
    if found.curve is not None:
        _print_curve(found.curve)
    if fixed:
        _print_fixed()


def _print_losses(
    found: Assessment, table: ResultsTable, *, both: bool = True
) -> list[dict[Any, Any]]:
    """Print a row per method, with the interval to quote, or both; return the rows."""
    about = found.settings
    low = ["low", "high"] if both else []
    rows = found.methods.to_dict("records")
    print_table(
        f"Assessed loss, {about['goal']}, {about['scorer']['name']} scorer ({about['splits']}; "
        f"about {about['n_train']:.0f} models to search on, {about['n_test']:.0f} held out)",
        ["method", "k", f"cost ({table.cost_unit})", "assessed loss", *low, "t low", "t high"],
        _cells(rows, " ".join(["method size cost loss", *low, "t_low t_high"])),
    )
    return rows


def _print_methods(found: Assessment, table: ResultsTable) -> None:
    about, rows = found.settings, _print_losses(found, table)
    for row in rows:
        if row["subsets_median"] == row["subsets_median"]:
            print_line(
                f"{row['method']}: the mean of {about['n_random']} subsets; their median is "
                f"{number(row['subsets_median'])}, 5 % to 95 %: {number(row['subsets_low'])} to "
                f"{number(row['subsets_high'])}"
            )
    print_line(
        f"low, high: {100 * about['level']:g} % bootstrap over held-out models. t: Nadeau and "
        "Bengio's over splits, which also holds the luck of the models that were searched on: the "
        "one to quote for a search."
    )
    print_table(
        "Loss of unseen benchmarks alone; variance that is predicted; and the ranking of models by "
        "mean score (what was run as measured, the rest predicted)",
        ["method", "unseen loss", "low", "high", "R2", "R2 unseen", "Spearman", "Kendall",
         "regret (units)"],
        _cells(
            rows,
            "method loss_unseen low_unseen high_unseen r2 r2_unseen spearman kendall regret",
        ),
    )  # fmt: skip


def _cells(rows: list[dict[Any, Any]], names: str) -> Iterator[list[Any]]:
    return ([row[name] for name in names.split()] for row in rows)


def _print_differences(found: Assessment) -> None:
    frame = found.differences
    targets = found.settings["targets"]
    shown = frame[frame["targets"] == targets].to_dict("records")
    percent = ("relative", "relative_low", "relative_high")
    rows = [row | {name: 100 * row[name] for name in percent} for row in shown]
    print_table(
        f"Against {found.names[0]} (targets: {targets}; below 0: the method is better; low, "
        "high: the same draws of models for both; t: Nadeau and Bengio's, paired over splits)",
        ["method", "difference", "low", "high", "in %", "low %", "high %", "t low", "t high"],
        _cells(rows, "method difference low high relative relative_low relative_high t_low t_high"),
    )


def _print_pairs(found: Assessment) -> None:
    first = found.pairwise[found.pairwise["method"] == found.names[0]].to_dict("records")
    shares = found.pairwise.groupby("method", sort=False)["accuracy"]
    print_table(
        "Pairs of models in the right order (%), by how far apart they truly are (in standard "
        "deviations of the mean score)",
        ["method", *(f"{row['low']:g} to {row['high']:g}" for row in first)],
        ([str(name), *(100 * share)] for name, share in shares),
    )


def _print_columns(found: Assessment) -> None:
    first = found.columns[found.columns["method"] == found.names[0]].to_dict("records")
    print_table(
        f"{found.names[0]}: mean absolute error where predicted, in each column's own measure",
        ["column", "error", "in the subset (% of splits)"],
        ([row["column"], row["mae"], 100 * row["chosen"]] for row in first),
    )


def _print_gap(found: Assessment) -> None:
    rows = found.gap.to_dict("records")
    print_table(
        "From search loss to held-out loss (means over splits): + optimism + training",
        ["method", "search loss", "optimism", "beyond random", "low", "high", "training", "loss"],
        _cells(
            rows,
            "method search_loss optimism selection selection_low selection_high training_size loss",
        ),
    )
    print_line(
        f"optimism: the same fits, on {rows[0]['n_inner']:.0f} models, judged on held-out models "
        "instead of those that the search looked at; beyond random: what exceeds that of random "
        "subsets, so is due to selection (interval: Nadeau and Bengio's). training: fitted on "
        f"{rows[0]['n_train']:.0f} models instead."
    )


def _print_objectives(found: Assessment) -> None:
    from eevee.assessment.objectives import objective_agreement

    agreement = objective_agreement(found)
    if not agreement.empty:
        print_table(
            "How far the subsets of different objectives agree, found on the same models (means "
            "over splits; Kuncheva: 0 as random subsets do, 1 equal)",
            ["search", "and", "Jaccard", "Kuncheva", "the same (% of splits)"],
            (
                [row["first"], row["second"], row["jaccard"], row["kuncheva"], 100 * row["same"]]
                for row in agreement.to_dict("records")
            ),
        )


def _print_stability(stable: Stability) -> None:
    chosen = stable.benchmarks.to_dict("records")
    shown = [row for row in chosen if row["over_models"] or row["over_seeds"]]
    agreement = stable.agreement
    print_table(
        f"How often each benchmark is chosen (%): in {agreement['searches'].iloc[0]} searches on "
        f"other models; in {agreement['searches'].iloc[1]} on all models with other seeds",
        ["benchmark", "other models", "other seeds"],
        ([row["benchmark"], 100 * row["over_models"], 100 * row["over_seeds"]] for row in shown),
    )
    print_table(
        "How far two subsets agree (Jaccard; Kuncheva: 0 as random subsets do, 1 equal)",
        ["redrawn", "searches", "Jaccard", "Kuncheva"],
        agreement.itertuples(),
    )
    print_table(
        f"Noise floor: search loss of one subset ({', '.join(stable.subset)})",
        ["redrawn", "times", "mean", "spread"],
        stable.noise.itertuples(),
    )
    for sentence in stable.words:
        print_line(sentence)


def _print_curve(curve: LearningCurve) -> None:
    end = "" if curve.settings["targets"] == "all" else "_unseen"
    names = f"n_models loss{end} t_low{end} t_high{end} random mean_predictor kuncheva"
    print_table(
        f"Held-out loss by the number of models that are searched and fitted on (of "
        f"{curve.n_models}; {curve.settings['splits']})",
        ["models", "loss", "t low", "t high", "random", "mean predictor", "Kuncheva"],
        _cells(curve.sizes.to_dict("records"), names),
    )
    for sentence in curve.words:
        print_line(sentence)


def _print_words(found: Assessment, fixed: bool) -> None:
    first = found.methods.iloc[0]
    if found.settings["procedure"] is not None:
        print_line(
            f"{first['method']}: the subsets of two splits share {100 * first['jaccard']:.0f} % of "
            f"their benchmarks (Jaccard); Kuncheva index {number(first['kuncheva'])} (0: as random "
            "subsets do)"
        )
        print_line("An assessed loss belongs to the procedure: each split has a subset of its own.")
    if fixed:
        _print_fixed()


def _print_fixed() -> None:
    print_line(
        "Given lists were not searched for here. If one was found on this table, its search "
        "saw the held-out models, and its loss is too good."
    )
