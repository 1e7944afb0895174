"""The formats that there are: every module of `eevee.exporters.formats`."""

from __future__ import annotations

import importlib
import pkgutil

from eevee.base.errors import EeveeError, did_you_mean
from eevee.exporters import formats
from eevee.exporters.format import Format


def _found() -> tuple[Format, ...]:
    names = sorted(one.name for one in pkgutil.iter_modules(formats.__path__))
    modules = (importlib.import_module(f"{formats.__name__}.{name}") for name in names)
    return tuple(module.FORMAT for module in modules)


FORMATS = _found()
NAMES = tuple(one.name for one in FORMATS)


def find_format(name: str) -> Format:
    """Return a format by name.

    Raises
    ------
    EeveeError
        If there is none of that name.

    Examples
    --------
    >>> find_format("lmeval")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: no format 'lmeval' (did you mean 'lm-eval'?); there are: ...
    """
    for one in FORMATS:
        if one.name == name:
            return one
    hint = did_you_mean(name, NAMES)
    raise EeveeError(f"no format {name!r}{hint}; there are: {', '.join(NAMES)}")
