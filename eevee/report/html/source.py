"""The table of a run, read again: only where its files are still those that the run read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eevee.base.errors import EeveeError
from eevee.readers.from_options import read_as_asked
from eevee.readers.weights import read_weights
from eevee.report.html.runs import Run, pick
from eevee.report.run_folder import hash_files
from eevee.tables.results_table import ResultsTable

_READ = ("scores", "costs", "facts", "models", "proxies")
_HERE = "run `eevee report` where the run was started"


@dataclass(frozen=True, eq=False)
class Source:
    """The table that runs are about.

    Attributes
    ----------
    table : ResultsTable or None
    weights : mapping of benchmark to weight, or None
    said : tuple of str
        Why there is no table, or what of it could not be read.
    """

    table: ResultsTable | None
    weights: Mapping[str, float] | None = None
    said: tuple[str, ...] = ()


def find_source(
    run: Run,
    *,
    models_file: str | os.PathLike[str] | None = None,
    table: ResultsTable | None = None,
) -> Source:
    """Read the table of a run again, as the run did.

    Parameters
    ----------
    run : Run
    models_file : path, optional
        Attributes of models, in place of those that the run read.
    table : ResultsTable, optional
        What the run has just read.

    Raises
    ------
    EeveeError
        If the file of models cannot be read.
    """
    weights, said = _weights(run)
    if table is not None and models_file is None:
        return Source(table, weights, said)
    inputs = _inputs(run)
    lost = {name: why for name, path in inputs.items() if (why := _lost(run, name, path))}
    if "scores" not in inputs:
        lost["scores"] = "the run does not say which file the scores are in"
    fatal = [why for name, why in lost.items() if name != "models"]
    if fatal:
        return Source(None, weights, (*said, f"{fatal[0]}: nothing is shown of single models."))
    options: dict[str, Any] = dict(run.value("options", kind=dict) or {})
    options |= {name: path for name, path in inputs.items() if name not in lost}
    if models_file is not None:
        options["models"] = Path(models_file)
    elif "models" in lost:
        said += (f"{lost['models']}: groups of models are not shown.",)
    return _read(run, options, weights, said, strict=models_file is not None)


def _read(
    run: Run,
    options: dict[str, Any],
    weights: Mapping[str, float] | None,
    said: tuple[str, ...],
    *,
    strict: bool,
) -> Source:
    try:
        table = read_as_asked(options)
    except (EeveeError, OSError, TypeError, AttributeError, ValueError) as error:
        if strict and isinstance(error, EeveeError):
            raise
        return Source(None, weights, (*said, f"The scores cannot be read again: {error}"))
    if table.provenance.sha256 != run.value("table", "sha256", kind=str):
        why = f"{table.provenance.source} has changed since the run: no single model is shown."
        return Source(None, weights, (*said, why))
    return Source(table, weights, said)


def _inputs(run: Run) -> dict[str, Path]:
    found = {name: run.value("inputs", name, "file", kind=str) for name in _READ}
    return {name: Path(path) for name, path in found.items() if path}


def _lost(run: Run, name: str, path: Path) -> str:
    """Say why a file is not that of the run, or ""."""
    known = run.value("inputs", name, "sha256", kind=str)
    if known is None:
        return "" if path.is_dir() else f"the file {path} could be read only once"
    if not path.is_file():
        return f"the file {path} is not there ({_HERE})"
    try:
        same = hash_files({name: path})[name]["sha256"] == known
    except OSError as error:
        return f"the file {path} cannot be read ({error.strerror or error})"
    return "" if same else f"the file {path} has changed since the run"


def _weights(run: Run) -> tuple[Mapping[str, float] | None, tuple[str, ...]]:
    path = pick(run.config, "inputs", "weights", "file", kind=str)
    if path is None:
        return None, ()
    why = _lost(run, "weights", Path(path))
    if why:
        return None, (f"{why}: mean scores are without these weights.",)
    return read_weights(Path(path)), ()
