"""Usual names of the columns of long tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eevee.readers.directions import DIRECTION_NAMES
from eevee.readers.grid import Grid
from eevee.readers.model_column import MODEL_NAMES

ALIASES = {
    "benchmark": ("benchmark", "benchmark name", "benchmark id", "dataset", "dataset name",
                  "data set", "task", "task name"),
    "metric": ("metric", "metric name", "measure"),
    "score": ("score", "value", "result", "main score", "metric value", "score value"),
    "stderr": ("stderr", "std err", "standard error", "score stderr", "se"),
    "cost": ("cost", "gpu hours", "gpu seconds", "cpu seconds", "cost seconds", "seconds",
             "evaluation time", "runtime", "time seconds"),
    "direction": DIRECTION_NAMES,
    "role": ("role",),
}  # fmt: skip
_DEVICES = ("gpu", "cpu", "tpu")
_TIMES = {
    "seconds": "seconds", "second": "seconds", "secs": "seconds", "sec": "seconds",
    "minutes": "minutes", "hours": "hours", "hour": "hours", "hrs": "hours",
}  # fmt: skip
LONG_MODEL_NAMES = (*MODEL_NAMES, "name", "system", "method", "checkpoint", "run")


def plain(name: str) -> str:
    """Lower-case a header and turn its underscores to spaces."""
    return name.casefold().replace("_", " ").strip()


def unit_in(header: str) -> str | None:
    """Return the unit of time that a header of costs names, if it names one.

    Examples
    --------
    >>> [unit_in(name) for name in ("gpu_hours", "Median seconds", "time (s)", "cost")]
    ['GPU-hours', 'seconds', None, None]
    """
    words = re.findall("[a-z]+", header.casefold())
    times = {_TIMES[word] for word in words if word in _TIMES}
    devices = {word for word in words if word in _DEVICES}
    if len(times) != 1 or len(devices) > 1:
        return None
    return "-".join([*(word.upper() for word in devices), *times])


def find_alias(grid: Grid, part: str, taken: Sequence[int] = ()) -> int | None:
    """Return the place of the column whose header is a usual name for a part."""
    headers = [plain(name) for name in grid.header]
    for alias in ALIASES[part]:
        if alias in headers and headers.index(alias) not in taken:
            return headers.index(alias)
    return None
