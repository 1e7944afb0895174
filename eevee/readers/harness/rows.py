"""What a harness left behind, in one shape: `Row`, one score; `Harvest`, those of a source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from eevee.tables.results_table import Note

SECONDS = "seconds"
"""What harnesses count costs in."""


@dataclass(frozen=True)
class Row:
    """One score of one model.

    Attributes
    ----------
    model, benchmark : str
    metric : str
        Empty where the harness has one main score without a name.
    score : float
    direction : {"higher", "lower"} or None
        None where the harness does not say.
    stderr : float
        Standard error of the score, NaN where not given.
    seed : str
        Empty where the harness does not say; rows that differ in it alone are averaged.
    cost : float
        Seconds that the benchmark took on the model, NaN where not measured.
    harness : str
        Name and version of what measured it.
    version : str
        Of the data set or the task, empty where unknown.
    where : str
        File of the source.
    lesser : str
        Why another score of the same cell counts more than this one, empty if none does.
    role : {"score", "proxy"} or None
        Of its column; None where nobody says.
    """

    model: str
    benchmark: str
    metric: str
    score: float
    direction: str | None = None
    stderr: float = math.nan
    seed: str = ""
    cost: float = math.nan
    harness: str = ""
    version: str = ""
    where: str = ""
    lesser: str = ""
    role: str | None = None

    @property
    def cell(self) -> tuple[str, str, str]:
        """What the score is of."""
        return self.model, self.benchmark, self.metric

    @property
    def column(self) -> str:
        """Name of the column that the score goes to."""
        return f"{self.benchmark}.{self.metric}" if self.metric else self.benchmark


@dataclass(frozen=True)
class Harvest:
    """The scores of a source, and what is known beside them.

    Attributes
    ----------
    rows : tuple of Row
    notes : tuple of Note
    models : mapping of model to attributes
    tasks : mapping of benchmark to task
    """

    rows: tuple[Row, ...]
    notes: tuple[Note, ...] = ()
    models: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    tasks: Mapping[str, str] = field(default_factory=dict)
