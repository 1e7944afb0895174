"""From a tier set to files: names are mapped, everything is checked, then written."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eevee.base.errors import EeveeError, did_you_mean
from eevee.exporters.format import Export, Format, Task, TierTasks
from eevee.exporters.mapping import TaskMapping, check_options, load_mapping, tasks_of
from eevee.exporters.names import stems_of
from eevee.exporters.registry import find_format
from eevee.exporters.writing import write_export
from eevee.tiers.file import HoldsTiers, TierSet, tier_set_of

_SHOWN = 5
"""Benchmarks of a mapping without a tier that are named."""


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes
    ----------
    files : tuple of Path
        The last is the record of the export, `eevee-NAME.json`.
    run : tuple of str
        One command per tier: how what was written is run.
    notes : tuple of str
        What else to know, worst first.
    """

    files: tuple[Path, ...]
    run: tuple[str, ...]
    notes: tuple[str, ...]


def export(
    tiers: TierSet | HoldsTiers,
    *,
    to: str,
    out: str | os.PathLike[str],
    mapping: str | os.PathLike[str] | TaskMapping | None = None,
    options: Mapping[str, Any] | None = None,
) -> Exported:
    """Write tiers as a harness loads them.

    Parameters
    ----------
    tiers : TierSet, or the result of `eevee.build_tiers`
    to : str
        The format (`eevee.exporters.registry.NAMES`).
    out : path
        A folder, made if need be. Nothing outside of it is written, and no file in it that
        another program wrote is replaced.
    mapping : path or TaskMapping, optional
        Benchmarks to the harness's names. A benchmark that is not in it keeps its name.
    options : mapping, optional
        Options of the format; they count more than those of the mapping.

    Returns
    -------
    Exported

    Raises
    ------
    EeveeError
        With every name and option that the harness cannot hold; then nothing is written.

    Examples
    --------
    >>> import tempfile
    >>> from eevee.tiers.file import SearchLoss, TableInfo, Tier, TierBenchmark, TierSet
    >>> chosen = (TierBenchmark("gsm8k", ("gsm8k",), 1.0),)
    >>> small = Tier("small", 2.0, 1.0, chosen, SearchLoss(0.2, 0.1, "all"))
    >>> table = TableInfo("scores.csv", "0" * 64, models=20, benchmarks=3)
    >>> tiers = TierSet("eevee 1.0", "GPU-hours", table, {}, {}, 0, (small,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = export(tiers, to="lm-eval", out=folder)
    ...     [path.name for path in written.files]
    ['eevee_small.yaml', 'eevee-lm-eval.json']
    """
    chosen = find_format(to)
    given = TaskMapping(to) if mapping is None else mapping
    given = given if isinstance(given, TaskMapping) else load_mapping(given)
    made, notes = prepare(tier_set_of(tiers), chosen, given, options or {})
    files = chosen.files(made)
    written, left = write_export(Path(out), chosen.name, files, made)
    if left:
        notes.append(f"left of an earlier export, not of this one: {', '.join(left)}")
    run = dict.fromkeys(_run(chosen, made, one, shlex.quote(str(out))) for one in made.each)
    return Exported(tuple(written), tuple(run), tuple(notes))


def _run(to: Format, made: Export, one: TierTasks, out: str) -> str:
    line = to.run if isinstance(to.run, str) else to.run(made, one)
    return line.format(out=out, stem=one.stem)


def prepare(
    tiers: TierSet, to: Format, mapping: TaskMapping, options: Mapping[str, Any]
) -> tuple[Export, list[str]]:
    """Map names and check everything; what a format needs, and what to tell the user.

    Raises
    ------
    EeveeError
        With all that is wrong.
    """
    if mapping.to != to.name:
        raise EeveeError(f"the mapping is for {mapping.to!r}, not for {to.name!r}")
    benchmarks = list(dict.fromkeys(name for tier in tiers for name in tier.benchmark_names))
    known, problems, notes = _tasks(benchmarks, mapping, to)
    asked = {**mapping.options, **options}
    settings, wrong = check_options(asked, to.options, to)
    problems += [f"options: {one}" for one in wrong]
    stems = stems_of(tiers.names)
    each = tuple(
        TierTasks(
            tier, stems[tier.name], tuple(t for b in tier.benchmark_names for t in known.get(b, ()))
        )
        for tier in tiers
    )
    made = Export(tiers, each, settings)
    problems += _twice(each, to)
    problems += [] if problems else filter(None, [to.unfit(made)])
    if problems:
        raise EeveeError(f"{to.name}: {'; '.join(problems)}; nothing was written")
    return made, [*notes, *filter(None, [to.note(made)])]


def _tasks(
    benchmarks: list[str], mapping: TaskMapping, to: Format
) -> tuple[dict[str, list[Task]], list[str], list[str]]:
    """Tasks of each benchmark, all that is wrong with them, and what the mapping has more."""
    known: dict[str, list[Task]] = {}
    alike: dict[str, list[str]] = {}
    for benchmark in benchmarks:
        tasks, wrong = tasks_of(mapping.tasks.get(benchmark, benchmark), benchmark, to)
        wrong += filter(None, map(to.wrong, tasks))
        known[benchmark] = tasks
        for one in wrong:
            why = f": {one}"
            if benchmark not in mapping.tasks:
                why = f"{one.removeprefix(repr(benchmark))} (map it: --mapping)"
            alike.setdefault(why, []).append(repr(benchmark))
    problems = [
        f"{', '.join(names)}{': each' * (len(names) > 1 and why[0] != ':')}{why}"
        for why, names in alike.items()
    ]
    return known, problems, _unknown(benchmarks, mapping)


def _unknown(benchmarks: list[str], mapping: TaskMapping) -> list[str]:
    """Tell of benchmarks of the mapping that no tier has: other tiers may, or it is a slip."""
    unmapped = [name for name in benchmarks if name not in mapping.tasks]
    without = [name for name in mapping.tasks if name not in benchmarks]
    if not without:
        return []
    hinted = [f"{name}{did_you_mean(name, unmapped)}" for name in without]
    hinted.sort(key=lambda one: "(did you mean" not in one)
    more = hinted[_SHOWN:]
    others = f" and {len(more)} more" if more else ""
    return [f"mapped, but in none of these tiers: {', '.join(hinted[:_SHOWN])}{others}"]


def _twice(each: tuple[TierTasks, ...], to: Format) -> list[str]:
    """Tasks that a tier would run twice; where any options go, those with others are others."""
    problems: dict[str, None] = {}
    for one in each:
        seen: dict[str, Task] = {}
        for task in one.tasks:
            key = task.name if to.task_options is not None else repr((task.name, task.options))
            first = seen.setdefault(key, task)
            if first is not task:
                said = f"benchmark {task.benchmark!r}: {task.name!r} is that of {first.benchmark!r}"
                problems[said] = None
    return list(problems)
