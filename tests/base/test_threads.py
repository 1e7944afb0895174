from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from eevee.base.threads import map_chunks


@pytest.mark.parametrize("n_threads", [1, 2, 5, None])
def test_results_come_in_the_order_of_the_items(n_threads: int | None) -> None:
    def slow_first(i: int) -> int:
        time.sleep(0.01 if i == 0 else 0.0)
        return i * i

    assert list(map_chunks(slow_first, range(20), n_threads=n_threads)) == [
        i * i for i in range(20)
    ]


def test_an_item_is_computed_with_one_torch_thread() -> None:
    counts = map_chunks(lambda _: torch.get_num_threads(), range(4), n_threads=2)
    assert set(counts) == {1}


@pytest.mark.parametrize("threads", [1, 2])
def test_the_thread_count_is_put_back(threads: int) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        list(map_chunks(abs, range(4), n_threads=2))
        assert torch.get_num_threads() == threads
        with pytest.raises(ZeroDivisionError):
            list(map_chunks(lambda i: 1 // i, [1, 0, 1], n_threads=2))
        assert torch.get_num_threads() == threads
        unfinished = map_chunks(abs, range(4), n_threads=2)
        next(unfinished)
        unfinished.close()
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


def test_threads_made_afterwards_get_the_old_count_too() -> None:
    def count_of_a_new_thread() -> int:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(torch.get_num_threads).result()

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert count_of_a_new_thread() == 2
        list(map_chunks(abs, range(4), n_threads=2))
        assert count_of_a_new_thread() == 2
    finally:
        torch.set_num_threads(before)


def test_no_more_threads_work_than_asked_for() -> None:
    at_work, most = set(), []
    lock = threading.Lock()

    def work(_: int) -> None:
        with lock:
            at_work.add(threading.get_ident())
            most.append(len(at_work))
        time.sleep(0.002)
        with lock:
            at_work.discard(threading.get_ident())

    list(map_chunks(work, range(20), n_threads=2))
    assert max(most) <= 2


def test_an_error_stops_what_has_not_begun() -> None:
    done: list[int] = []

    def work(i: int) -> None:
        if i == 0:
            raise ValueError("no")
        time.sleep(0.005)
        done.append(i)

    with pytest.raises(ValueError, match="no"):
        list(map_chunks(work, range(200), n_threads=1))
    assert len(done) < 199


def test_nothing_to_do_gives_nothing() -> None:
    assert list(map_chunks(abs, [])) == []
