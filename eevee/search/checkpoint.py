"""Checkpoints: the state of a search after each generation, and how to go on from it."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from eevee._version import __version__
from eevee.base.arrays import Subset
from eevee.base.bounded import TooLarge, read_bytes
from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.base.parsing import Parse, mapping, one_of, or_none, record, refuse, tuple_of
from eevee.scorers.base import Scorer

FORMAT = "eevee.checkpoint/3"
PHASES = ("evolving", "polishing", "ending", "done")
_OF_STATE = ("logbook", "phase", "rng", "rival")
_COUNTS = ("generation", "evaluated", "front", "unchanged")
_MOST_BYTES = 4 * 10**9
T = TypeVar("T")
Rows = dict[Subset, tuple[float, float, int]]
"""Loss, spread and generation of each subset that was scored, in that order."""


@dataclass(frozen=True, eq=False)
class State:
    """What a search needs to go on as if it had never been interrupted.

    Attributes
    ----------
    phase : str
    population : list of subsets
    logbook : list of dict
    rng : dict
        State of the bit generator.
    rows : Rows
    rival : dict or None
        What joined in the end, as plain values.
    """

    phase: str
    population: list[Subset]
    logbook: list[dict[str, Any]]
    rng: Mapping[str, Any]
    rows: Rows
    rival: Mapping[str, Any] | None = None


class Checkpoints:
    """A folder that holds the states of the searches of one job.

    Parameters
    ----------
    folder : path
        Made when the first state is kept.
    within : str
        Goes before the label of each search: jobs that search alike in several places keep their
        states apart.

    Examples
    --------
    >>> import tempfile, numpy as np, pandas as pd, eevee
    >>> scores = np.random.default_rng(0).normal(size=(20, 9))
    >>> frame = pd.DataFrame(scores, columns=list("abcdefghi"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> with tempfile.TemporaryDirectory() as home:
    ...     kept = Checkpoints(home)
    ...     options = {"exhaustive": False, "control": eevee.RunControl(kept)}
    ...     first = eevee.search.evolve(scorer, 4, **options)
    ...     again = eevee.search.evolve(scorer, 4, **options)  # only ranks
    >>> first.best == again.best
    True
    """

    def __init__(self, folder: str | os.PathLike[str], within: str = "") -> None:
        self.folder = Path(folder)
        self._within = within

    def of(self, label: str, scorer: Scorer, settings: Mapping[str, Any]) -> Saved:
        """Return where the state of one search is kept."""
        return Saved(self.folder, f"{self._within}{label}", scorer, settings)

    def within(self, name: str) -> Checkpoints:
        """Return where searches of one part of the job keep theirs."""
        return Checkpoints(self.folder, f"{self._within}{name}: ")

    def digest(self) -> str | None:
        """Return a SHA-256 of all states; None where there is none."""
        states = sorted(self.folder.glob("search-*.json"))
        parts = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in states]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest() if parts else None

    def remove(self) -> None:
        """Remove the states, and the folder if nothing else is in it."""
        for path in [*self.folder.glob("search-*.json"), *self.folder.glob("search-*.npz")]:
            path.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


class Saved:
    """The state of one search: a JSON file, and beside it the arrays that it names.

    The arrays are written first and under a name of their own, so that the JSON file, renamed
    into place, always names arrays that are whole.
    """

    def __init__(
        self, folder: Path, label: str, scorer: Scorer, settings: Mapping[str, Any]
    ) -> None:
        self._folder = folder
        self._scorer = scorer
        self._stem = f"search-{hashlib.blake2b(label.encode(), digest_size=8).hexdigest()}"
        self._label = label
        self._about = json.loads(json.dumps({"label": label, **about(scorer, settings)}))

    def save(self, state: State) -> None:
        """Keep a state in place of the one before.

        Raises
        ------
        EeveeError
            If it cannot be written.
        """
        arrays = self._folder / f"{self._stem}-{len(state.logbook)}.npz"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            packed = self._to_bytes(state)
            with replacing(arrays) as temporary:
                temporary.write_bytes(packed)
            content = {
                "schema": FORMAT,
                "about": self._about,
                "arrays": arrays.name,
                "arrays_sha256": hashlib.sha256(packed).hexdigest(),
                "phase": state.phase,
                "logbook": state.logbook,
                "rng": dict(state.rng),
                "rival": state.rival,
            }
            with replacing(self._path) as temporary:
                sealed = {**content, "sha256": _checksum(content)}
                temporary.write_text(json.dumps(sealed, indent=1), encoding="utf-8")
            for old in set(self._folder.glob(f"{self._stem}-*.npz")) - {arrays}:
                old.unlink()
        except OSError as error:
            raise EeveeError(f"{self._folder}: cannot be written: {error.strerror}") from None

    def load(self) -> State | None:
        """Return the state that is kept, checked; None where there is none.

        Raises
        ------
        EeveeError
            If it is of another table, configuration or version, or damaged.
        """
        if not self._path.exists():
            return None
        try:
            content = json.loads(read_bytes(self._path, _MOST_BYTES))
            self._check(content)
            state = self._from_files(content)
        except TooLarge:
            raise self._refused(f"has more than {_MOST_BYTES // 10**9} GB") from None
        except EeveeError as error:
            if str(error).startswith(str(self._path)):
                raise
            raise self._refused(f"is damaged ({error})") from None
        except Exception as error:  # zipfile, zlib, numpy and json raise many kinds at damage
            raise self._refused(f"is damaged ({type(error).__name__})") from None
        self._check_losses(state.rows)
        return state

    @property
    def _path(self) -> Path:
        return self._folder / f"{self._stem}.json"

    def _check(self, content: Mapping[str, Any]) -> None:
        if content["schema"] != FORMAT:
            raise self._refused(f"has format {content['schema']!r}, not {FORMAT!r}")
        if content["sha256"] != _checksum({k: v for k, v in content.items() if k != "sha256"}):
            raise self._refused("is damaged (its checksum does not agree)")
        difference = first_difference(content["about"], self._about)
        if difference is not None:
            raise self._refused(f"is of another run: {difference}")

    def _check_losses(self, rows: Rows) -> None:
        """Score one subset of each size again: another machine may count otherwise."""
        one_of_size = {len(subset): subset for subset in reversed(rows)}
        again = self._scorer.losses(list(one_of_size.values()))
        for subset, loss in zip(one_of_size.values(), again, strict=True):
            if not np.array_equal(rows[subset][0], loss, equal_nan=True):
                raise self._refused(
                    f"does not agree with this machine: the loss of {', '.join(subset)} was "
                    f"{rows[subset][0]!r}, and is {float(loss)!r} now"
                )

    def _to_bytes(self, state: State) -> bytes:
        names = self._scorer.table.benchmark_names
        place = {name: i for i, name in enumerate(names)}
        members = np.zeros((len(state.rows), len(names)), dtype=np.bool_)
        for i, subset in enumerate(state.rows):
            members[i, [place[name] for name in subset]] = True
        row_of = {subset: i for i, subset in enumerate(state.rows)}
        loss, spread, generation = zip(*state.rows.values(), strict=True)
        file = io.BytesIO()
        np.savez_compressed(
            file,
            members=np.packbits(members, axis=1),
            loss=np.array(loss, dtype=np.float64),
            spread=np.array(spread, dtype=np.float64),
            generation=np.array(generation, dtype=np.int64),
            population=np.array([row_of[subset] for subset in state.population], dtype=np.int64),
        )
        return file.getvalue()

    def _from_files(self, content: Mapping[str, Any]) -> State:
        name = content["arrays"]
        if Path(name).name != name:
            raise ValueError(name)
        packed = read_bytes(self._folder / name, _MOST_BYTES)
        if hashlib.sha256(packed).hexdigest() != content["arrays_sha256"]:
            raise self._refused("is damaged (the checksum of its arrays does not agree)")
        names = self._scorer.table.benchmark_names
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            members = np.unpackbits(arrays["members"], axis=1, count=len(names)).astype(bool)
            subsets = [tuple(names[j] for j in np.flatnonzero(row)) for row in members]
            figures = zip(
                arrays["loss"].tolist(),
                arrays["spread"].tolist(),
                arrays["generation"].tolist(),
                strict=True,
            )
            rows: Rows = dict(zip(subsets, figures, strict=True))
            population = [subsets[i] for i in arrays["population"]]
        if not population or not all(subsets):
            raise ValueError(content["arrays"])
        kept = _kept(names)({key: content[key] for key in _OF_STATE}, "")
        return State(population=population, rows=rows, **kept)

    def _refused(self, why: str) -> EeveeError:
        return EeveeError(
            f"{self._path}: the checkpoint of {self._label!r} {why}; remove the folder "
            f"{self._folder} to start again"
        )


def _kept(names: Sequence[str]) -> Parse[dict[str, Any]]:
    """Return the parser of what JSON keeps of a state."""
    subset = tuple_of(one_of(*names), str)
    rival: Parse[dict[str, Any]] = record(
        dict, {"best": subset, "by_size": _list_of(subset), "note": _any_text}
    )
    parts = {"logbook": _logbook, "phase": one_of(*PHASES), "rng": _rng, "rival": or_none(rival)}
    return record(dict, parts)


def _list_of(parse: Parse[T]) -> Parse[list[T]]:
    def parse_all(value: object, at: str) -> list[T]:
        if not isinstance(value, list):
            raise refuse(at, "a list", value)
        return [parse(one, f"{at}[{place}]") for place, one in enumerate(value)]

    return parse_all


def _any_text(value: object, at: str) -> str:
    if not isinstance(value, str):
        raise refuse(at, "text", value)
    return value


def _logbook(value: object, at: str) -> list[dict[str, Any]]:
    """Lines of one kind, in their order."""
    lines = _list_of(lambda line, place: dict(mapping(line, place)))(value, at)
    for place, line in enumerate(lines):
        numbers = all(isinstance(one, int | float) for one in line.values())
        whole_ones = all(type(line.get(key, 0)) is int for key in _COUNTS)
        if (
            not (numbers and whole_ones)
            or line.get("generation") != place
            or set(line) != set(lines[0])
        ):
            raise refuse(f"{at}[{place}]", "numbers of one generation", line)
    if not lines:
        raise refuse(at, "a list, not empty", value)
    return lines


def _rng(value: object, at: str) -> dict[str, Any]:
    """Return a state that a generator takes."""
    state = dict(mapping(value, at))
    np.random.default_rng().bit_generator.state = state
    return state


def about(scorer: Scorer, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a checkpoint must agree with: version, table, splits, scorer, search."""
    return {
        "version": __version__,
        "table": _hash_of_table(scorer),
        "splits": _hash(scorer.splits.train, scorer.splits.validation, scorer.splits.test),
        "scorer": _without_measured(scorer.describe()),
        "search": _without_measured(settings),
    }


def first_difference(kept: Any, now: Any, where: str = "") -> str | None:
    """Say where two JSON values differ first; None where they are equal.

    Examples
    --------
    >>> first_difference({"search": {"k": 3}}, {"search": {"k": 4}})
    'search.k was 3, and is 4 now'
    """
    if isinstance(kept, dict) and isinstance(now, dict):
        for key in [*now, *(key for key in kept if key not in now)]:
            inner = f"{where}.{key}" if where else str(key)
            found = first_difference(kept.get(key), now.get(key), inner)
            if found is not None:
                return found
        return None
    if kept == now:
        return None
    if where in ("table", "splits"):
        return f"the {where} {'has' if where == 'table' else 'have'} changed"
    return f"{where} was {_short(kept)}, and is {_short(now)} now"


def _checksum(content: Mapping[str, Any]) -> str:
    """SHA-256 of what JSON keeps of a content, whatever its layout in the file."""
    kept = json.loads(json.dumps(content))
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _without_measured(value: Any) -> Any:
    """Leave out what a scorer measures on the way: the same, but not there from the start."""
    if isinstance(value, Mapping):
        return {k: _without_measured(v) for k, v in value.items() if k != "epochs_by_size"}
    if isinstance(value, list | tuple):
        return [_without_measured(member) for member in value]
    return value


def _hash_of_table(scorer: Scorer) -> str:
    table = scorer.table
    names = [*table.model_names, *table.columns.index, *table.columns["benchmark"]]
    words = [*names, *table.columns["direction"], *table.columns["role"], *table.paid]
    words += [str(task) for task in table.benchmarks["task"]]
    text = np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)
    costs = np.array(list(table.costs.values()))
    return _hash(text, table.oriented, table.units.to_numpy(np.float64), costs)


def _hash(*arrays: np.ndarray) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
