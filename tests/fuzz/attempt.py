"""One changed input: a result, or one line that says why not, in a few seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

from eevee.base.errors import EeveeError

MOST_SECONDS = 5


def attempt(read: Callable[[], object], what: str, *, unchanged: bool = False) -> str:
    """Read an input; return "read" or "refused".

    Raises
    ------
    AssertionError
        If anything else comes of it, it takes too long, or one that was not changed is refused.
    """
    begun = time.process_time()
    try:
        read()
        end = "read"
    except EeveeError as error:
        if unchanged or "\n" in str(error):
            raise AssertionError(f"{what}: {error}") from error
        end = "refused"
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error
    assert time.process_time() - begun < MOST_SECONDS, f"{what}: took long"
    return end
