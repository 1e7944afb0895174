"""Options that several verbs share, in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from eevee.cli.panels import MANY, MOST_SEED, OUTPUT, SCORER, option
from eevee.cli.printing import say, warn_of_leak

if TYPE_CHECKING:
    from eevee.scorers.base import Scorer
    from eevee.scorers.spec import ScorerSpec
    from eevee.tables.results_table import ResultsTable


MOST_DIGITS = 9
"""Digits of whole numbers that are given inside a text."""


class ScorerName(StrEnum):
    """Which meta-model."""

    mlp = "mlp"
    ridge = "ridge"
    factor = "factor"
    auto = "auto"


class Targets(StrEnum):
    """What the meta-model predicts."""

    all = "all"
    unseen = "unseen"


def parse_epochs(text: str) -> int | Literal["auto"]:
    """Read a number of epochs, or "auto"; wrong usage if it is none.

    Examples
    --------
    >>> parse_epochs("20"), parse_epochs("auto")
    (20, 'auto')
    """
    if text == "auto":
        return "auto"
    if not is_whole(text):
        raise typer.BadParameter(f"--epochs is a number or 'auto', not {text!r}")
    return int(text)


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number from 1 on, of no more digits than any can need."""
    return text.isdecimal() and len(text) <= MOST_DIGITS and int(text) >= 1


@dataclass(frozen=True)
class ScorerOptions:
    """How subsets are scored."""

    seed: Annotated[
        int,
        option(
            "--seed",
            help="Of splits, scorer and search.",
            panel=SCORER,
            min=0,
            max=MOST_SEED,
            metavar="N",
        ),
    ] = 0
    scorer: Annotated[
        ScorerName,
        option(
            "--scorer",
            help="The meta-model; 'auto' takes what predicts this table's models best.",
            panel=SCORER,
        ),
    ] = ScorerName.mlp
    paper: Annotated[
        bool,
        option(
            "--paper",
            help="As in the paper: 20 epochs, all targets, top 50 kept, all generations.",
            panel=SCORER,
        ),
    ] = False
    targets: Annotated[
        Targets,
        option("--targets", help="Predict all columns, or only unseen benchmarks.", panel=SCORER),
    ] = Targets.all
    epochs: Annotated[
        str | None,
        option("--epochs", help="A number, or 'auto' (the default).", panel=SCORER),
    ] = None
    n_init: Annotated[
        int,
        option(
            "--n-init", help="Initialisations averaged.", panel=SCORER, min=1, max=MANY, metavar="N"
        ),
    ] = 1
    n_splits: Annotated[
        int,
        option(
            "--n-splits",
            help="Number of splits of the models.",
            panel=SCORER,
            min=1,
            max=MANY,
            metavar="N",
        ),
    ] = 10
    test_size: Annotated[
        float, option("--test-size", help="Share of models held out.", panel=SCORER)
    ] = 0.2
    group_duplicates: Annotated[
        bool,
        option(
            "--group-duplicates",
            help="Models that are nearly the same stay on one side of a split.",
            panel=SCORER,
        ),
    ] = False
    groups: Annotated[
        str | None,
        option(
            "--groups",
            help="Attribute of models, such as family: those that share it stay on one side.",
            panel=SCORER,
        ),
    ] = None
    weights: Annotated[
        Path | None,
        option(
            "--weights", help="CSV 'benchmark,weight', of the loss and mean scores.", panel=SCORER
        ),
    ] = None
    device: Annotated[str, option("--device", help="auto, cpu, cuda or cuda:N.", panel=SCORER)] = (
        "auto"
    )

    def make(self, table: ResultsTable, *, quiet: bool = False) -> Scorer:
        """Make the scorer; on standard error: what "auto" chose, near-duplicates that are apart."""
        from eevee.scorers.choose import ChosenScorer
        from eevee.scorers.outlook import outlook
        from eevee.splits.near_duplicates import find_leak

        made = self.plan().make(table, self.seed)
        warn_of_leak(find_leak(table, made.splits))
        if isinstance(made, ChosenScorer) and not quiet:
            say(f"scorer: {made.choice.name} ({made.choice.reason})")
        if not quiet and (long := outlook(made)):
            say(long)
        return made

    def plan(self) -> ScorerSpec:
        """Return how to score, before there is a table."""
        from eevee.scorers.spec import ScorerSpec

        return ScorerSpec(
            scorer=self.scorer.value,
            n_splits=self.n_splits,
            test_size=self.test_size,
            targets=self.targets.value,
            weights=self._weights,
            options=self._mlp_options(),
            groups=self.groups,
            group_duplicates=self.group_duplicates,
        )

    @cached_property
    def _weights(self) -> dict[str, float] | None:
        """Read once: of a pipe there is nothing left the second time."""
        from eevee.readers.weights import read_weights

        return None if self.weights is None else read_weights(self.weights)

    def elsewhere(self, made: Scorer, table: ResultsTable, count: int) -> Sequence[Scorer]:
        """Make the same scorer on that many other splits."""
        return self.plan().elsewhere(made, table, self.seed, count)

    def _mlp_options(self) -> dict[str, Any]:
        if self.scorer is ScorerName.auto:
            return {"device": self.device}
        if self.scorer is not ScorerName.mlp:
            return {}
        return {"epochs": self._epochs(), "n_init": self.n_init, "device": self.device}

    def check(self) -> None:
        """Refuse contradictions, and numbers out of range, as wrong usage."""
        self._epochs()
        self._check_scorer()
        if not 0.0 < self.test_size < 1.0:
            raise typer.BadParameter(f"--test-size lies between 0 and 1, not {self.test_size:g}")
        if self.paper and (self.targets is not Targets.all or self.epochs not in (None, "20")):
            raise typer.BadParameter(
                "--paper means 20 epochs and all targets; remove --epochs and --targets, or --paper"
            )

    def _check_scorer(self) -> None:
        given = {
            "--paper": self.paper,
            "--epochs": self.epochs is not None,
            "--n-init": self.n_init != 1,
            "--device": self.device != "auto" and self.scorer is not ScorerName.auto,
        }
        extra = [name for name, there in given.items() if there]
        if self.scorer is not ScorerName.mlp and extra:
            raise typer.BadParameter(
                f"{' and '.join(extra)} {'needs' if len(extra) == 1 else 'need'} --scorer mlp, "
                f"not --scorer {self.scorer.value}"
            )

    def _epochs(self) -> Any:
        if self.epochs is None:
            return 20 if self.paper else "auto"
        return parse_epochs(self.epochs)

    @property
    def search_seed(self) -> int:
        """Seed of the search, apart from those of splits and scorer."""
        from eevee.base.seeds import child_seed
        from eevee.scorers.spec import SEARCH

        return child_seed(self.seed, SEARCH)


@dataclass(frozen=True)
class FrontScorerOptions(ScorerOptions):
    """The same, where sizes are compared: the targets are all columns."""

    FIXED: ClassVar[tuple[str, ...]] = ("targets",)


@dataclass(frozen=True)
class JsonOption:
    """Whether results are for machines."""

    as_json: Annotated[bool, option("--json", help="Print JSON for machines.", panel=OUTPUT)] = (
        False
    )


@dataclass(frozen=True)
class DetailOptions(JsonOption):
    """The same, for verbs that know more than they say."""

    verbose: Annotated[
        bool, option("--verbose", "-v", help="Print all tables and explanations.", panel=OUTPUT)
    ] = False


@dataclass(frozen=True)
class OutputOptions(JsonOption):
    """The same, for verbs that take long."""

    quiet: Annotated[bool, option("--quiet", "-q", help="No progress on stderr.", panel=OUTPUT)] = (
        False
    )


Out = Annotated[
    Path | None,
    option("--out", "-o", help="Also write a run folder (replaces an earlier).", panel=OUTPUT),
]


@dataclass(frozen=True)
class LongOptions(DetailOptions, OutputOptions):
    """The same, for verbs that take long and know more than they say."""


@dataclass(frozen=True)
class RunOptions(LongOptions):
    """The same, for verbs that can be interrupted and resumed."""

    out: Out = None
    resume: Annotated[
        bool,
        option("--resume", help="Continue the interrupted run of --out, if any.", panel=OUTPUT),
    ] = False


def settings(*groups: object, **more: Any) -> dict[str, Any]:
    """Return what a job was asked to do: every option, and what the files were that it read."""
    from eevee.cli.command_line import given_words
    from eevee.report.run_folder import hash_files

    values: dict[str, Any] = {}
    for group in groups:
        values |= asdict(group)  # type: ignore[call-overload]
    values |= more
    files = {name: value for name, value in values.items() if isinstance(value, Path)}
    options = {name: value for name, value in values.items() if name not in files}
    seed, words = options.pop("seed"), given_words()
    return {
        "seed": seed,
        "command_line": words,
        "options": options,
        "inputs": hash_files(files),
    }
