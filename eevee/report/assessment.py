"""What `assess` leaves behind: from an assessment to the files of a run folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from eevee import plots
from eevee.analysis.describe import summary
from eevee.assessment.full import FullAssessment
from eevee.report.run_folder import run_folder, write_config, write_json, write_table
from eevee.report.searches import save_figure
from eevee.tables.results_table import ResultsTable


def save_assessment(
    out: str | os.PathLike[str],
    table: ResultsTable,
    found: FullAssessment,
    settings: Mapping[str, Any],
) -> None:
    """Write the run folder of `eevee assess`: one CSV per frame of the assessment.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    table : ResultsTable
    found : FullAssessment
    settings : mapping
        Of the job, for `config.json`.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    assessment, splits, curve = found.assessment, found.splits, found.curve
    with run_folder(out) as folder:
        write_json(folder / "verdict.json", found.verdict.as_dict())
        about = {"table": summary(table), "assessment": assessment.settings}
        if splits is not None:
            about["splits"] = {kind: found.settings for kind, found in splits.kinds.items()}
            write_table(folder / "splits.csv", splits.side_by_side)
        if curve is not None:
            about["learning_curve"] = curve.settings
            write_table(folder / "learning.csv", curve.sizes)
            targets = curve.settings["targets"]
            save_figure(folder, "learning", plots.learning_data(curve.sizes, targets))
        write_config(folder, "assess", {**settings, **about})
        write_table(folder / "assessment.csv", assessment.methods)
        for name in ("folds", "models", "differences", "pairwise", "columns", "gap"):
            write_table(folder / f"{name}.csv", getattr(assessment, name))
        if not found.objectives.empty:
            write_table(folder / "objectives.csv", found.objectives)
        if found.stability is not None:
            write_json(folder / "stability.json", found.stability.as_dict())
