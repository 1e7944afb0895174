"""Kinds of files that EEVEE reads: one that is right, how it is changed, and what reads it."""

from __future__ import annotations

import io
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from typer.testing import CliRunner

import eevee
from eevee.base.errors import EeveeError
from eevee.cli import app
from eevee.prediction.file import _checksum as predictor_checksum
from eevee.prediction.predictor import Predictor, fit_predictor
from eevee.readers.new_scores import read_new_scores
from eevee.readers.weights import read_weights
from tests.fuzz.changes import change_bytes, change_cells, change_tree, deep_nest

Change = Callable[[bytes, random.Random], bytes]
Read = Callable[[Path, Path], object]
"""Read the first path; the second holds scores."""


def small_table() -> eevee.ResultsTable:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 6)).round(2))
    return eevee.ResultsTable.from_scores(frame.set_axis(list("abcdef"), axis=1).rename(index=str))


@dataclass(frozen=True)
class Kind:
    """A name, the right content, changes, and the reader; slow ones are read less often."""

    name: str
    content: bytes
    read: Read
    changes: tuple[Change, ...]
    share: int = 1


SCORES = "model,family,a,b.acc,b.loss,c\n" + "".join(
    f"m{i},f{i % 2},{i * 7 % 5}.5,{i * 3 % 7},{i * 5 % 11},{90 - i * 2}%\n" for i in range(8)
)
LONG = "model,benchmark,metric,score,cost\n" + "".join(
    f"m{i},{b},acc,{(i * 7 + ord(b)) % 13},{i + 1}\n" for i in range(5) for b in "abc"
)
COSTS = "benchmark,cost,gpu\na,1.5,a100\nb,2,h100\nc,3,a100\n"
MATRIX = "model,a,b,c\n" + "".join(f"m{i},{i + 1},2.5,{i}.5\n" for i in range(8))
FACTS = "benchmark,task,direction,bounds\na,t1,higher,0 to 100\nb,t2,,\nc,t1,,none\n"
MODELS = "model,family,date\n" + "".join(f"m{i},f{i % 2},2024\n" for i in range(8))
WEIGHTS = "benchmark,weight\na,1\nb,0\nc,2\n"
NEW = "model,a,b.acc,c\nnew,1.5,3,80%\nother,0.5,,70%\n"
TOML = 'cost-unit = "h"\nmin-coverage = 0.5\nmissing = ["n.a.", "-"]\nkeep-aggregates = true\n'
TIERS = {
    "schema": "eevee.tiers/1",
    "created_with": "eevee 0.1.0",
    "cost_unit": "h",
    "table": {"name": "s.csv", "sha256": "", "models": 8, "benchmarks": 3},
    "scorer": {"name": "ridge"},
    "search": {"k": 1},
    "seed": 0,
    "tiers": [
        {
            "name": "small",
            "budget": 2,
            "cost": 1.5,
            "benchmarks": [{"name": "a", "columns": ["a"], "cost": 1.5, "task": None}],
            "search_loss": {
                "mean": 0.2, "spread": 0.1, "targets": "all", "rescored_mean": None, "n_init": None
            },
            "assessed_loss": None,
        }
    ],
}  # fmt: skip
SPEEDS = {"a100": 1, "h100": 2}


def _lines(text: str) -> str:
    header, *rows = (line.split(",") for line in text.splitlines())
    return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)


def _markdown(text: str) -> str:
    header, *rows = ("| " + line.replace(",", " | ") + " |\n" for line in text.splitlines())
    return header + "|---" * 6 + "|\n" + "".join(rows)


def _in_json(content: bytes, rng: random.Random) -> bytes:
    if rng.randrange(50) == 0:
        return deep_nest(rng)
    return json.dumps(change_tree(json.loads(content), rng)).encode(errors="surrogatepass")


def _in_yaml(content: bytes, rng: random.Random) -> bytes:
    if rng.randrange(50) == 0:
        return deep_nest(rng)
    tree = change_tree(yaml.safe_load(content), rng)
    return yaml.safe_dump(tree, allow_unicode=True).encode(errors="surrogatepass")


def _predictor() -> bytes:
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / "p.npz"
        fit_predictor(small_table(), ("a", "c"), scorer="ridge").save(path)
        return path.read_bytes()


def _resealed(content: bytes, rng: random.Random) -> bytes:
    """Change what a predictor says of itself, with the checksum that goes with it."""
    with np.load(io.BytesIO(content)) as arrays:
        about, scores = json.loads(arrays["about"].tobytes()), arrays["scores"]
    if rng.randrange(4) == 0:
        scores = rng.choice([scores[:3], scores.T, scores * np.nan, scores * 1e300, scores[:, :0]])
    else:
        about = change_tree(about, rng)
    text = np.frombuffer(json.dumps(about).encode(errors="replace"), dtype=np.uint8)
    file = io.BytesIO()
    np.savez(file, about=text, scores=scores, sha256=predictor_checksum(text, scores))
    return file.getvalue()


def _read_predictor(path: Path, scores: Path) -> object:
    new = pd.DataFrame({"a": [0.5], "c": [1.0]}, index=["new"])
    return Predictor.load(path).predict(new)


def _run(args: list[str]) -> None:
    """Run a verb; what it refuses is an `EeveeError` again."""
    done = CliRunner().invoke(app, args)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code == 1 and done.stderr.count("\n") != 1:
        raise AssertionError(done.stderr)
    if done.exit_code:
        raise EeveeError(" ".join(done.stderr.split()))


_CELLS = (change_cells, change_bytes)


def kinds() -> dict[str, Kind]:
    """Return the kinds by name."""
    text = {
        "scores": ("scores.csv", SCORES, lambda path, _: eevee.read_table(path)),
        "long": ("long.csv", LONG, lambda path, _: eevee.read_table(path)),
        "tsv": ("s.tsv", SCORES.replace(",", "\t"), lambda path, _: eevee.read_table(path)),
        "markdown": ("s.md", _markdown(SCORES), lambda path, _: eevee.read_table(path)),
        "json lines": ("s.jsonl", _lines(SCORES), lambda path, _: eevee.read_table(path)),
        "costs": (
            "costs.csv",
            COSTS,
            lambda path, at: eevee.read_table(at, costs=path, gpu_speeds=SPEEDS),
        ),
        "cost matrix": ("cm.csv", MATRIX, lambda path, at: eevee.read_table(at, costs=path)),
        "facts": ("facts.csv", FACTS, lambda path, at: eevee.read_table(at, benchmarks=path)),
        "models": ("models.csv", MODELS, lambda path, at: eevee.read_table(at, models=path)),
        "weights": ("weights.csv", WEIGHTS, lambda path, _: read_weights(path)),
        "new scores": ("n.csv", NEW, lambda path, at: read_new_scores(path, eevee.read_table(at))),
    }
    found = {
        name: Kind(file, content.encode(), read, _CELLS)
        for name, (file, content, read) in text.items()
    }
    load = lambda path, _: eevee.load_tiers(path)  # noqa: E731
    found["tier YAML"] = Kind(
        "t.yaml", yaml.safe_dump(TIERS).encode(), load, (_in_yaml, change_bytes)
    )
    found["tier JSON"] = Kind("t.json", json.dumps(TIERS).encode(), load, (_in_json, change_bytes))
    found["table file"] = Kind(
        "t.toml",
        TOML.encode(),
        lambda path, at: _run(["describe", str(at), "--table", str(path)]),
        (change_bytes,),
        share=4,
    )
    found["predictor"] = Kind("p.npz", _predictor(), _read_predictor, (_resealed, change_bytes))
    return found
