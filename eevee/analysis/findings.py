"""What a careful analyst would say of a table before trusting anything: worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray
from eevee.completion.gap_pattern import gap_pattern
from eevee.readers.asides import set_aside
from eevee.splits.near_duplicates import find_duplicates
from eevee.tables.results_table import NO_COSTS, ResultsTable

FEW_MODELS = 10
RANGE = 0.05
"""Spread of a share below which scores hardly tell models apart."""
SAME = 0.999
"""Correlation from which two columns say the same."""
_LACKING = 0.5


@dataclass(frozen=True)
class Finding:
    """One thing to know about a table.

    Attributes
    ----------
    severity : {"wrong", "doubt", "note"}
        Results are wrong if it is left so; may be; or are only read better with it.
    said : str
    do : str
        What to do about it.
    """

    severity: str
    said: str
    do: str


def findings(table: ResultsTable) -> list[Finding]:
    """Return what is to know about a table, worst first.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [2.0, 4, 6, 8]}, list("wxyz"))
    >>> found = findings(ResultsTable.from_scores(frame))
    >>> found[0].severity, found[0].said
    ('doubt', 'only 4 models: losses say little about other models')
    """
    found = [
        *_doubts(table), *_gaps(table), *_few(table), *_copies(table), *_determined(table),
        *_ranges(table), *_rank(table), *_aside(table),
    ]  # fmt: skip
    order = ("wrong", "doubt", "note")
    return sorted(found, key=lambda finding: order.index(finding.severity))


def effective_rank(scores: pd.DataFrame) -> float:
    """Return how many independent columns a table is worth.

    Gaps count as the mean. The exponential of the entropy of the shares of variance that the
    principal components of the standardised columns have; 1 where one ability explains all.

    Notes
    -----
    Roy and Vetterli (2007), "The effective rank: a measure of effective dimensionality".

    Examples
    --------
    >>> skill = np.arange(8.0)
    >>> round(effective_rank(pd.DataFrame({"a": skill, "b": 2 * skill, "c": -skill})), 6)
    1.0
    """
    values = _standardised(scores)
    shares = np.linalg.svd(values, compute_uv=False) ** 2
    shares = shares[shares > 1e-12 * shares.sum()] / shares.sum()
    return float(np.exp(-(shares * np.log(shares)).sum()))


def _standardised(scores: pd.DataFrame) -> FloatArray:
    values = scores.to_numpy(np.float64)
    values = values - np.nanmean(values, axis=0)
    return np.where(np.isnan(values), 0.0, values / np.nanstd(values, axis=0))


def _doubts(table: ResultsTable) -> Iterator[Finding]:
    """What the reader was in doubt about."""
    for note in table.provenance.notes:
        why, do = note.why, "check it in the file"
        if "--missing" in why and "far from" in why:
            do = f"--missing {why.rpartition('--missing ')[2]}"
        elif "runs against" in why:
            do = why.rpartition("say ")[2]
        elif "slip of the scale" in why:
            do = "correct the cells in the file"
        elif "fewer scores" in why:
            do = "complete the parts, or leave these models out (--drop-models)"
        elif "--drop-models leaves it out" in why:
            do = f"--drop-models {note.name!r}"
        elif "multiplied by 100" in why or ("read as missing" in why and "says" not in why):
            do = "write it so in the file if that is right"
        elif "kept as a score" in why:
            do = f"--column '{note.name}=cost' if it is none"
        else:
            continue
        severity = "wrong" if "runs against" in why or "from all others:" in why else "doubt"
        yield Finding(severity, f"{note.name!r} {why.partition(': if ')[0]}", do)


def _gaps(table: ResultsTable) -> Iterator[Finding]:
    """Who lacks what, and whether lacking goes with being weak."""
    if table.coverage == 1.0:
        return
    pattern = gap_pattern(table)
    if pattern.sentence:
        do = "measure the missing models, or read means over columns with care (--min-coverage)"
        yield Finding("doubt", pattern.sentence, do)
    missing = table.targets.isna()
    for what, share in (("models", missing.mean(axis=1)), ("columns", missing.mean(axis=0))):
        worst = share[share > _LACKING].sort_values(ascending=False, kind="stable")
        if len(worst):
            names = ", ".join(f"{name} ({lack:.0%})" for name, lack in worst.iloc[:3].items())
            said = f"{len(worst)} of {len(share)} {what} lack over half of their scores: {names}"
            yield Finding("note", said, "--min-coverage 0.5 leaves them out")


def _few(table: ResultsTable) -> Iterator[Finding]:
    if table.n_models < FEW_MODELS:
        said = f"only {table.n_models} models: losses say little about other models"
        yield Finding("doubt", said, "add models")
    n_benchmarks = len(table.target_benchmarks)
    if n_benchmarks < 3:
        said = f"only {n_benchmarks} benchmarks: there is hardly a subset to choose"
        yield Finding("doubt", said, "add benchmarks")


def _copies(table: ResultsTable) -> Iterator[Finding]:
    copies = find_duplicates(table)
    if copies is not None:
        yield Finding(
            "doubt",
            copies.words,
            "predict leaves them out together; elsewhere --group-duplicates keeps them on one side "
            "of a split",
        )


def _determined(table: ResultsTable) -> Iterator[Finding]:
    """Columns that are a straight line of another, or of the rest together."""
    scores = table.targets
    values = scores.corr(min_periods=5).to_numpy(np.float64)
    names = list(map(str, scores.columns))
    rows, others = np.nonzero(np.triu(np.abs(np.nan_to_num(values)) > SAME, k=1))
    pairs = list(zip(rows, others, strict=True))
    if pairs:
        some = ", ".join(f"{names[i]!r} and {names[j]!r}" for i, j in pairs[:3])
        said = (
            f"{len(pairs)} pair{'s' * (len(pairs) > 1)} of columns correlate above {SAME}: {some}"
        )
        yield Finding("doubt", said, "one of each may do: --drop-columns leaves columns out")
    if table.coverage < 1.0 or table.n_models < len(names) + 3 or len(names) < 3:
        return
    standard = _standardised(scores)
    made = []
    in_pairs = {place for pair in pairs for place in pair}
    for j in set(range(len(names))) - in_pairs:
        rest = np.delete(standard, j, axis=1)
        fit = rest @ np.linalg.lstsq(rest, standard[:, j], rcond=None)[0]
        if np.mean((standard[:, j] - fit) ** 2) < 1e-4:
            made.append(names[j])
    if made:
        said = f"{len(made)} columns are determined by the others: {', '.join(made[:4])}"
        yield Finding("note", said, "if one is a weighted mean, leave it out: --drop-columns")


def _ranges(table: ResultsTable) -> Iterator[Finding]:
    """Columns whose scores all lie together near an end of their scale."""
    low, high = table.targets.min(axis=0), table.targets.max(axis=0)
    top = np.where(high <= 1, 1.0, np.where(high <= 100, 100.0, np.nan))
    narrow = ((high - low) < RANGE * top) & (low >= 0)
    names = [str(name) for name in table.targets.columns[narrow.to_numpy(dtype=bool)]]
    if names:
        said = (
            f"{len(names)} column{'s' * (len(names) > 1)} with all models within {RANGE:.0%} of "
            f"the scale: {', '.join(names[:4])}"
        )
        yield Finding("note", said, "differences there may be noise; correlations are too low")


def _rank(table: ResultsTable) -> Iterator[Finding]:
    n_columns = int(table.is_target.sum())
    if n_columns > 1:
        rank = effective_rank(table.targets)
        said = f"effective rank {rank:.1f} of {n_columns} columns"
        more = "few benchmarks may do" if rank < n_columns / 3 else "few benchmarks lose much"
        yield Finding("note", said, more)


def _aside(table: ResultsTable) -> Iterator[Finding]:
    """Costs in the file that nobody asked for."""
    costs = [column.name for column in set_aside(table) if column.role == "cost"]
    if costs and table.cost_unit == NO_COSTS:
        some = ", ".join(costs[:3]) + (", ..." if len(costs) > 3 else "")
        said = f"{len(costs)} columns of costs are in the file ({some}), and none is used"
        paired = sum(column.of is not None for column in set_aside(table) if column.role == "cost")
        do = "give costs per benchmark: --costs FILE ('benchmark,cost')"
        if paired:
            do = (
                f"{paired} of them say what a benchmark costs: write them to a file of models x "
                "benchmarks, named as these are, and give it with --costs"
            )
        yield Finding("note", said, do)
