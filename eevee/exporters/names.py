"""Names in files: what tier names become, and which names a format takes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from eevee.base.commands import Template
from eevee.base.errors import EeveeError
from eevee.base.file_names import identifier
from eevee.base.parsing import text


def stems_of(tiers: Iterable[str]) -> dict[str, str]:
    """Return what each tier is called in file names and identifiers: letters, digits, ``_``.

    Raises
    ------
    EeveeError
        If two would be called the same, where case does not count.

    Examples
    --------
    >>> stems_of(["small", "../v1.5 big"])
    {'small': 'small', '../v1.5 big': 'v1_5_big'}
    """
    stems: dict[str, str] = {}
    taken: dict[str, str] = {}
    for tier in tiers:
        stem = identifier(tier) or "tier"
        if stem.casefold() in taken:
            raise EeveeError(
                f"tiers {taken[stem.casefold()]!r} and {tier!r} would both be called {stem!r} in "
                "file names; rename one in the tier file"
            )
        stems[tier] = stem
        taken[stem.casefold()] = tier
    return stems


def command_option(value: object, at: str) -> Template:
    """Check a command with ``{placeholders}``; a parser of an option."""
    return Template(text(value, at), f"the {at}")


def matches(pattern: str, name: str, what: str) -> str:
    """Return what is wrong with a name that must match a pattern, or "".

    Examples
    --------
    >>> matches("[a-z]+", "mmlu", "small word"), matches("[a-z]+", "a b", "small word")
    ('', "'a b' is no small word")
    """
    if name.isascii() and re.fullmatch(pattern, name):
        return ""
    return f"{name!r} is no {what}"
