"""What to do next: check the tiers, choose one, measure a model on it, predict the rest."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from eevee.report.html.decision import Decision, ShownTier
from eevee.report.html.reproduce import command_like, goal_words
from eevee.report.html.runs import Run
from eevee.report.html.words import fixed, short
from eevee.tiers.file import Tier

WIDEST = 12
"""Columns of the file to write that are shown."""
_COSTS = ("--costs", "--cost-unit", "--cost-statistic", "--gpu-column", "--gpu-speed")
"""Options of tables that `predict` does not take."""


@dataclass(frozen=True)
class NextStep:
    """Something to do, and what to type or write for it."""

    what: str
    lines: tuple[str, ...] = ()


def next_steps(runs: Sequence[Run], decision: Decision) -> tuple[NextStep, ...]:
    """Say what someone who has read the verdict does next; nothing where there are no tiers."""
    return tuple(_steps(runs, decision))


def _steps(runs: Sequence[Run], decision: Decision) -> Iterator[NextStep]:
    run, tiers = decision.run, decision.tiers
    if run is None or not tiers:
        return
    if not any(one.assessed for one in tiers):
        yield _check(runs, run)
    if len(tiers) > 1:
        yield NextStep(f"Choose a tier. {' '.join(_gains(tiers))}")
    tier = tiers[0].tier
    yield NextStep(
        f"Run the benchmarks of the tier, here {short(tier.name)}, on your model, and write its "
        "scores into a file new.csv: a row per model, a column per benchmark. `eevee plan` and "
        "`eevee run` can do both; `eevee export` writes the tier for harnesses",
        (_header(tier),),
    )
    path = (run.folder / "tiers.yaml").as_posix()
    yield NextStep(
        "Predict its scores on all other benchmarks, with intervals.",
        (shlex.join(["eevee", "predict", path, "--tier", tier.name, "new.csv", *_scores(run)]),),
    )


def _check(runs: Sequence[Run], run: Run) -> NextStep:
    words = [*run.words("Search", "Rules"), *goal_words(runs)]
    folder, command = command_like(run, "assess", words)
    again = shlex.join(
        ["eevee", "report", *(str(one) for one in (*(run.folder for run in runs), folder))]
    )
    return NextStep(
        "Check the search on models that it did not see, and add that to this page. It searches "
        "again in each of several splits, so it takes many times as long.",
        (command, again),
    )


def _gains(tiers: Sequence[ShownTier]) -> Iterator[str]:
    """Say of each tier what it adds to the one before."""
    for small, big in pairwise(sorted(tiers, key=lambda one: one.tier.cost)):
        names = short(big.tier.name), short(small.tier.name)
        times = f"{big.tier.cost / small.tier.cost:.2g} times" if small.tier.cost > 0 else "more"
        yield (
            f"{names[0]} costs {times} as much as {names[1]}; the error over all benchmarks goes "
            f"from {fixed(small.error)} to {fixed(big.error)}."
        )


def _header(tier: Tier) -> str:
    columns = [name for one in tier.benchmarks for name in one.columns]
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(["model", *columns[:WIDEST]])
    more = len(columns) - WIDEST
    return f"{line.getvalue()}{f' … and {more} more' if more > 0 else ''}"


def _scores(run: Run) -> list[str]:
    """Return the words that let `predict` read the table as the run did."""
    words = run.words("Table")
    kept, skip = [], False
    for word in words:
        skip_now, skip = skip, word in _COSTS
        if not skip and not skip_now:
            kept.append(word)
    return ["--scores", *(run.words("arguments") or ["SCORES"]), *kept]
