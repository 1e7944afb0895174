"""What `assess` leaves behind: from an assessment to the files of a run folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from eevee import plots
from eevee.analysis.describe import summary
from eevee.assessment.by_kind import SplitsAssessment
from eevee.assessment.learning_result import LearningCurve
from eevee.assessment.objectives import objective_agreement
from eevee.assessment.result import Assessment
from eevee.assessment.stability import Stability
from eevee.assessment.verdict import verdict
from eevee.report.run_folder import run_folder, write_config, write_json, write_table
from eevee.report.searches import save_figure
from eevee.tables.results_table import ResultsTable


def save_assessment(
    out: str | os.PathLike[str],
    table: ResultsTable,
    assessment: Assessment,
    settings: Mapping[str, Any],
    stability: Stability | None = None,
    splits: SplitsAssessment | None = None,
    curve: LearningCurve | None = None,
) -> None:
    """Write the run folder of `eevee assess`: one CSV per frame of the assessment.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    table : ResultsTable
    assessment : Assessment
    settings : mapping
        Of the job, for `config.json`.
    stability : Stability, optional
    splits : SplitsAssessment, optional
    curve : LearningCurve, optional

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    with run_folder(out) as folder:
        said = verdict(assessment if splits is None else splits, curve)
        write_json(folder / "verdict.json", said.as_dict())
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
        agreement = objective_agreement(assessment)
        if not agreement.empty:
            write_table(folder / "objectives.csv", agreement)
        if stability is not None:
            write_json(folder / "stability.json", stability.as_dict())
