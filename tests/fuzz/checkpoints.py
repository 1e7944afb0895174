"""Checkpoints that were changed: the same result as without, or one line; never another one."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import partial
from pathlib import Path

import eevee
from eevee.search.checkpoint import Checkpoints, _checksum
from eevee.search.control import RunControl
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.result import SearchResult
from tests.fuzz.attempt import attempt
from tests.fuzz.changes import change_bytes, change_tree
from tests.fuzz.kinds import small_table

SETTINGS = Evolution(population=8, winners=3, children=2, generations=3, patience=None)


def fuzz_checkpoints(folder: Path, count: int, seed: int) -> Counter[str]:
    """Change a checkpoint so many times and go on from it.

    Raises
    ------
    AssertionError
        If a damaged one gives another result, or anything but a result or one line comes.
    """
    scorer = eevee.RidgeScorer(small_table(), eevee.shuffle_splits(small_table(), n_splits=2))
    wanted = _search(scorer, folder, RunControl())
    asked = iter([False, True])
    _search(scorer, folder, RunControl(Checkpoints(folder), stop=lambda: next(asked, True)))
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    ends: Counter[str] = Counter()
    for i in range(count):
        rng = random.Random(f"checkpoint {seed} {i}")
        for path in folder.iterdir():
            path.unlink()
        for name, content in kept.items():
            (folder / name).write_bytes(content)
        name = rng.choice(sorted(kept))
        sealed = name.endswith(".json") and i % 2 == 0
        change = _reseal if sealed else change_bytes
        (folder / name).write_bytes(change(kept[name], rng) if i else kept[name])
        what = f"checkpoint, seed {seed}, change {i}"
        found: list[SearchResult] = []
        read = partial(_search, scorer, folder, RunControl(Checkpoints(folder)))
        end = attempt(lambda: found.append(read()), what, unchanged=i == 0)  # noqa: B023 - called now
        assert sealed or all(one.ranked.equals(wanted.ranked) for one in found), (
            f"{what}: another result"
        )
        ends[end] += 1
    return ends


def _search(scorer: eevee.RidgeScorer, folder: Path, control: RunControl) -> SearchResult:
    return evolve(scorer, 2, evolution=SETTINGS, exhaustive=False, control=control)


def _reseal(content: bytes, rng: random.Random) -> bytes:
    """Change what a checkpoint says, with the checksum that goes with it."""
    tree = change_tree({k: v for k, v in json.loads(content).items() if k != "sha256"}, rng)
    return json.dumps({**tree, "sha256": _checksum(tree)}).encode(errors="surrogatepass")
