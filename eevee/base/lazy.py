"""Names of a package that are loaded on first use."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str,
    homes: Mapping[str, str],
    earlier: Mapping[str, str] | None = None,
    *,
    depth: int = 1,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names have other modules as home.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of name to module
    earlier : mapping of earlier name to ``"module:name"``, optional
        Names of the version before: they give a `FutureWarning` that says today's name.

    depth : int
        How many calls the returned ``__getattr__`` is below that of the package.

    Examples
    --------
    >>> find, names = lazy_names("eevee.base", {"did_you_mean": "eevee.base.errors"})
    >>> find("did_you_mean")("ab", ("abc",)), names()
    (" (did you mean 'abc'?)", ['did_you_mean'])
    """

    def find(name: str) -> Any:
        if name in homes:
            return getattr(importlib.import_module(homes[name]), name)
        if earlier and name in earlier:
            home, _, new = earlier[name].partition(":")
            message = f"{package}.{name} is now {home}.{new}"
            warnings.warn(message, FutureWarning, stacklevel=1 + depth)
            return getattr(importlib.import_module(home), new)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find, lambda: sorted(homes)
