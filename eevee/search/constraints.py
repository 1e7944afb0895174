"""`Constraints`: what every subset of a search must hold, whatever its loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError, did_you_mean
from eevee.tables.results_table import ResultsTable


@dataclass(frozen=True)
class Constraints:
    """Rules that a subset must keep, beside its size or budget.

    Benchmarks that the table holds as paid for (`ResultsTable.already_paid`) are always in.

    Attributes
    ----------
    require, exclude : tuple of benchmark names
        Always in, and never.
    max_per_task, min_per_task : int or None
        Maximum and minimum number of each task's benchmarks. Benchmarks without a task are
        free of both.
    max_size : int or None
        Maximum number of benchmarks under a budget.

    Raises
    ------
    EeveeError
        If a number is below its least sensible value, or two rules exclude each other.

    Examples
    --------
    >>> Constraints(require=("mmlu",), max_per_task=2).describe()
    {'require': ['mmlu'], 'max_per_task': 2}
    """

    require: Subset = ()
    exclude: Subset = ()
    max_per_task: int | None = None
    min_per_task: int | None = None
    max_size: int | None = None

    def __post_init__(self) -> None:
        for name in ("require", "exclude"):
            given = getattr(self, name)
            if isinstance(given, str):
                raise EeveeError(f"{name} takes several names, such as [{given!r}]")
            object.__setattr__(self, name, tuple(sorted(set(given))))
        for name in ("max_per_task", "min_per_task", "max_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise EeveeError(f"{name} must be at least 1, got {value}")
        both = sorted(set(self.require) & set(self.exclude))
        if both:
            raise EeveeError(f"benchmark {both[0]!r} is both required and excluded; drop one")
        low, high = self.min_per_task, self.max_per_task
        if low is not None and high is not None and low > high:
            raise EeveeError(f"at least {low} per task and at most {high} exclude each other")

    @property
    def by_task(self) -> bool:
        """Whether tasks matter."""
        return self.max_per_task is not None or self.min_per_task is not None

    def describe(self) -> dict[str, Any]:
        """Return the rules that are there, as plain values."""
        rules = {
            "require": list(self.require),
            "exclude": list(self.exclude),
            "max_per_task": self.max_per_task,
            "min_per_task": self.min_per_task,
            "max_size": self.max_size,
        }
        return {name: rule for name, rule in rules.items() if rule}

    def requiring(self, names: Iterable[str]) -> Constraints:
        """Return the same rules with more benchmarks required."""
        return replace(self, require=(*self.require, *names))

    def excluding(self, names: Iterable[str]) -> Constraints:
        """Return the same rules with more benchmarks excluded."""
        return replace(self, exclude=(*self.exclude, *names))

    def check(self, table: ResultsTable) -> None:
        """Check the rules that do not depend on a size or a budget.

        Raises
        ------
        EeveeError
            Naming the rule that cannot be met.
        """
        for what, names in (("required", self.require), ("excluded", self.exclude)):
            for name in names:
                if name not in table.costs:
                    hint = did_you_mean(name, table.benchmark_names)
                    raise EeveeError(f"the {what} benchmark {name!r} is not in the table{hint}")
        for name in sorted(set(table.paid) & set(self.exclude)):
            raise EeveeError(f"benchmark {name!r} is both already paid for and excluded; drop one")
        if self.by_task:
            self._check_tasks(table)

    def _check_tasks(self, table: ResultsTable) -> None:
        tasks = tasks_of(table)
        if not tasks:
            raise EeveeError(
                "rules per task need tasks, and this table has none; give them with a benchmarks "
                "file (columns benchmark, task)"
            )
        fixed = Counter(tasks[name] for name in {*self.require, *table.paid} if name in tasks)
        there = Counter(task for name, task in tasks.items() if name not in self.exclude)
        for task in sorted(set(tasks.values())):
            if self.max_per_task is not None and fixed[task] > self.max_per_task:
                raise EeveeError(
                    f"{fixed[task]} benchmarks of task {task!r} are required or paid for, and at "
                    f"most {self.max_per_task} per task are allowed"
                )
            if self.min_per_task is not None and there[task] < self.min_per_task:
                raise EeveeError(
                    f"at least {self.min_per_task} per task cannot be met: task {task!r} has "
                    f"{there[task]} benchmark(s) to choose from"
                )


def tasks_of(table: ResultsTable) -> dict[str, str]:
    """Return the task of each benchmark that has one."""
    return {str(n): t for n, t in table.benchmarks["task"].items() if isinstance(t, str)}
