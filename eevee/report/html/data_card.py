"""The data card: what the table holds, what it lacks, what was set aside or guessed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from eevee.report.html.pictures import Legend, matrix
from eevee.report.html.runs import Run, number_of, pick
from eevee.report.html.words import counted, number, percent, sentence
from eevee.tables.results_table import ResultsTable

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
    """

    source: str
    layout: str
    sha256: str
    facts: tuple[Fact, ...]
    findings: tuple[Said, ...]
    set_aside: tuple[tuple[str, str, str], ...]
    notes: tuple[tuple[str, str, str, str], ...]
    gaps: Markup | None

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
    return DataCard(
        source=pick(about, "source", kind=str) or "",
        layout=pick(about, "layout", kind=str) or "",
        sha256=pick(about, "sha256", kind=str) or "",
        facts=tuple(_facts(run, about)),
        findings=tuple(_findings(about)),
        set_aside=tuple(aside),
        notes=tuple(one for one in notes if not (one[1] == "column" and one[2] in names)),
        gaps=None if table is None or table.coverage == 1.0 else draw_gaps(table),
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


def draw_gaps(table: ResultsTable) -> Markup:
    """Draw which cells were measured: models and columns with the most of them first."""
    measured = table.scores.notna()
    rows = measured.mean(axis=1).sort_values(ascending=False, kind="stable").index
    columns = measured.mean(axis=0).sort_values(ascending=False, kind="stable").index
    frame = measured.loc[rows, columns].astype(float).where(measured.loc[rows, columns])
    missing = int((~measured.to_numpy()).sum())
    return matrix(
        "gaps",
        f"Which of {counted(measured.size, 'cell')} were measured",
        f"{counted(missing, 'cell')} missing ({percent(1 - table.coverage)}). Models down, columns "
        "across, both with the most complete first.",
        frame,
        _MEASURED,
    )
