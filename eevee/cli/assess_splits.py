"""Kinds of outer splits in `assess`: the options, and the tables side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eevee.cli.panels import MANY, option
from eevee.cli.printing import print_line, print_table
from eevee.cli.search_options import GoalOptions
from eevee.cli.subset_options import split_names

if TYPE_CHECKING:
    from eevee.assessment.by_kind import SplitsAssessment

_SPLITS = "Held-out models"


@dataclass(frozen=True)
class KindOptions:
    """Which models are held out."""

    held_out: Annotated[
        str | None,
        option(
            "--held-out",
            help="Kinds of held-out models, side by side: random,family,frontier,time.",
            panel=_SPLITS,
        ),
    ] = None
    date: Annotated[
        str | None,
        option("--date", help="Attribute of models for time (default: date).", panel=_SPLITS),
    ] = None

    folds: Annotated[
        int,
        option(
            "--n-folds",
            help="Parts that are held out in turn.",
            panel=_SPLITS,
            min=2,
            max=MANY,
            metavar="N",
        ),
    ] = 5
    repeats: Annotated[
        int,
        option(
            "--n-repeats", help="Number of repeats.", panel=_SPLITS, min=1, max=MANY, metavar="N"
        ),
    ] = 2
    families: Annotated[
        str | None,
        option(
            "--families",
            help="Attribute of models: intervals, and --held-out family, are by it.",
            panel=_SPLITS,
        ),
    ] = None
    stability: Annotated[
        bool,
        option("--stability", help="Also search with other seeds, and at k + 1.", panel=_SPLITS),
    ] = False
    learning_curve: Annotated[
        bool,
        option(
            "--learning-curve",
            help="Also search on fewer models: how many are needed?",
            panel=_SPLITS,
        ),
    ] = False

    def check(self) -> None:
        """Refuse unknown kinds, and a date that nothing asks for, as wrong usage."""
        if self.folds * self.repeats > MANY:
            raise typer.BadParameter(f"--n-folds times --n-repeats is at most {MANY}")
        if self.kinds:
            from eevee.base.errors import EeveeError
            from eevee.splits.outer import checked_kinds

            try:
                checked_kinds(self.kinds)
            except EeveeError as error:
                raise typer.BadParameter(f"--held-out: {error}") from None
        if self.date is not None and "time" not in self.kinds:
            raise typer.BadParameter("--date goes with --held-out time")
        if self.kinds and (self.stability or self.learning_curve):
            raise typer.BadParameter(
                "--stability and --learning-curve hold out random models; run them without "
                "--held-out"
            )

    def check_goal(self, goal: GoalOptions) -> None:
        """Refuse to search again where nothing is searched for."""
        if not goal.given and (self.stability or self.learning_curve):
            which = "--stability" if self.stability else "--learning-curve"
            raise typer.BadParameter(f"{which} goes with -k or --budget")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that were named, if any were."""
        return split_names("--held-out", self.held_out)

    @property
    def folded(self) -> dict[str, Any]:
        """What a `Study` takes of it."""
        return {"n_folds": self.folds, "n_repeats": self.repeats, "families": self.families}

    @property
    def asked(self) -> dict[str, Any]:
        """What `full_assessment` takes of it."""
        date = {} if self.date is None else {"date": self.date}
        more = {"stability": self.stability, "curve": self.learning_curve}
        return {"kinds": self.kinds, **date, **more}


def print_splits(side: SplitsAssessment, *, verbose: bool) -> None:
    """Print the losses of all methods by kind, what the first one's rest on, and what they say."""
    first, kinds = side.first, list(side.kinds)
    about, frame = first.settings, side.side_by_side
    loss = side.loss_column
    losses = frame.pivot(index="method", columns="kind", values=loss).loc[list(first.names), kinds]
    print_table(
        f"Assessed loss by what was held out, {about['goal']}, {about['scorer']['name']} scorer "
        f"(targets: {about['targets']})",
        ["method", *kinds],
        losses.itertuples(),
    )
    low, high = (loss.replace("loss", end) for end in ("low", "high"))
    names = ("kind", "n_train", "n_test", loss, low, high, "percent", "same_models")
    again = ("times", "times_low", "times_high")
    own = frame[frame["method"] == first.names[0]].to_dict("records")
    rows = [{**row, "percent": 100 * row["share"]} for row in own]
    print_table(
        f"{first.names[0]}, by what was held out",
        ["held out", "trained on", "tested", "loss", "low", "high", "% of mean", "same models",
         "times", "low", "high"],
        (
            [row[name] for name in names]
            + [None if row["kind"] == side.reference else row[name] for name in again]
            for row in rows
        ),
    )  # fmt: skip
    for kind, found in side.kinds.items():
        print_line(f"{kind}: {found.settings['splits']}")
    print_line(
        f"low, high: {100 * about['level']:g} % bootstrap over held-out models. % of mean: of the "
        "mean predictor's loss on them. same models: the loss of those that are tested here, in "
        f"{side.reference} splits; times: the loss here as a multiple of it."
    )
    if verbose:
        print_line(f"In detail, with {kinds[0]} splits:")
