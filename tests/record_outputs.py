"""Record what every verb writes and prints, and compare it with an earlier record.

For changes that must not change results (moved files, renamed classes)::

    python -m tests.record_outputs before.json              # at the old commit
    python -m tests.record_outputs after.json before.json   # at the new one; exit code 1: differs

A record holds the SHA-256 of every file and of standard output, per command. It depends on the
machine (last bits), so none is committed.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
VTAB = "data/vtab/scores.csv --benchmarks-file data/vtab/benchmarks.csv"
HELM = "data/helm/scores.csv --costs data/helm/costs.csv --cost-unit seconds"
ZOO = "data/zoo/scores.csv --costs data/zoo/costs.csv --cost-unit CPU-seconds"
MLP = "--epochs 20 --n-splits 3"
COMMANDS = {
    "describe": [f"describe {HELM} --json", f"describe {VTAB}"],
    "rank": [f"rank {VTAB} --scorer ridge --out OUT", f"rank {HELM} --scorer ridge --json"],
    "ablate": [f"ablate {VTAB} --benchmarks Caltech101,DMLab,SVHN {MLP} --out OUT"],
    "score": [
        f"score {VTAB} --benchmarks Caltech101,DMLab,SVHN {MLP} --json",
        f"score {ZOO} --benchmarks iris,wine --scorer ridge --out OUT",
    ],
    "select": [
        f"select {VTAB} -k 3 {MLP} --generations 3 --no-exhaustive --out OUT",
        f"select {HELM} -k 3 --scorer ridge --json",
        f"select {ZOO} -k 4 --scorer ridge --objective kendall --out OUT",
    ],
    "sweep": [f"sweep {VTAB} --k 1:4 --scorer ridge --out OUT"],
    "tiers": [
        f"tiers {ZOO} --budget small=10% --budget base=25% --scorer ridge --nested --restarts 2 "
        "--generations 2 --n-splits 3 --no-baselines --out OUT",
        f"tiers {HELM} --size three=3 --scorer ridge --search greedy --assess --out OUT",
        f"tiers {HELM} --budget small=10% --size four=4 --scorer factor --json",
        f"tiers {VTAB} --size small=2 --size big=4 --nested {MLP} --out OUT",
    ],
    "pareto": [
        f"pareto {HELM} --scorer ridge --budget small=10% --one-se --evaluations 600 --out OUT"
    ],
    "assess": [
        "assess data/bbh/scores.csv -k 4 --scorer ridge --search greedy --folds 3 --repeats 1 "
        "--stability --learning-curve --out OUT",
        "assess data/zoo/scores.csv --models data/zoo/models.csv -k 4 --scorer ridge "
        "--splits random,family,frontier --search greedy --folds 3 --repeats 1 --out OUT --json",
        f"assess {VTAB} -k 3 {MLP} --search greedy --folds 3 --repeats 1 --json",
    ],
    "predict": [
        "predict data/zoo/new.csv --scores data/zoo/scores.csv --scorer ridge "
        "--benchmarks banana,penbased,pima,spambase --json",
        "predict data/zoo/new.csv --scores data/zoo/scores.csv --scorer mlp --epochs 20 "
        "--benchmarks banana,penbased,pima,spambase --out OUT/predicted.csv",
    ],
    "complete": [f"complete {HELM} --json", f"complete {HELM} --model 'Llama 2 (70B)' --out OUT"],
    "plot": ["plot data/vtab/scores.csv --by Caltech101 --figure OUT/heatmap.svg"],
}
CHECKPOINTED = """
import sys
from pathlib import Path
import eevee
table = eevee.read_table("data/zoo/scores.csv")
scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table, seed=0))
control = eevee.RunControl(eevee.search.Checkpoints(Path(sys.argv[1])))
eevee.search.evolve(scorer, k=4, seed=1, control=control)
"""


def record() -> dict[str, str]:
    """Run every command; hashes by command and file."""
    found = {}
    for commands in COMMANDS.values():
        for command in commands:
            found.update(_run(command, [sys.executable, "-m", "eevee", *shlex.split(command)]))
    found.update(_run("checkpoint", [sys.executable, "-c", CHECKPOINTED, "OUT"]))
    return found


def _run(name: str, arguments: list[str]) -> dict[str, str]:
    print(name, file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        target = "out" if "--out OUT" in f"{' '.join(arguments)} " and "OUT/" not in name else ""
        filled = [one.replace("OUT", str(out / target)) for one in arguments]
        done = subprocess.run(filled, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name}: exit code {done.returncode}\n{done.stderr}")
        told = done.stdout.replace(str(out), "OUT")
        hashes = {f"{name}: stdout": _sha256(told.encode())}
        for path in sorted(out.rglob("*")):
            if path.is_file():
                content = path.read_bytes().replace(str(out).encode(), b"OUT")
                hashes[f"{name}: {path.relative_to(out)}"] = _sha256(content)
        return hashes


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def main() -> None:
    """Write a record; with a second path compare with the record there."""
    target, *earlier = sys.argv[1:]
    found = record()
    Path(target).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for path in earlier:
        before = json.loads(Path(path).read_text(encoding="utf-8"))
        differing = sorted(k for k in {*before, *found} if before.get(k) != found.get(k))
        print(f"{len(found)} outputs, {len(differing)} differ", *differing, sep="\n  ")
        if differing:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
