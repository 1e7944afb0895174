"""Lists of benchmarks on the command line: names, or the tiers of a file."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from eevee.tiers.file import TierSet

TierFile = Annotated[
    Path | None, typer.Option("--tier-file", help="A tier file, whose lists are taken.")
]
TierName = Annotated[
    str | None, typer.Option("--tier", help="Which tier of the file; all by default.")
]

Names = Annotated[
    str | None,
    typer.Option("--subset", "-s", help="Names, separated by commas (quote one with commas)."),
]


@dataclass(frozen=True)
class ListOptions:
    """Lists to judge: names, or the tiers of a file."""

    benchmarks: Names = None
    tiers: TierFile = None
    tier: TierName = None

    def check(self) -> None:
        """Refuse a tier without its file as wrong usage."""
        if self.tier is not None and self.tiers is None:
            raise typer.BadParameter("--tier goes with --tier-file")

    @property
    def given(self) -> bool:
        """Whether there is any list."""
        return self.benchmarks is not None or self.tiers is not None

    def subsets(self) -> dict[str, tuple[str, ...]]:
        """Return the lists by name; wrong usage unless there is exactly one source."""
        return named_subsets(self.benchmarks, self.tiers, self.tier)


def named_subsets(
    benchmarks: str | None, tiers: Path | None, tier: str | None
) -> dict[str, tuple[str, ...]]:
    """Return the subsets that a list of names or a tier file gives, by name."""
    if (benchmarks is None) == (tiers is None):
        raise typer.BadParameter("give either --subset a,b,c or --tier-file FILE")
    if benchmarks is not None:
        if tier is not None:
            raise typer.BadParameter("--tier goes with --tier-file")
        return {"list": split_names("--subset", benchmarks)}
    from eevee.tiers.file import load_tiers

    assert tiers is not None
    return tier_subsets(load_tiers(tiers), tier)


def tier_subsets(tiers: TierSet, tier: str | None) -> dict[str, tuple[str, ...]]:
    """Return the subsets of a tier set by name: of all tiers, or of one."""
    chosen = tiers if tier is None else [tiers[tier]]
    return {one.name: one.benchmark_names for one in chosen}


def split_names(name: str, text: str | None) -> tuple[str, ...]:
    """Read names such as ``a,b,"c, d"``; none where nothing was given, wrong usage if empty.

    Examples
    --------
    >>> split_names("--require", 'a, "b, c"')
    ('a', 'b, c')
    """
    if text is None:
        return ()
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise typer.BadParameter(
            f"{name} is a,b,c in one line (a name with commas in quotes), not {text!r}"
        ) from None
    names = [one.strip() for one in names if one.strip()]
    if not names:
        raise typer.BadParameter(f"{name} names none; give a,b,c")
    return tuple(names)
