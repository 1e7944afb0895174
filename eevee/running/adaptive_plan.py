"""Running a plan of one model adaptively: what its commands measure decides which comes next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from eevee.base.errors import EeveeError
from eevee.readers.new_scores import read_new_scores
from eevee.running.adaptive import Adapted, Choice, Rule, Scores, adapt
from eevee.running.devices import Slot
from eevee.running.measured import Measured
from eevee.running.plan import Plan
from eevee.running.runner import Failure, RunSettings, Step, run_plan, standing_of
from eevee.search.goal import Budget
from eevee.tables.results_table import ResultsTable


def model_of(plan: Plan) -> str:
    """Return the only model of a plan.

    Raises
    ------
    EeveeError
        If there are several, or none.
    """
    names = list(dict.fromkeys(job.model for job in plan.jobs))
    if len(names) != 1:
        raise EeveeError(
            f"an adaptive run is of one model, and this plan has {len(names)}; plan each by itself"
        )
    return names[0]


@dataclass(frozen=True)
class AdaptivePlan:
    """A plan of one model, and the table of others that decides what it runs.

    Attributes
    ----------
    plan : Plan
        Its benchmarks are those that may be run.
    table : ResultsTable
    rule : Rule
        Its candidates are those of the plan, whatever they were.
    settings : RunSettings
    """

    plan: Plan
    table: ResultsTable
    rule: Rule
    settings: RunSettings

    @property
    def budget(self) -> float:
        """In the table's cost unit."""
        return Budget.parse(self.rule.budget).in_units(self.table)

    def run(
        self,
        slot: Slot,
        *,
        stop: threading.Event,
        report: Callable[[Step], None] = lambda step: None,
        chosen: Callable[[Choice], None] = lambda choice: None,
    ) -> tuple[Adapted, list[Failure]]:
        """Run command after command; results that are there count as they are.

        Parameters
        ----------
        slot : Slot
        stop : Event
            Ends the run when it is set: the command under way is ended, and lost.
        report, chosen : callable
            Take the news of commands, and each choice when its command has ended.

        Raises
        ------
        EeveeError
            As `run_plan` and `adapt` do; if a result is of a benchmark or metric that the table
            does not have.
        """
        jobs, failed = {job.benchmark: job for job in self.plan.jobs}, []

        def measure(name: str) -> Scores | None:
            alone = replace(self.plan, jobs=(jobs[name],))
            lost = run_plan(alone, [slot], self.settings, stop=stop, report=report)
            failed.extend(lost)
            done = standing_of(alone, accept=self.settings.accept).done
            return self._scores(done) if done and not lost else None

        return self._adapt(measure, stop.is_set, chosen), failed

    def ahead(self) -> Adapted:
        """Return what stands, and as its only choice what would be run next; run nothing."""
        asked: list[str] = []

        def measure(name: str) -> None:
            asked.append(name)

        return self._adapt(measure, lambda: bool(asked), lambda choice: None)

    def _adapt(
        self,
        measure: Callable[[str], Scores | None],
        stop: Callable[[], bool],
        chosen: Callable[[Choice], None],
    ) -> Adapted:
        model, names = model_of(self.plan), [job.benchmark for job in self.plan.jobs]
        standing = standing_of(self.plan, accept=self.settings.accept)
        standing.refuse_elsewhere()
        return adapt(
            self.table,
            measure,
            replace(self.rule, candidates=self.table.subset(names)),
            known=self._scores(standing.done),
            stop=stop,
            report=chosen,
            name=model,
        )

    def _scores(self, done: Sequence[Measured]) -> Scores:
        """Scores by column of the table."""
        rows = [
            (one.job.model, one.job.benchmark, metric, score)
            for one in done
            for metric, score in one.result.scores.items()
        ]
        if not rows:
            return {}
        frame = pd.DataFrame(rows, columns=["model", "benchmark", "metric", "score"])
        if not frame["metric"].any():
            frame = frame.drop(columns="metric")
        found = read_new_scores(frame, self.table, layout="long").iloc[0].dropna()
        return {str(column): float(score) for column, score in found.items()}
