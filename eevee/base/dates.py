"""The day on which something is written."""

from __future__ import annotations

import os
from datetime import UTC, datetime


def today() -> str:
    """Return the day (UTC), ``2026-11-29``; that of ``SOURCE_DATE_EPOCH`` where this is set.

    Notes
    -----
    https://reproducible-builds.org/specs/source-date-epoch

    Examples
    --------
    >>> len(today())
    10
    """
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    known = seconds.isdecimal() and len(seconds) <= 11
    moment = datetime.fromtimestamp(int(seconds), UTC) if known else datetime.now(UTC)
    return moment.date().isoformat()
