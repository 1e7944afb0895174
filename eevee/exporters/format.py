"""What a format is: a tier set with the harness's task names in, the texts of files out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eevee.base.parsing import Parse
from eevee.base.visible import visible
from eevee.tiers.file import Tier, TierSet

Problem = str
"""Why something cannot be exported, in a few words; empty if it can."""


@dataclass(frozen=True)
class Task:
    """What a harness runs for a benchmark.

    Attributes
    ----------
    benchmark : str
        Name in the tier.
    name : str
        The harness's name for it.
    options : mapping
        From the mapping file, checked by the format.
    """

    benchmark: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TierTasks:
    """A tier, its name in file names and identifiers, and what a harness runs for it."""

    tier: Tier
    stem: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Export:
    """What a format turns into files.

    Attributes
    ----------
    tiers : TierSet
    each : tuple of TierTasks
        In the order of the file.
    options : mapping
        Of the whole export, checked by the format.
    """

    tiers: TierSet
    each: tuple[TierTasks, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def about(self, one: TierTasks) -> tuple[str, ...]:
        """Return lines that say what a tier is, without anything that ends a comment."""
        tier, table = one.tier, self.tiers.table
        budget = "" if tier.budget is None else f" of a budget of {tier.budget:.6g}"
        return tuple(
            visible(line)
            for line in (
                f"EEVEE tier {tier.name!r}: {len(tier.benchmarks)} benchmarks",
                f"cost: {tier.cost:.6g}{budget} {self.tiers.cost_unit}",
                f"assessed loss: {assessed(tier)}",
                f"table: {table.name}, SHA-256 {table.sha256 or 'not known'}",
                f"chosen with: {self.tiers.created_with}",
            )
        )

    def comment(self, one: TierTasks, mark: str = "#") -> str:
        """Return the same as comment lines."""
        return "".join(f"{mark} {line}\n" for line in self.about(one))


def assessed(tier: Tier) -> str:
    """Return the assessed loss of a tier in words."""
    loss = tier.assessed_loss
    if loss is None:
        return "not assessed"
    return f"{loss.mean:.6g} ({loss.low:.6g} to {loss.high:.6g}), of {loss.of}"


@dataclass(frozen=True)
class Listing:
    """How to ask an installed harness for its tasks.

    Attributes
    ----------
    package : str
        What is imported.
    install : str
        The command that installs it.
    code : str
        Python that prints a JSON list of names as its last line.
    """

    package: str
    install: str
    code: str


def _nothing(*_: object) -> Problem:
    """Find nothing to say."""
    return ""


@dataclass(frozen=True)
class Format:
    """A format: the module that holds one is all that an exporter is.

    Attributes
    ----------
    name : str
        What ``--to`` takes.
    what : str
        What is written, in a few words.
    run : str, or callable
        How that is run, or `Export` and `TierTasks` to it; ``{out}`` and ``{stem}`` stand for the
        folder and the tier.
    files : callable
        `Export` to file contents by name, with ``/`` between folders.
    wrong : callable
        `Task` to what the harness cannot hold about it, or "".
    unfit : callable
        `Export` to what is wrong with it as a whole, or "".
    note : callable
        `Export` to what the user should know, or "".
    task_options : mapping of str to parser, or None
        Options of a task in the mapping file; None: any that JSON can hold.
    options : mapping of str to parser
        Options of the whole export.
    listing : Listing, optional
        Where the harness's own names come from.

    Examples
    --------
    >>> from eevee.exporters.registry import find_format
    >>> find_format("text").what
    'a list of benchmarks per tier'
    """

    name: str
    what: str
    run: str | Callable[[Export, TierTasks], str]
    files: Callable[[Export], dict[str, str]]
    wrong: Callable[[Task], Problem] = _nothing
    unfit: Callable[[Export], Problem] = _nothing
    note: Callable[[Export], str] = _nothing
    task_options: Mapping[str, Parse[Any]] | None = field(default_factory=dict)
    options: Mapping[str, Parse[Any]] = field(default_factory=dict)
    listing: Listing | None = None
