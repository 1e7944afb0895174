"""Change files at random and read them: each gives a result or one line (`make fuzz`).

Half of the changes are of bytes, half of cells: long runs of one letter, numbers at the ends of
their range, control characters, rows and columns that repeat, swap or go.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import eevee
from eevee.base.errors import EeveeError
from eevee.readers.weights import read_weights

SCORES = "model,family,a,b.acc,b.loss,c\n" + "".join(
    f"m{i},f{i % 2},{i * 7 % 5}.5,{i * 3 % 7},{i * 5 % 11},{90 - i * 2}%\n" for i in range(8)
)
LONG = "model,benchmark,metric,score,cost\n" + "".join(
    f"m{i},{b},acc,{(i * 7 + ord(b)) % 13},{i + 1}\n" for i in range(5) for b in "abc"
)
COSTS = "benchmark,cost,gpu\na,1.5,a100\nb,2,h100\nc,3,a100\n"
FACTS = "benchmark,task,direction,bounds\na,t1,higher,0 to 100\nb,t2,,\nc,t1,,none\n"
MODELS = "model,family,date\n" + "".join(f"m{i},f{i % 2},2024\n" for i in range(8))
WEIGHTS = "benchmark,weight\na,1\nb,0\nc,2\n"
TIERS = """schema: eevee.tiers/1
created_with: eevee 0.1.0
cost_unit: h
table: {name: s.csv, sha256: '', models: 8, benchmarks: 3}
scorer: {name: ridge}
search: {k: 1}
seed: 0
tiers:
- name: small
  budget: 2
  cost: 1.5
  benchmarks:
  - {name: a, columns: [a], cost: 1.5, task: null}
  search_loss: {mean: 0.2, spread: 0.1, targets: all, rescored_mean: null, n_init: null}
  assessed_loss: null
"""
ODD = [
    "", " ", "nan", "inf", "-", "1e308", "-1e308", "1e-320", "1e999", "0x1F", "1,5", "1.013,5", "½",
    "5 ± 1", "**3**", "3 (0.4)", "=1+1", "\x1b[31m", "\u202e", "\ufeff", "\x00", '"', "'", "\r",
    "|", "model", "cost", "score", "average", "a", "m1",
]  # fmt: skip

Read = Callable[[Path, Path], object]
"""Read the first path; the second holds scores."""

KINDS: dict[str, tuple[str, str, Read]] = {
    "scores": ("scores.csv", SCORES, lambda path, _: eevee.read_table(path)),
    "long": ("long.csv", LONG, lambda path, _: eevee.read_table(path)),
    "costs": (
        "costs.csv",
        COSTS,
        lambda path, at: eevee.read_table(at, costs=path, gpu_speeds={"a100": 1, "h100": 2}),
    ),
    "facts": ("facts.csv", FACTS, lambda path, at: eevee.read_table(at, benchmarks=path)),
    "models": ("models.csv", MODELS, lambda path, at: eevee.read_table(at, models=path)),
    "weights": ("weights.csv", WEIGHTS, lambda path, _: read_weights(path)),
    "tiers": ("tiers.yaml", TIERS, lambda path, _: eevee.load_tiers(path)),
}


def change_bytes(content: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or put in a few bytes."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed) + 1)
        what = rng.randrange(4)
        if what == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            del changed[at : at + rng.randint(1, 30)]
        elif what == 2:
            changed[at:at] = changed[at : at + 40] * rng.randint(1, 20)
        else:
            changed[at:at] = rng.randbytes(rng.randint(1, 6))
    return bytes(changed)


def change_cells(content: bytes, rng: random.Random) -> bytes:
    """Change a few cells, rows or the order of them."""
    rows = [line.split(",") for line in content.decode().splitlines()]
    for _ in range(rng.randint(1, 3)):
        row = rng.choice(rows)
        at = rng.randrange(len(row) + 1)
        what = rng.randrange(6)
        if what == 0:
            row[at : at + 1] = [rng.choice(ODD)]
        elif what == 1:
            letter = rng.choice("1 _.,(±\u202f\"'-")
            ends = rng.choice(["", "1", "x", "5 "]), rng.choice(["", "x", "*", ")"])
            row[at : at + 1] = [ends[0] + letter * rng.choice([50, 900, 20_000]) + ends[1]]
        elif what == 2:
            rows.append(list(row))
        elif what == 3:
            rng.shuffle(rows)
        elif what == 4:
            row.insert(at, rng.choice(ODD))
        else:
            del row[at:]
    return "\n".join(map(",".join, rows)).encode(errors="surrogatepass")


def fuzz(folder: Path, count: int, seed: int) -> Counter[str]:
    """Change and read so many files of each kind; return what came of it, and raise what must not.

    Raises
    ------
    AssertionError
        If anything but a result or an `EeveeError` of one line comes, or it takes over 5 seconds.
    """
    scores = folder / "these.csv"
    scores.write_text(SCORES)
    ends: Counter[str] = Counter()
    for kind, (name, text, read) in KINDS.items():
        for i in range(count):
            rng = random.Random(f"{kind} {seed} {i}")
            change = change_bytes if i % 2 else change_cells
            path = folder / name
            path.write_bytes(change(text.encode(), rng))
            begun = time.process_time()
            try:
                read(path, scores)
                ends["read"] += 1
            except EeveeError as error:
                if "\n" in str(error):
                    raise AssertionError(f"{kind}, seed {seed}, change {i}: two lines") from error
                ends["refused"] += 1
            except Exception as error:
                raise AssertionError(f"{kind}, seed {seed}, change {i}: {error!r}") from error
            assert time.process_time() - begun < 5, (kind, seed, i, "took long")
    return ends


if __name__ == "__main__":
    n, first = (int(arg) for arg in (*sys.argv[1:], *("2000", "0")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as home:
        print(dict(fuzz(Path(home), n, first)))
