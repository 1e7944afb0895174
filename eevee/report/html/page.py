"""`write_report`: run folders in, one HTML file out."""

from __future__ import annotations

import base64
import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.base.visible import visible
from eevee.report.html import words
from eevee.report.html.benchmarks import Ablations, Ranking, find_ablations, find_ranking
from eevee.report.html.cards import with_more
from eevee.report.html.colours import style_variables
from eevee.report.html.data_card import DataCard, data_card
from eevee.report.html.decision import Decision, decide
from eevee.report.html.front import Front, find_front
from eevee.report.html.models import Groups, Maps, ModelTable, groups, maps, model_table
from eevee.report.html.next_steps import NextStep, next_steps
from eevee.report.html.reproduce import Lacking, Made, kinds_of, lacking, limits, made
from eevee.report.html.runs import Run, open_runs
from eevee.report.html.searches import Search, searches
from eevee.report.html.sizes import Curve, find_curves
from eevee.report.html.source import Source, find_source
from eevee.report.html.trust import Assessed, Stable, find_assessments, find_stability
from eevee.report.out import CONFIG, config_of
from eevee.report.run_folder import write_json
from eevee.tables.results_table import NO_COSTS, ResultsTable

REPORT = "report.html"
SCORERS = {
    "mlp": "a small neural network", "ridge": "ridge regression", "factor": "a factor model",
}  # fmt: skip
_ROOM = "eevee.report.html"


@dataclass(frozen=True)
class Page:
    """Everything that the page shows; None and empty where the run folders lack it."""

    runs: tuple[Run, ...]
    decision: Decision
    next_steps: tuple[NextStep, ...]
    card: DataCard
    source: Source
    front: Front | None
    searches: tuple[Search, ...]
    ablations: Ablations | None
    ranking: Ranking | None
    curves: tuple[Curve, ...]
    assessed: tuple[Assessed, ...]
    stability: Stable | None
    maps: Maps | None
    models: ModelTable | None
    groups: tuple[Groups, ...]
    limits: tuple[str, ...]
    made: tuple[Made, ...]
    lacking: tuple[Lacking, ...]

    @property
    def unit(self) -> str:
        """What costs are counted in."""
        return self.runs[0].cost_unit

    @property
    def is_paid(self) -> bool:
        """Whether costs are known."""
        return self.unit != NO_COSTS

    @property
    def statistic(self) -> str:
        """The statistic over models that costs are."""
        return self.runs[0].value("options", "cost_statistic", kind=str) or "median"

    @property
    def scorer(self) -> str:
        """What predicts, in words."""
        name = self.runs[0].value("scorer", "name", kind=str) or ""
        return SCORERS.get(name, name)

    @property
    def date(self) -> str:
        """The day of the last run."""
        return max(one.date for one in self.made)


def gather(
    folders: Sequence[str | os.PathLike[str]],
    *,
    models_file: str | os.PathLike[str] | None = None,
    table: ResultsTable | None = None,
) -> Page:
    """Read everything that the page shows; parameters as of `write_report`.

    Raises
    ------
    EeveeError
        As `write_report`.
    """
    runs = open_runs(folders)
    source = find_source(runs[0], models_file=models_file, table=table)
    ranking = find_ranking(runs)
    found, weights = source.table, source.weights
    decision = decide(runs, math.nan if ranking is None else ranking.mean_predictor)
    models = None if found is None else model_table(found, decision.subsets, weights)
    searched = searches(runs)
    decision = with_more(decision, searched, models, found, weights)
    front = find_front(runs, [one.tier for one in decision.tiers])
    assessed, stability = find_assessments(runs), find_stability(runs)
    curves = find_curves(runs)
    grouped = () if found is None else groups(found, weights)
    there = {
        "tiers": bool(decision.tiers), "front": front is not None, "assessed": bool(assessed),
        "stability": stability is not None, "curves": bool(curves), "table": found is not None,
        "ranking": ranking is not None, "groups": bool(grouped),
        "kinds": {"family", "frontier"} & {*kinds_of(runs)} != set(),
    }  # fmt: skip
    return Page(
        runs=runs,
        decision=decision,
        next_steps=next_steps(runs, decision),
        card=data_card(runs[0], found),
        source=source,
        front=front,
        searches=searched,
        ablations=find_ablations(runs),
        ranking=ranking,
        curves=curves,
        assessed=assessed,
        stability=stability,
        maps=None if found is None else maps(found, decision.subsets),
        models=models,
        groups=grouped,
        limits=limits(runs, decision, kinds_of(runs)),
        made=made(runs),
        lacking=lacking(runs, there),
    )


def render(page: Page) -> str:
    """Return the HTML text of a page: style, script and pictures are in it."""
    style = style_variables() + _file("report.css")
    script = _file("report.js")
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            page=page,
            style=Markup(style),
            script=Markup(script),
            style_hash=_csp_hash(style),
            script_hash=_csp_hash(script),
        )
    )


def write_report(
    folders: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    *,
    models_file: str | os.PathLike[str] | None = None,
    table: ResultsTable | None = None,
) -> Path:
    """Write one self-contained HTML file of what run folders hold.

    Parameters
    ----------
    folders : sequence of paths
        Of one table; what several hold is merged, the first comes first.
    out : path, optional
        By default `report.html` in the first folder, which then counts as a part of the run.
    models_file : path, optional
        Attributes of models, in place of those that the run read: for groups of models.
    table : ResultsTable, optional
        What the first run has just read; else its files are read again, if they are the same.

    Returns
    -------
    Path
        What was written.

    Raises
    ------
    EeveeError
        If a folder is no run folder, they are about several tables, a file in one is damaged, or
        the report cannot be written.
    """
    text = render(gather(folders, models_file=models_file, table=table))
    home = Path(folders[0])
    path = home / REPORT if out is None else Path(out)
    if out is None:
        _claim(home)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def _claim(folder: Path) -> None:
    """Make the report one of the files that the next run of this name may replace."""
    config = config_of(folder) or {}
    files = config.get("files")
    if not isinstance(files, list) or REPORT in files:
        return
    if (folder / REPORT).exists():
        raise EeveeError(
            f"{folder / REPORT}: is there, and no run wrote it; move it, or give --out"
        )
    with replacing(folder / CONFIG) as temporary:
        write_json(temporary, {**config, "files": sorted([*map(str, files), REPORT])})


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader(_ROOM),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    shown = {
        name: getattr(words, name)
        for name in ("number", "percent", "counted", "listed", "error", "told", "breakable")
    }
    templates.filters |= {**shown, "visible": visible, "prose": words.prose, "fixed": words.fixed}
    return templates


def _file(name: str) -> str:
    return (resources.files(_ROOM) / "templates" / name).read_text(encoding="utf-8")


def _csp_hash(text: str) -> str:
    """Return what lets a browser run this text alone."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
