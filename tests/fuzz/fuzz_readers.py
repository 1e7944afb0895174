"""Change files at random and read them: each gives a result or one line (`make fuzz`)."""

from __future__ import annotations

import random
import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.fuzz.attempt import attempt
from tests.fuzz.checkpoints import fuzz_checkpoints
from tests.fuzz.kinds import SCORES, Kind, kinds


def fuzz(folder: Path, kind: Kind, count: int, seed: int) -> Counter[str]:
    """Read a file of a kind as it is, then changed ones; raise what must not come of it.

    Raises
    ------
    AssertionError
        If anything but a result or an `EeveeError` of one line comes, or it takes too long.
    """
    scores, path = folder / "these.csv", folder / kind.name
    scores.write_text(SCORES)
    ends: Counter[str] = Counter()
    for i in range(max(2, count // kind.share)):
        rng = random.Random(f"{kind.name} {seed} {i}")
        change = kind.changes[i % len(kind.changes)]
        path.write_bytes(change(kind.content, rng) if i else kind.content)
        what = f"{kind.name}, seed {seed}, change {i}"
        ends[attempt(lambda: kind.read(path, scores), what, unchanged=i == 0)] += 1
    return ends


def main(count: int, seed: int) -> None:
    """Read so many of each kind, and print what came of them."""
    total = 0
    with tempfile.TemporaryDirectory() as home:
        for name, kind in kinds().items():
            ends = fuzz(Path(home), kind, count, seed)
            total += ends.total()
            print(f"{name}: {dict(ends)}", flush=True)
    with tempfile.TemporaryDirectory() as home:
        ends = fuzz_checkpoints(Path(home), count // 4, seed)
        print(f"checkpoint: {dict(ends)}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{total + ends.total()} inputs; at most {peak} MB of memory")


if __name__ == "__main__":
    main(*(int(arg) for arg in (*sys.argv[1:], *("2000", "0")[len(sys.argv) - 1 :])))
