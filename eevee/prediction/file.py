"""The file of a predictor, `eevee.predictor/3`: an .npz archive of scores and one JSON text.

A file comes from anywhere: it is read without pickle, nothing in it is compressed (so that it
cannot be larger than it looks), and every value is checked.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from eevee._version import __version__
from eevee.base.arrays import FloatArray, IntArray, Subset
from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.base.parsing import (
    mapping,
    number,
    one_of,
    or_none,
    record,
    refuse,
    sha256,
    text,
    tuple_of,
    whole,
)
from eevee.prediction.meta_model import MIN_MODELS, NAMES, MetaModel
from eevee.scorers.mlp.scorer import MOST_EPOCHS
from eevee.tables.averages import loss_weights
from eevee.tables.bounds import GUESSED, parse_bounds
from eevee.tables.results_table import COLUMN_FIELDS, Provenance, ResultsTable

SCHEMA = "eevee.predictor/3"
MAX_BYTES = 1_000_000_000
"""A larger file is not read."""
MOST_NETWORKS = 10_000
_MEMBERS = ["about.npy", "scores.npy", "sha256.npy"]
_DIGITS = 17
"""Significant digits that tell every float64 from every other."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """What a predictor keeps: its attributes, as `eevee.Predictor` describes them."""

    table: ResultsTable
    benchmarks: Subset
    model: MetaModel
    groups: IntArray
    seed: int = 0
    weights: Mapping[str, float] | None = None


def save_predictor(predictor: Fitted, path: str | os.PathLike[str]) -> None:
    """Write a predictor; the same one gives the same bytes."""
    target = _npz(path)
    content = json.dumps(_about(predictor), ensure_ascii=False, allow_nan=False)
    about = np.frombuffer(content.encode("utf-8"), dtype=np.uint8)
    scores = predictor.table.scores.to_numpy(np.float64)
    with replacing(target) as temporary, temporary.open("wb") as file:
        np.savez(file, about=about, scores=scores, sha256=_checksum(about, scores))


def load_predictor(path: str | os.PathLike[str]) -> Fitted:
    """Read a predictor.

    Raises
    ------
    EeveeError
        If anything is wrong with the file, in one line that begins with its path.
    """
    source = _npz(path)
    try:
        with source.open("rb") as file:
            about, scores = _arrays(file)
        content = json.loads(about.tobytes().decode("utf-8"))
        return _parse(content, "").predictor(scores)
    except OSError as error:
        raise EeveeError(f"{source}: cannot be read: {error.strerror or error}") from None
    except EeveeError as error:
        raise EeveeError(f"{source}: {error}") from None
    except Exception:  # zipfile, numpy and json raise many kinds at damage
        raise EeveeError(
            f"{source}: is no predictor, or a damaged one; write it again with --save-predictor"
        ) from None


def _npz(path: str | os.PathLike[str]) -> Path:
    target = Path(path)
    if target.suffix.lower() != ".npz":
        raise EeveeError(f"{target}: the name of a predictor must end in .npz")
    return target


def _arrays(file: IO[bytes]) -> tuple[np.ndarray[Any, Any], FloatArray]:
    """The two arrays of an archive that holds them, their checksum and nothing else."""
    if os.fstat(file.fileno()).st_size > MAX_BYTES:
        raise EeveeError(f"larger than {MAX_BYTES // 10**6} MB")
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        names = sorted(one.filename for one in members)
        if names == _MEMBERS[:2]:
            raise EeveeError("has no checksum, as files of earlier formats; write it again")
        plain = all(one.compress_type == zipfile.ZIP_STORED for one in members)
        if names != _MEMBERS or not plain:
            raise EeveeError("is no predictor: it holds something else, or is compressed")
        # A member is read whole first: zipfile checks it before numpy makes sense of it.
        about, scores, checksum = (_array(archive.read(name)) for name in _MEMBERS)
    if about.dtype != np.uint8 or about.ndim != 1:
        raise EeveeError("about: expected a text as bytes")
    if scores.dtype != np.float64 or scores.ndim != 2:
        raise EeveeError("scores: expected numbers, models x columns")
    if not np.array_equal(checksum, _checksum(about, scores)):
        raise EeveeError("is damaged: its checksum does not agree; write it again")
    return about, scores


def _array(content: bytes) -> np.ndarray[Any, Any]:
    return np.asarray(np.lib.format.read_array(io.BytesIO(content), allow_pickle=False))


def _checksum(about: np.ndarray[Any, Any], scores: FloatArray) -> np.ndarray[Any, Any]:
    digest = hashlib.sha256(repr(scores.shape).encode())
    digest.update(np.ascontiguousarray(scores).tobytes())
    digest.update(about.tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _about(predictor: Fitted) -> dict[str, Any]:
    table, model = predictor.table, predictor.model
    facts = zip(table.scores.columns, table.columns.itertuples(), table.units, strict=True)
    return {
        "schema": SCHEMA,
        "created_with": f"eevee {__version__}",
        "benchmarks": list(predictor.benchmarks),
        "seed": predictor.seed,
        "weights": None if predictor.weights is None else dict(predictor.weights),
        "groups": predictor.groups.tolist(),
        "model": {
            "name": model.name,
            "epochs": model.epochs,
            "n_init": model.n_init,
            "seed": model.seed,
            "losses": dict(model.losses),
        },
        "table": {
            "source": table.provenance.source,
            "sha256": table.provenance.sha256,
            "cost_unit": table.cost_unit,
            "models": [str(name) for name in table.model_names],
            "columns": [
                {"name": str(name), "unit": float(unit)}
                | {key: str(getattr(row, key)) for key in COLUMN_FIELDS}
                for name, row, unit in facts
            ],
            "benchmarks": [
                {"name": name, "task": task if isinstance(task, str) else None, "cost": cost}
                for (name, cost), task in zip(
                    table.costs.items(), table.benchmarks["task"], strict=True
                )
            ],
        },
    }


@dataclass(frozen=True)
class _Column:
    name: str
    benchmark: str
    metric: str
    direction: str
    direction_source: str
    role: str
    bounds: str
    unit: float


@dataclass(frozen=True)
class _Benchmark:
    name: str
    task: str | None
    cost: float


@dataclass(frozen=True)
class _Table:
    """What the JSON text says of the training table."""

    source: str
    sha256: str
    cost_unit: str
    models: tuple[str, ...]
    columns: tuple[_Column, ...]
    benchmarks: tuple[_Benchmark, ...]

    def table(self, scores: FloatArray) -> ResultsTable:
        if scores.shape != (len(self.models), len(self.columns)):
            raise EeveeError("scores: their shape is not that of the table")
        names = pd.Index([column.name for column in self.columns])
        return ResultsTable(
            scores=pd.DataFrame(scores, pd.Index(self.models), names),
            columns=pd.DataFrame(
                {key: [getattr(column, key) for column in self.columns] for key in COLUMN_FIELDS},
                index=names,
            ),
            benchmarks=pd.DataFrame(
                {
                    "task": pd.Series([one.task for one in self.benchmarks], dtype=object),
                    "cost": [one.cost for one in self.benchmarks],
                }
            ).set_index(pd.Index([one.name for one in self.benchmarks])),
            models=pd.DataFrame(index=pd.Index(self.models)),
            units=pd.Series([column.unit for column in self.columns], names),
            cost_unit=self.cost_unit,
            provenance=Provenance(self.source, self.sha256, "a saved predictor"),
        )


@dataclass(frozen=True)
class _File:
    """The JSON text."""

    schema: str
    created_with: str
    benchmarks: tuple[str, ...]
    seed: int
    weights: Mapping[str, float] | None
    groups: tuple[int, ...]
    model: MetaModel
    table: _Table

    def predictor(self, scores: FloatArray) -> Fitted:
        if self.model.name == "mlp" and None in (self.model.epochs, self.model.n_init):
            raise EeveeError("model: the MLP needs epochs and n_init")
        table = self.table.table(scores)
        if table.n_models < MIN_MODELS or not table.is_target.any():
            raise EeveeError("table: has too few models, or no score column")
        loss_weights(table, self.weights)  # refuses what is none
        known = sorted(set(self.groups))
        if len(self.groups) != table.n_models or known != list(range(len(known))):
            raise EeveeError("groups: expected a number from 0 on for each model, none left out")
        groups = np.array(self.groups)
        return Fitted(
            table, table.subset(self.benchmarks), self.model, groups, self.seed, self.weights
        )


def _numbers(value: object, at: str) -> dict[str, float]:
    parse = number(_DIGITS)
    return {text(key, at): parse(one, f"{at}.{key}") for key, one in mapping(value, at).items()}


def _at_most(most: int) -> Any:
    """Parse a whole number from 1 to `most`: more is a slip or malice, and would never end."""

    def parse(value: object, at: str) -> int:
        found = whole(1)(value, at)
        if found > most:
            raise refuse(at, f"a whole number of at most {most}", value)
        return found

    return parse


def _whole_numbers(value: object, at: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise refuse(at, "a list", value)
    parse = whole(0)
    return tuple(parse(one, f"{at}[{place}]") for place, one in enumerate(value))


def _bounds(value: object, at: str) -> str:
    found = text(value, at)
    if found != GUESSED:
        parse_bounds(found, at)
    return found


def _itself(name: str) -> str:
    return name


_column = record(
    _Column,
    {
        "name": text,
        "benchmark": text,
        "metric": text,
        "direction": one_of("higher", "lower"),
        "direction_source": one_of("read", "guessed"),
        "role": one_of("score", "proxy"),
        "bounds": _bounds,
        "unit": number(_DIGITS, above=0),
    },
)
_benchmark = record(
    _Benchmark, {"name": text, "task": or_none(text), "cost": number(_DIGITS, above=0)}
)
_parse = record(
    _File,
    {
        "schema": one_of(SCHEMA),
        "created_with": text,
        "benchmarks": tuple_of(text, _itself),
        "seed": whole(0),
        "weights": or_none(_numbers),
        "groups": _whole_numbers,
        "model": record(
            MetaModel,
            {
                "name": one_of(*NAMES),
                "epochs": or_none(_at_most(MOST_EPOCHS)),
                "n_init": or_none(_at_most(MOST_NETWORKS)),
                "seed": whole(0),
                "losses": _numbers,
            },
        ),
        "table": record(
            _Table,
            {
                "source": text,
                "sha256": sha256,
                "cost_unit": text,
                "models": tuple_of(text, _itself),
                "columns": tuple_of(_column, lambda column: column.name),
                "benchmarks": tuple_of(_benchmark, lambda benchmark: benchmark.name),
            },
        ),
    },
)
