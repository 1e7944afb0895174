"""Options of the verbs that search: how, and within which rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from eevee.cli.old_names import warn
from eevee.cli.options import ScorerOptions, Targets
from eevee.cli.panels import MANY, RULES, SEARCH, option
from eevee.cli.printing import say
from eevee.cli.subset_options import split_names

if TYPE_CHECKING:
    from eevee.scorers.base import Objective
    from eevee.search.constraints import Constraints
    from eevee.search.evolution.generations import Evolution
    from eevee.search.procedure import Procedure
    from eevee.tables.results_table import ResultsTable


class Method(StrEnum):
    """How subsets are searched for."""

    evolution = "evolution"
    paper = "paper"
    greedy = "greedy"
    greedy_backward = "greedy-backward"
    greedy_swaps = "greedy-swaps"
    random = "random"
    cheapest = "cheapest"
    medoids = "medoids"
    correlated = "correlated"


class WinnerRule(StrEnum):
    """How the winners of a generation are chosen."""

    best = "best"
    tournament = "tournament"


class ObjectiveOption(StrEnum):
    """What a search goes by."""

    loss = "loss"
    kendall = "kendall"
    r2 = "r2"


class NearTiesOption(StrEnum):
    """Which of the subsets that the loss does not tell apart is proposed."""

    auto = "auto"
    covariance = "covariance"
    diversity = "diversity"
    loss = "loss"


@dataclass(frozen=True)
class SearchOptions:
    """How the search goes."""

    method: Annotated[
        Method | None,
        option(
            "--search",
            help="evolution (the default), paper (as the paper has it), or a simple baseline.",
            panel=SEARCH,
        ),
    ] = None
    generations: Annotated[
        int,
        option(
            "--n-generations", help="At most this many.", panel=SEARCH, min=1, max=MANY, metavar="N"
        ),
    ] = 10
    patience: Annotated[
        int | None,
        option(
            "--patience",
            help="Stop after this many without progress (default: 3; none with --search paper).",
            panel=SEARCH,
            min=1,
            max=MANY,
            metavar="N",
        ),
    ] = None
    selection: Annotated[
        WinnerRule, option("--selection", help="How winners are chosen.", panel=SEARCH)
    ] = WinnerRule.best
    exhaustive: Annotated[
        bool,
        option(
            "--exhaustive/--no-exhaustive",
            help="Score every subset where there are at most 6,000.",
            panel=SEARCH,
        ),
    ] = True
    restarts: Annotated[
        int,
        option(
            "--n-restarts",
            help="Number of searches on the same splits, each with another seed; the best counts. "
            "One fewer run on other splits, to say how far the choice depends on them: 3 takes 5 "
            "searches.",
            panel=SEARCH,
            min=1,
            max=MANY,
            metavar="N",
        ),
    ] = 1
    objective: Annotated[
        ObjectiveOption,
        option(
            "--objective",
            help="Minimise the loss, or maximise Kendall's tau of the models' order by mean score, "
            "or R2 on the benchmarks that a subset lacks.",
            panel=SEARCH,
        ),
    ] = ObjectiveOption.loss
    near_ties: Annotated[
        NearTiesOption,
        option(
            "--near-ties",
            help="Propose the subset with the least conditional variance within a standard error "
            "of the lowest loss (covariance), the most diverse one (diversity), or the lowest "
            "loss (loss); auto: covariance on tables with few models.",
            panel=SEARCH,
        ),
    ] = NearTiesOption.auto

    @property
    def searches(self) -> int:
        """How many searches the restarts take: on the same splits, and on others."""
        return 2 * self.restarts - 1

    def make(self, paper: bool) -> Procedure:
        """Make the procedure; contradictions are wrong usage."""
        from eevee.search.procedure import EVOLVING, Procedure

        if paper and (self.patience is not None or self.selection is not WinnerRule.best):
            raise typer.BadParameter(
                "--paper keeps the top 50 and runs all generations; drop --patience and "
                "--selection, or --paper"
            )
        if paper and self.method not in (None, Method.paper):
            raise typer.BadParameter(f"--paper searches as the paper does, not by {self.method}")
        method = "paper" if paper else str(self.method or Method.evolution)
        if method not in EVOLVING and self._evolving:
            raise typer.BadParameter(f"{self._evolving} belongs to an evolution, not to {method}")
        prefers = self.near_ties in (NearTiesOption.covariance, NearTiesOption.diversity)
        if method != "evolution" and prefers:
            raise typer.BadParameter(f"--near-ties belongs to the default search, not to {method}")
        if prefers and self.objective.value != "loss":
            raise typer.BadParameter(
                f"--near-ties {self.near_ties} goes with --objective loss alone"
            )
        return Procedure(
            method=method,
            evolution=self._evolution(method) if method in EVOLVING else None,
            exhaustive=self.exhaustive,
            restarts=self.restarts,
            objective=self.objective.value,
            near_ties=self.near_ties.value,
        )

    def _evolution(self, method: str) -> Evolution:
        from eevee.search.evolution.generations import Evolution

        if method == "paper":
            return Evolution.paper(
                generations=self.generations,
                patience=self.patience,
                selection=self.selection.value,
            )
        return Evolution(
            generations=self.generations,
            patience=self.patience or 3,
            selection=self.selection.value,
        )

    @property
    def _evolving(self) -> str:
        given = {
            "--n-generations": self.generations != 10,
            "--patience": self.patience is not None,
            "--selection": self.selection is not WinnerRule.best,
            "--n-restarts": self.restarts != 1,
        }
        return " and ".join(name for name, there in given.items() if there)


@dataclass(frozen=True)
class GoalOptions:
    """What is searched for: a size or a budget."""

    k: Annotated[int | None, typer.Option("-k", "--k", help="How many benchmarks.", min=1)] = None
    budget: Annotated[str | None, typer.Option("--budget", help="Total cost, as 12 or 25%.")] = None
    max_size: Annotated[
        int | None,
        typer.Option("--max-size", help="Maximum number of benchmarks under a budget.", min=1),
    ] = None

    def check(self) -> None:
        """Refuse contradictions as wrong usage; `-k` with a budget was `--max-size`."""
        if self.budget is not None:
            check_budget(self.budget)
            if self.k is not None and self.max_size is None:
                warn("-k with --budget is now --max-size")
            elif self.k is not None:
                raise typer.BadParameter("give -k or --budget")
        elif self.max_size is not None:
            raise typer.BadParameter("--max-size goes with --budget; -k says a size")

    @property
    def given(self) -> bool:
        """Whether there is anything to search for."""
        return self.k is not None or self.budget is not None

    @property
    def size(self) -> int | None:
        """The size, where there is no budget."""
        return self.k if self.budget is None else None

    @property
    def largest(self) -> int | None:
        """The largest size under a budget."""
        return None if self.budget is None else self.max_size or self.k


@dataclass(frozen=True)
class RuleOptions:
    """What every subset must hold."""

    require: Annotated[str | None, option("--require", help="Always in: a,b,c.", panel=RULES)] = (
        None
    )
    exclude: Annotated[str | None, option("--exclude", help="Never in: a,b,c.", panel=RULES)] = None
    have: Annotated[
        str | None,
        option("--have", help="Already paid for: in, at no cost. What next?", panel=RULES),
    ] = None
    max_per_task: Annotated[
        int | None, option("--max-per-task", help="Maximum per task.", panel=RULES, min=1)
    ] = None
    min_per_task: Annotated[
        int | None, option("--min-per-task", help="Minimum per task.", panel=RULES, min=1)
    ] = None

    def make(self, max_size: int | None = None) -> Constraints:
        """Make the rules; contradictions are wrong usage."""
        from eevee.base.errors import EeveeError
        from eevee.search.constraints import Constraints

        try:
            return Constraints(
                require=split_names("--require", self.require),
                exclude=split_names("--exclude", self.exclude),
                max_per_task=self.max_per_task,
                min_per_task=self.min_per_task,
                max_size=max_size,
            )
        except EeveeError as error:
            raise typer.BadParameter(str(error)) from None

    def pay(self, table: ResultsTable) -> ResultsTable:
        """Return the table in which what the user already has costs nothing."""
        return table.already_paid(split_names("--have", self.have))


def say_wide(
    table: ResultsTable, budgets: Mapping[str, str], rules: Constraints, *, quiet: bool
) -> None:
    """Say on standard error which budgets admit so many benchmarks that the search takes long."""
    from eevee.search.goal import Budget
    from eevee.tiers.goals import wide_budgets

    for name, most in ({} if quiet else wide_budgets(table, budgets, rules)).items():
        head = f"{name}: " if name else ""
        say(
            f"{head}{Budget.parse(budgets[name]).words(table)} admits up to {most} of "
            f"{len(table.benchmark_names)} benchmarks; --max-size makes tiers smaller and the "
            "search faster"
        )


def parse_objectives(
    text: str | None, search: SearchOptions, *, searched: bool
) -> tuple[Objective, ...]:
    """Read ``loss,kendall,r2``; wrong usage if one is none, or nothing is searched for.

    Examples
    --------
    >>> parse_objectives("loss,r2", SearchOptions(), searched=True)
    ('loss', 'r2')
    """
    if text is None:
        return ()
    names = split_names("--compare-objectives", text)
    if not searched:
        raise typer.BadParameter("--compare-objectives goes with -k or --budget")
    if search.method in (Method.cheapest, Method.medoids, Method.correlated):
        raise typer.BadParameter(f"--search {search.method} chooses the same by every objective")
    for name in names:
        if name not in list(ObjectiveOption):
            known = ", ".join(ObjectiveOption)
            raise typer.BadParameter(f"--compare-objectives is some of {known}, not {name!r}")
    return tuple(ObjectiveOption(name).value for name in names)


def check_budget(text: str) -> None:
    """Refuse what is no positive number or percentage as wrong usage."""
    from eevee.base.errors import EeveeError
    from eevee.search.goal import Budget as SearchBudget

    try:
        SearchBudget.parse(text)
    except EeveeError as error:
        raise typer.BadParameter(str(error)) from None


def check_goal(goal: GoalOptions, scorer: ScorerOptions, search: SearchOptions) -> None:
    """Refuse a budget where sizes do not compare, as wrong usage."""
    if goal.budget is not None:
        check_sizes_compare(scorer, search)


def check_sizes_compare(scorer: ScorerOptions, search: SearchOptions | None = None) -> None:
    """Refuse a budget with unseen targets: such losses do not compare across sizes."""
    if search is not None and search.objective is ObjectiveOption.r2:
        raise typer.BadParameter(
            "a budget compares subsets of different sizes, which with --objective r2 predict "
            "different things; give a size, or another objective"
        )
    if scorer.targets is not Targets.all:
        raise typer.BadParameter(
            "a budget compares subsets of different sizes, which with --targets unseen predict "
            "different things; leave --targets out (both losses are shown)"
        )
