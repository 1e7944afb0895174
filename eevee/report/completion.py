"""What `eevee impute` leaves behind: every filled cell, the full table, and what is what."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pandas as pd

from eevee.analysis.describe import summary
from eevee.completion.complete import Completion
from eevee.report.run_folder import run_folder, write_config, write_table
from eevee.tables.results_table import ResultsTable


def save_completion(
    out: str | os.PathLike[str],
    table: ResultsTable,
    completed: Completion,
    settings: Mapping[str, Any],
    *,
    advice: pd.DataFrame | None = None,
) -> None:
    """Write the run folder of `eevee impute`.

    `filled.csv` has a row per filled cell (`Completion.basis`; `rests_on` as a JSON list of names
    and shares), `completed.csv` the table without gaps, `mask.csv` of the same shape a 1 where that
    is a prediction, `columns.csv` how well each column could be filled.

    Parameters
    ----------
    out : path
        The folder; an earlier run there is replaced.
    table : ResultsTable
        Which was completed.
    completed : Completion
    settings : mapping
        Of the job, for `config.json`.
    advice : DataFrame, optional
        From `next_benchmark`; written to `next.csv`.

    Raises
    ------
    EeveeError
        If the folder cannot be written. Nothing is left half-written.
    """
    recipe = {"logit": completed.logit, "rank": completed.rank, "penalty": completed.penalty}
    with run_folder(out) as folder:
        write_table(folder / "filled.csv", rounded_shares(completed.basis))
        completed.write_csv(folder / "completed.csv")
        completed.write_mask(folder / "mask.csv")
        write_table(folder / "columns.csv", completed.by_column)
        if advice is not None:
            write_table(folder / "next.csv", advice)
        about = {"table": summary(table), "level": completed.level, "completion": recipe}
        write_config(folder, "impute", {**settings, **about})


def rounded_shares(basis: pd.DataFrame) -> pd.DataFrame:
    """Return the basis with shares of three decimals.

    Examples
    --------
    >>> basis = pd.DataFrame({"rests_on": [(("a", 2 / 3), ("b", 1 / 3))]})
    >>> rounded_shares(basis).loc[0, "rests_on"]
    (('a', 0.667), ('b', 0.333))
    """
    rests_on = [
        tuple((name, round(share, 3)) for name, share in pairs) for pairs in basis["rests_on"]
    ]
    return basis.assign(rests_on=pd.Series(rests_on, index=basis.index, dtype=object))
