"""What `run --adaptive` takes and prints."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from eevee.cli.panels import option
from eevee.cli.printing import number, print_json, print_line
from eevee.cli.search_options import check_budget
from eevee.cli.table_options import TrainingTableOptions

if TYPE_CHECKING:
    from eevee.running.adaptive import Adapted, Choice, Mean
    from eevee.running.adaptive_plan import AdaptivePlan
    from eevee.running.plan import Plan
    from eevee.running.runner import RunSettings
    from eevee.tables.results_table import ResultsTable

PANEL = "Adaptive"


@dataclass(frozen=True)
class OthersOptions(TrainingTableOptions):
    """The table of other models, with costs."""

    FIXED: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class AdaptiveOptions:
    """Whether each result decides what is run next, and when that ends."""

    adaptive: Annotated[
        bool,
        option(
            "--adaptive",
            help="Choose each benchmark after the last result, by what --scores says of others.",
            panel=PANEL,
        ),
    ] = False
    budget: Annotated[
        str | None,
        option("--budget", help="Total cost, as 12 or 25% (default: 100%).", panel=PANEL),
    ] = None
    until: Annotated[
        float | None,
        option(
            "--until",
            help="End when the mean score's 90% interval is narrower, in the table's own numbers.",
            panel=PANEL,
        ),
    ] = None

    def check(self) -> None:
        """Refuse what goes with --adaptive alone, and a budget that is none, as wrong usage."""
        if not self.adaptive and (self.budget is not None or self.until is not None):
            raise typer.BadParameter("--budget and --until go with --adaptive")
        if self.budget is not None:
            check_budget(self.budget)

    def check_with(self, others: OthersOptions, jobs: str, *, collect_only: bool) -> None:
        """Refuse contradictions as wrong usage."""
        if not self.adaptive:
            if others != OthersOptions():
                raise typer.BadParameter("--scores and how to read it go with --adaptive")
            return
        if others.scores is None:
            raise typer.BadParameter("--adaptive needs --scores, a table of other models")
        if collect_only:
            raise typer.BadParameter("give either --adaptive or --collect-only")
        if jobs not in ("auto", "1"):
            raise typer.BadParameter("--adaptive runs one command at a time; drop --jobs")

    def of(self, plan: Plan, others: OthersOptions, settings: RunSettings) -> AdaptivePlan:
        """Read the table, and put together what runs."""
        from eevee.running.adaptive import Rule
        from eevee.running.adaptive_plan import AdaptivePlan

        rule = Rule(self.budget or "100%", self.until)
        return AdaptivePlan(plan, others.read(), rule, settings)


def mean_words(mean: Mean | None, table: ResultsTable) -> str:
    """Say what the mean is, as far as it is known."""
    from eevee.running.adaptive import in_units

    if mean is None:
        return "mean unknown"
    unit = " units above the other models" if in_units(table) else ""
    if math.isnan(mean.width):
        return f"mean {number(mean.predicted)}{unit}, no interval"
    return f"mean {number(mean.predicted)}{unit} ({number(mean.lower)} to {number(mean.upper)})"


def choice_words(choice: Choice, run: AdaptivePlan) -> str:
    """Say what ran, why, what is known now and what was spent."""
    unit = run.table.cost_unit
    after = mean_words(choice.mean, run.table) if choice.measured else "gave no result"
    spent = f"spent {number(choice.spent)} of {number(run.budget)} {unit}"
    return f"{choice.benchmark}: {why_words(choice, unit)}; {after}; {spent}"


def why_words(choice: Choice, unit: str) -> str:
    """Say why a benchmark was chosen."""
    return (
        f"most for its cost, {choice.share:.0%} of what is unknown for {number(choice.cost)} {unit}"
    ).replace("%", " %")


def verdict(found: Adapted, run: AdaptivePlan) -> str:
    """Say in one line why it ended and what is known."""
    table, until = run.table, run.rule.until
    known = mean_words(found.mean, table)
    ends = {
        "narrow": "narrow enough",
        "budget": "budget spent",
        "nothing left": "nothing left to run",
        "stopped": "stopped",
    }
    wide = found.mean is None or not found.mean.width < (until or 0)
    missed = f", not within {until:g}" if until is not None and wide else ""
    return (
        f"{ends[found.end]}: {known}{missed}, by {len(found.measured)} of {table.n_benchmarks} "
        f"benchmarks and {number(found.spent)} of {number(found.budget)} {table.cost_unit} by the "
        "table's costs"
    )


def adapted_as_json(found: Adapted) -> dict[str, Any]:
    """Return an adaptive run for machines."""
    return {
        "choices": [asdict(choice) for choice in found.choices],
        "begun": None if found.begun is None else asdict(found.begun),
        "mean": None if found.mean is None else asdict(found.mean),
        "spent": found.spent,
        "budget": found.budget,
        "end": found.end,
    }


def print_ahead(run: AdaptivePlan, *, as_json: bool) -> None:
    """Print what stands and what would be run next."""
    found = run.ahead()
    if as_json:
        print_json({"adaptive": adapted_as_json(found)})
        return
    if not found.choices:
        print_line(verdict(found, run))
        return
    (choice,) = found.choices
    job = next(job for job in run.plan.jobs if job.benchmark == choice.benchmark)
    spent = f"{number(found.spent)} of {number(found.budget)} {run.table.cost_unit}"
    print_line(f"now: {mean_words(found.begun, run.table)}, spent {spent}")
    print_line(f"next: {choice.benchmark}, {why_words(choice, run.table.cost_unit)}")
    print_line(job.command)
