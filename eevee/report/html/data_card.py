"""The data card: what the table holds, what it lacks, what was set aside or guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from eevee.report.html.pictures import Legend, matrix
from eevee.report.html.runs import Run, number_of, pick
from eevee.report.html.words import counted, number, percent, sentence
from eevee.tables.results_table import ResultsTable

_FEW, _MOST = 0.05, (40, 120)
"""Where a smaller share of cells is missing, at most so many models and columns are drawn."""
_MEASURED = Legend("Blues", 0.0, 1.4, ("", "measured"), "not measured", only=1.0)


@dataclass(frozen=True)
class Fact:
    """A number and what it counts."""

    value: str
    name: str


@dataclass(frozen=True)
class Said:
    """Something to know: how severe, what, and what to do about it."""

    severity: str
    text: str
    do: str = ""


@dataclass(frozen=True)
class DataCard:
    """What a run read.

    Attributes
    ----------
    source, layout, sha256 : str
    facts : tuple of Fact
    findings : tuple of Said
        Worst first.
    set_aside : tuple of (column, role, why)
    notes : tuple of (action, kind, name, why)
    gaps : Markup or None
        The picture of missing cells.
    gaps_said : str
        What it shows, and what it leaves out.
    """

    source: str
    layout: str
    sha256: str
    facts: tuple[Fact, ...]
    findings: tuple[Said, ...]
    set_aside: tuple[tuple[str, str, str], ...]
    notes: tuple[tuple[str, str, str, str], ...]
    gaps: Markup | None
    gaps_said: str

    @property
    def doubts(self) -> int:
        """How many findings put the numbers in doubt."""
        return sum(one.severity in ("wrong", "doubt") for one in self.findings)


def data_card(run: Run, table: ResultsTable | None) -> DataCard:
    """Say what a run read, as its config tells it."""
    about = run.value("table", kind=dict) or {}
    aside = _rows(about, "set_aside", ("name", "role", "why"))
    names = {name for name, _, _ in aside}
    notes = _rows(about, "notes", ("action", "kind", "name", "why"))
    gaps, said = (None, "") if table is None else draw_gaps(table)
    return DataCard(
        source=pick(about, "source", kind=str) or "",
        layout=pick(about, "layout", kind=str) or "",
        sha256=pick(about, "sha256", kind=str) or "",
        facts=tuple(_facts(run, about)),
        findings=tuple(_findings(about)),
        set_aside=tuple(aside),
        notes=tuple(one for one in notes if not (one[1] == "column" and one[2] in names)),
        gaps=gaps,
        gaps_said=said,
    )


def _facts(run: Run, about: Mapping[str, Any]) -> list[Fact]:
    total, rank = number_of(about, "total_cost"), number_of(about, "effective_rank")
    facts = [
        Fact(number(number_of(about, name)), name) for name in ("models", "benchmarks", "columns")
    ]
    proxies = pick(about, "proxies", kind=list)
    if proxies:
        facts.append(
            Fact(str(len(proxies)), "proxy columns" if len(proxies) > 1 else "proxy column")
        )
    facts.append(Fact(percent(number_of(about, "coverage")), "of the cells measured"))
    guessed = ("unit",) in _rows(about, "notes", ("kind",))
    unit = f"{run.cost_unit} (guessed: no --cost-unit)" if guessed else run.cost_unit
    facts.append(Fact(number(total), f"{unit}, everything once"))
    if np.isfinite(rank):
        facts.append(Fact(f"{rank:.1f}", "independent columns (effective rank)"))
    return facts


def _findings(about: Mapping[str, Any]) -> list[Said]:
    found = []
    for one in pick(about, "findings", kind=list) or ():
        said = pick(one, "said", kind=str)
        if said:
            severity = pick(one, "severity", kind=str) or "note"
            found.append(Said(severity, sentence(said), sentence(pick(one, "do", kind=str) or "")))
    return found


def _rows(about: Mapping[str, Any], key: str, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
    """Return texts under these names of each object of a list."""
    return [
        tuple(pick(one, name, kind=str) or "" for name in names)
        for one in pick(about, key, kind=list) or ()
    ]


def draw_gaps(table: ResultsTable) -> tuple[Markup | None, str]:
    """Draw which cells are missing, and say what is not drawn.

    Models and columns without gaps are left out; where few cells are missing, so are all but those
    with the most gaps.
    """
    missing = table.scores.isna()
    count = int(missing.to_numpy().sum())
    if not count:
        return None, ""
    few = count < _FEW * missing.size
    models, columns = missing.sum(axis=1), missing.sum(axis=0)
    rows, across = _worst(models, few, _MOST[0]), _worst(columns, few, _MOST[1])
    frame = missing.loc[rows, across].map(lambda gap: np.nan if gap else 1.0)
    said = f"{_drawn(models, rows, 'model')} {_drawn(columns, across, 'column')}"
    picture = matrix(
        "gaps",
        f"Which of {counted(frame.size, 'cell')} were measured",
        f"{counted(count, 'cell')} of {missing.size:,} missing ({percent(count / missing.size)}). "
        f"Models down, columns across, both with the most complete first. {said}",
        frame,
        _MEASURED,
    )
    return picture, said


def _worst(gaps: pd.Series[int], few: bool, most: int) -> pd.Index[str]:
    """Return what has gaps, the most complete first."""
    found = gaps[gaps > 0].sort_values(kind="stable")
    return (found.tail(most) if few else found).index


def _drawn(gaps: pd.Series[int], shown: pd.Index[str], noun: str) -> str:
    """Say how many models or columns have gaps, and which of them are drawn."""
    total, some = len(gaps), int((gaps > 0).sum())
    none = total - some
    if not none and len(shown) == some:
        return f"All {counted(total, noun)} have gaps."
    verb = "has gaps" if some == 1 else "have gaps"
    if len(shown) < some:
        verb += f", of which the {len(shown)} with the most are drawn"
    else:
        verb += " and is drawn" if some == 1 else " and are drawn"
    rest = f"; {none:,} {'has' if none == 1 else 'have'} none" if none else ""
    return f"{some:,} of {counted(total, noun)} {verb}{rest}."
