"""Change results of harnesses at random and read them: scores or one line (`make fuzz`)."""

from __future__ import annotations

import copy
import random
import shutil
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import eevee
from tests.fuzz.attempt import attempt
from tests.fuzz.changes import ODD, change_bytes, change_cells
from tests.readers.harness.samples import SAMPLES, lay_out, places, raw

VALUES: list[Any] = [
    *ODD, None, True, -1, 0, 1e308, float("nan"), float("inf"), 10**400, [], {}, [[]], {"": None},
    "a" * 20_000, "9" * 5000, [0] * 2000,
]  # fmt: skip


def change_json(content: Any, rng: random.Random) -> Any:
    """Put in, take out, rename or repeat what stands at a few places."""
    whole = [copy.deepcopy(content)]
    for _ in range(rng.randint(1, 3)):
        place = (0, *rng.choice(list(places(whole[0]))))
        inner: Any = whole
        for key in place[:-1]:
            inner = inner[key]
        what = rng.randrange(4)
        if what == 0 and len(place) > 1:
            del inner[place[-1]]
        elif what == 1 and isinstance(inner, dict):
            inner[str(rng.choice(ODD))] = inner.pop(place[-1])
        elif what == 2 and isinstance(inner, list) and len(place) > 1:
            inner += [copy.deepcopy(inner[place[-1]])] * rng.choice([1, 30])
        else:
            inner[place[-1]] = rng.choice(VALUES)
    return whole[0]


def change(content: Any, rng: random.Random) -> bytes:
    """Change one file, by its structure or by its bytes."""
    if rng.random() < 0.4 or isinstance(content, bytes):
        return change_bytes(raw(content), rng)
    if isinstance(content, str):
        return change_cells(content.encode(), rng)
    return raw(change_json(content, rng))


def fuzz(folder: Path, count: int, seed: int) -> Counter[str]:
    """Change and read so many sources of each format; return what came of it.

    Raises
    ------
    AssertionError
        If anything but a table or an `EeveeError` of one line comes, or it takes over 5 seconds.
    """
    ends: Counter[str] = Counter()
    for name, sample in SAMPLES.items():
        for i in range(count):
            rng = random.Random(f"{name} {seed} {i}")
            changed = dict(sample)
            file = rng.choice(sorted(changed))
            changed[file] = change(changed[file], rng)
            root = lay_out(folder / "out", changed)
            read = partial(eevee.read_table, root, duplicates=rng.choice(["error", "mean"]))
            ends[attempt(read, f"{name}, seed {seed}, change {i}")] += 1
            shutil.rmtree(root)
    return ends


if __name__ == "__main__":
    n, first = (int(arg) for arg in (*sys.argv[1:], *("500", "0")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as home:
        print(dict(fuzz(Path(home), n, first)))
