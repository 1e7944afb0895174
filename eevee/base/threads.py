"""The one place that knows about threads: chunks of work, each on one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def _restored_thread_count() -> Iterator[int]:
    """Put torch's thread count back: workers set their own, and torch keeps the last one set."""
    before = torch.get_num_threads()
    try:
        yield before
    finally:
        torch.set_num_threads(before)


def map_chunks(
    work: Callable[[Item], Result], items: Iterable[Item], *, n_threads: int | None = None
) -> Iterator[Result]:
    """Yield `work(item)` in order, each item computed by one thread from start to end.

    One item never uses two threads, so that its bits do not depend on how many there are.
    `n_threads` is torch's own setting by default.

    Examples
    --------
    >>> list(map_chunks(abs, [-1, 2, -3], n_threads=2))
    [1, 2, 3]
    """
    with _restored_thread_count() as available:
        pool = ThreadPoolExecutor(
            n_threads or available, initializer=torch.set_num_threads, initargs=(1,)
        )
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)
