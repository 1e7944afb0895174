"""What to do next: check the tiers, choose one, measure a model on it, predict the rest."""

from __future__ import annotations

import csv
import io
import math
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from eevee.report.html.decision import Decision, ShownTier
from eevee.report.html.reproduce import command_like, goal_words, together
from eevee.report.html.runs import Run
from eevee.report.html.words import error, fixed, short, some
from eevee.tables.results_table import NO_COSTS
from eevee.tiers.file import Tier

WIDEST = 12
"""Columns of the file to write that are shown."""
OUTER_SPLITS = 10
"""As `eevee assess` has by default."""
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
    unchecked = [one.tier for one in tiers if not one.assessed]
    if unchecked:
        yield _check(runs, run, unchecked)
    if len(tiers) > 1:
        yield NextStep(f"Choose a tier. As the search saw them: {' '.join(_gains(tiers, run))}")
    tier = tiers[0].tier
    path = (run.folder / "tiers.yaml").as_posix()
    yield NextStep(
        "Run the benchmarks of the tier, here "
        f"{short(tier.name)}, on your model, and write its scores into a file new.csv: a row per "
        "model, a column per benchmark. `eevee plan` and `eevee run` can do both",
        (_header(tier),),
    )
    yield NextStep(
        "Predict its scores on all other benchmarks, with intervals.",
        (shlex.join(["eevee", "predict", path, "--tier", tier.name, "new.csv", *_scores(run)]),),
    )
    lines = [shlex.join(["eevee", "export", path, "--to", "card", "--out", str(_beside(run))])]
    missing = ""
    if run.command == "tiers" and any(one.tier.assessed_loss is None for one in tiers):
        lines.insert(0, shlex.join(["eevee", "tiers", *run.words(), "--assess"]))
        missing = " The file holds no assessed losses: the same command with --assess adds them."
    yield NextStep(
        "Hand it on: the file tiers.yaml below, and the table for whoever predicts. `eevee export` "
        f"writes it for a harness (`eevee export --help` lists them), or as a card.{missing}",
        tuple(lines),
    )


def _beside(run: Run) -> Path:
    return run.folder.parent / "card"


def _check(runs: Sequence[Run], run: Run, tiers: Sequence[Tier]) -> NextStep:
    words = [*run.words("Search", "Rules"), *together(run)]
    lines, folders = [], [one.folder for one in runs]
    stems = _stems([tier.name for tier in tiers])
    for tier in tiers:
        name = "assess" if len(tiers) == 1 else f"assess-{stems[tier.name]}"
        folder, line = command_like(run, "assess", [*words, *goal_words(tier, run)], name)
        lines.append(line)
        folders.append(folder)
    again = shlex.join(["eevee", "report", *map(str, folders)])
    return NextStep(
        "Check the search on models that it did not see, and add that to this page. "
        f"{'Each' if len(lines) > 1 else 'This'} repeats the search in {OUTER_SPLITS} outer "
        f"splits: it takes about {OUTER_SPLITS} times as long as the search.",
        (*lines, again),
    )


def _stems(names: Sequence[str]) -> dict[str, str]:
    """Return names of folders: plain letters of each name, or its place."""
    plain = {name: re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-") for name in names}
    apart = len({*map(str.casefold, plain.values())} - {""}) == len(names)
    return plain if apart else {name: str(i) for i, name in enumerate(names, start=1)}


def _gains(tiers: Sequence[ShownTier], run: Run) -> Iterator[str]:
    """Say of each tier what it adds to the one before."""
    paid = run.cost_unit != NO_COSTS
    for small, big in pairwise(sorted(tiers, key=lambda one: one.tier.cost)):
        names = short(big.tier.name), short(small.tier.name)
        if {*big.names} == {*small.names}:
            yield f"{names[0]} is the same as {names[1]}: the larger budget buys nothing more."
            continue
        times = f"{big.tier.cost / small.tier.cost:.2g} times" if small.tier.cost > 0 else "more"
        what = f"costs {times} as much as" if paid else f"has {times} as many benchmarks as"
        yield (
            f"{names[0]} {what} {names[1]}; the error over benchmarks that are not run goes from "
            f"{fixed(error(small.unseen))} to {fixed(error(big.unseen))}."
            if math.isfinite(small.unseen + big.unseen)
            else f"{names[0]} {what} {names[1]}; the error over all benchmarks goes from "
            f"{fixed(small.error)} to {fixed(big.error)}."
        )
        alone = sorted({*small.names} - {*big.names})
        if alone:
            yield (
                f"{names[1]} has what {names[0]} lacks ({some(alone, 3)}); --nested makes each "
                "tier a part of the next."
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
