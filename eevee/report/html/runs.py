"""`Run`: a run folder as the page reads it; values are checked, since a folder may be edited."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from eevee.base.bounded import TooLarge, read_bytes
from eevee.base.errors import EeveeError
from eevee.plots._frames import checked, read_data, with_column
from eevee.report.out import config_of
from eevee.tables.results_table import NO_COSTS
from eevee.tiers.file import TierSet, load_tiers

_MOST = 100_000_000
"""Bytes of a file of a run folder."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Run:
    """One run folder.

    Attributes
    ----------
    folder : Path
    config : mapping
        What `config.json` says.
    """

    folder: Path
    config: Mapping[str, Any]

    @property
    def command(self) -> str:
        """The verb that left the folder."""
        return self.value("command", kind=str) or ""

    @property
    def cost_unit(self) -> str:
        """What costs are counted in."""
        return self.value("table", "cost_unit", kind=str) or NO_COSTS

    def value(self, *keys: str, kind: type[T]) -> T | None:
        """Return what the config says under nested keys; None where it is none of this kind."""
        return pick(self.config, *keys, kind=kind)

    def has(self, name: str) -> bool:
        """Tell whether the run left a file of this name."""
        return (self.folder / name).is_file()

    def frame(
        self,
        name: str,
        *,
        text: Sequence[str] = (),
        numbers: Sequence[str] = (),
        optional: Sequence[str] = (),
    ) -> pd.DataFrame | None:
        """Return columns of a CSV file of the run; None without the file, or without rows.

        Numbers that are `optional` are blank where the file lacks them.

        Raises
        ------
        EeveeError
            If the file lacks a column, or a number is none.
        """
        if not self.has(name):
            return None
        path = self.folder / name
        frame = _read_csv(path)
        if frame.empty:
            return None
        for column in optional:
            frame = with_column(frame, column, "")
        return checked(frame, str(path), text=text, numbers=(*numbers, *optional))

    def json(self, name: str) -> dict[str, Any] | None:
        """Return the object that a JSON file of the run holds; None without the file.

        Raises
        ------
        EeveeError
            If it holds something else.
        """
        if not self.has(name):
            return None
        path = self.folder / name
        try:
            content = json.loads(_bytes(path))
        except (ValueError, RecursionError) as error:
            raise EeveeError(f"{path}: is no JSON: {error}") from None
        if not isinstance(content, dict):
            raise EeveeError(f"{path}: holds no JSON object")
        return content

    def tiers(self) -> TierSet | None:
        """Return the tiers of the run, if it has some."""
        return load_tiers(self.folder / "tiers.yaml") if self.has("tiers.yaml") else None

    def text(self, name: str) -> str:
        """Return a file as text."""
        return _bytes(self.folder / name).decode("utf-8", "replace")

    def sha256(self, name: str) -> str:
        """Return the hash of a file of the run."""
        return hashlib.sha256(_bytes(self.folder / name)).hexdigest()

    def words(self, *panels: str) -> list[str]:
        """Return what was typed: of some panels of `--help`, or all of it."""
        given = self.value("command_line", kind=dict) or {}
        chosen = panels or tuple(key for key in given if key != "verb")
        return [str(word) for panel in chosen for word in pick(given, panel, kind=list) or ()]


def open_runs(folders: Iterable[str | os.PathLike[str]]) -> tuple[Run, ...]:
    """Read what run folders say of themselves.

    Raises
    ------
    EeveeError
        If one is no run folder, or they are not all about one table.
    """
    runs = tuple(_open(Path(one)) for one in folders)
    first = runs[0]
    for run in runs[1:]:
        for what in ("sha256", "cost_unit", "models", "benchmarks"):
            mine, other = (pick(one.config, "table", what, kind=object) for one in (first, run))
            if mine != other:
                raise EeveeError(
                    f"{run.folder}: is about another table than {first.folder} ({what}: {other} "
                    f"and {mine}); one report is about one table"
                )
    return runs


def _open(folder: Path) -> Run:
    config = config_of(folder)
    if config is None:
        raise EeveeError(f"{folder}: is no run folder; `eevee tiers --out` makes one")
    return Run(folder, config)


def pick(content: object, *keys: str, kind: type[T]) -> T | None:
    """Return a value under nested keys of mappings; None where it is none of this kind.

    Examples
    --------
    >>> pick({"a": {"b": 1}}, "a", "b", kind=int), pick({"a": 1}, "a", "b", kind=int)
    (1, None)
    """
    for key in keys:
        if not isinstance(content, Mapping):
            return None
        content = content.get(key)
    return content if isinstance(content, kind) and not _is_bool_for(kind, content) else None


def _is_bool_for(kind: type, value: object) -> bool:
    return kind in (int, float) and isinstance(value, bool)


def number_of(content: object, *keys: str) -> float:
    """Return a number under nested keys; NaN where there is none.

    Examples
    --------
    >>> number_of({"a": 1}, "a"), number_of({"a": None}, "a")
    (1.0, nan)
    """
    whole = pick(content, *keys, kind=int)
    found = pick(content, *keys, kind=float) if whole is None else float(whole)
    return float("nan") if found is None else found


def rows_of(frame: pd.DataFrame) -> Iterator[Any]:
    """Give the rows of a frame from `Run.frame`, whose columns are attributes of each."""
    return iter(frame.itertuples())


def names_in(text: str) -> tuple[str, ...]:
    """Return a subset from the JSON list that a CSV cell holds; empty where it is none.

    Examples
    --------
    >>> names_in('["a", "b"]'), names_in("")
    (('a', 'b'), ())
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _bytes(path: Path) -> bytes:
    try:
        return read_bytes(path, _MOST)
    except TooLarge:
        raise EeveeError(f"{path}: larger than {_MOST // 1_000_000} MB") from None
    except OSError as error:
        raise EeveeError(f"{path}: cannot be read: {error.strerror or error}") from None


def _read_csv(path: Path) -> pd.DataFrame:
    if path.stat().st_size > _MOST:
        raise EeveeError(f"{path}: larger than {_MOST // 1_000_000} MB")
    return read_data(path)
