"""Files of features: .npz and .npy without pickle, Parquet, safetensors; all with a bound."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eevee.base.bounded import TooLarge, read_bytes
from eevee.base.errors import EeveeError

MAX_MB = 1000.0
"""Megabytes that a file of features may have, unpacked, where the user says nothing else."""
SUFFIXES = (".npz", ".npy", ".parquet", ".safetensors")
LABELS = ".labels.npy"
"""What the file with the labels of a ``.npy`` file ends in."""
_KEYS = ("features", "labels", "source_probs", "seconds")
_MOST_KEYS, _MOST_NAME = 1000, 300

Arrays = Mapping[str, np.ndarray[Any, Any]]


@dataclass(frozen=True, eq=False)
class FeatureFile:
    """What a model made of the samples of a task.

    Attributes
    ----------
    source : str
    model, task : str
        From the name ``MODEL__TASK.npz``.
    features, source_probs : array or None
    labels : array
    seconds : float or None
        What computing the features took.
    """

    source: str
    model: str
    task: str
    features: np.ndarray[Any, Any] | None
    source_probs: np.ndarray[Any, Any] | None
    labels: np.ndarray[Any, Any]
    seconds: float | None


def read_features(path: Path, *, task: str | None = None, max_mb: float = MAX_MB) -> FeatureFile:
    """Read a file of features.

    Parameters
    ----------
    path : Path
        ``MODEL__TASK`` and one of the suffixes. ``.npz`` and ``.safetensors`` hold arrays
        ``features`` or ``source_probs`` or both, ``labels``, and optionally ``seconds``; Parquet a
        column ``label``, columns of probabilities that begin with ``source_prob``, and columns of
        features; ``.npy`` features alone, with labels in ``MODEL__TASK.labels.npy``.
    task : str, optional
        Of a file whose name does not say one.
    max_mb : float

    Raises
    ------
    EeveeError
        In one line that begins with the path.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = Path(home) / "resnet50__pets.npz"
    ...     np.savez(path, features=np.eye(3), labels=[0, 1, 0])
    ...     found = read_features(path)
    >>> found.model, found.task
    ('resnet50', 'pets')
    """
    with errors_of_reading(path, max_mb):
        arrays = _reader(path)(path, int(max_mb * 1e6))
    model, named = _names(path, task)
    if "labels" not in arrays:
        raise EeveeError(f"{path}: holds no labels; add an array 'labels', one per row")
    if "features" not in arrays and "source_probs" not in arrays:
        raise EeveeError(f"{path}: holds neither 'features' nor 'source_probs'")
    seconds = _seconds(path, arrays.get("seconds"))
    given = arrays.get("features"), arrays.get("source_probs"), arrays["labels"]
    return FeatureFile(str(path), model, named, *given, seconds)


@contextmanager
def errors_of_reading(path: Path, max_mb: float) -> Iterator[None]:
    """Say in one line why a file cannot be read, or that it is larger than `max_mb`."""
    try:
        yield
    except TooLarge:
        raise EeveeError(f"{path}: larger than {max_mb:g} MB; raise it with --max-mb") from None
    except OSError as error:
        raise EeveeError(f"{path}: cannot be read: {error.strerror or 'damaged'}") from None


def _names(path: Path, task: str | None) -> tuple[str, str]:
    stem = path.name.removesuffix(path.suffix)
    model, separator, named = stem.partition("__")
    named = named if separator else task or ""
    if not model or not named or len(stem) > _MOST_NAME:
        raise EeveeError(
            f"{path}: the name must be MODEL__TASK{path.suffix}, or --task says the task of all"
        )
    return model, named


def _seconds(path: Path, value: np.ndarray[Any, Any] | None) -> float | None:
    if value is None:
        return None
    if value.size != 1 or value.dtype.kind not in "fiu":
        raise EeveeError(f"{path}: 'seconds' must be one number")
    seconds = float(value.reshape(()))
    if not 0 < seconds < 1e12:
        raise EeveeError(f"{path}: 'seconds' must be positive, not {seconds:g}")
    return seconds


def _reader(path: Path) -> Callable[[Path, int], Arrays]:
    readers = dict(zip(SUFFIXES, (read_npz, _npy, _parquet, _safetensors), strict=True))
    if path.suffix.lower() not in readers:
        raise EeveeError(f"{path}: the name must end in one of {', '.join(SUFFIXES)}")
    return readers[path.suffix.lower()]


def read_npz(path: Path, most: int, keys: Sequence[str] = _KEYS) -> Arrays:
    """Read the arrays of an .npz file that have these names, if any have.

    Raises
    ------
    EeveeError, TooLarge, OSError
    """
    raw = read_bytes(path, most)
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
            if sum(sizes.values()) > most:
                raise TooLarge
            wanted = [key for key in keys if f"{key}.npy" in sizes]
            if not wanted or len(sizes) > _MOST_KEYS:
                raise EeveeError(f"{path}: holds none of the arrays {', '.join(keys)}")
            return {
                key: _array(path, archive.read(f"{key}.npy"), f"the array {key!r}")
                for key in wanted
            }
    except (EeveeError, TooLarge):
        raise
    except Exception:  # zipfile lets those of its decoders through
        raise EeveeError(f"{path}: the .npz archive is damaged; write it again") from None


def _npy(path: Path, most: int) -> Arrays:
    features = _array(path, read_bytes(path, most), "the file")
    beside = path.with_name(path.name.removesuffix(path.suffix) + LABELS)
    if not beside.exists():
        raise EeveeError(f"{path}: has no labels; write them to {beside.name}")
    labels = _array(beside, read_bytes(beside, most), "the file")
    return {"features": features, "labels": labels}


def _array(path: Path, raw: bytes, what: str) -> np.ndarray[Any, Any]:
    """Read an array; its header is looked at before anything is allocated."""
    file = io.BytesIO(raw)
    try:
        shape, dtype = _header(file)
        if dtype.hasobject:
            raise EeveeError(
                f"{path}: {what} holds Python objects, which are not read; convert it to numbers "
                "or text"
            )
        length = dtype.itemsize
        for size in shape:
            length *= size
        if length != len(raw) - file.tell():
            raise ValueError
        file.seek(0)
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
    except EeveeError:
        raise
    except Exception:  # those of numpy's parser have no common base
        raise EeveeError(f"{path}: {what} is damaged; write it again with numpy") from None


def _header(file: io.BytesIO) -> tuple[tuple[int, ...], np.dtype[Any]]:
    version = np.lib.format.read_magic(file)
    formats = np.lib.format
    read = formats.read_array_header_1_0 if version == (1, 0) else formats.read_array_header_2_0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that Python 2 wrote
        shape, _, dtype = read(file)
    return shape, dtype


def _parquet(path: Path, most: int) -> Arrays:
    raw = read_bytes(path, most)
    try:
        from pyarrow import parquet
    except ImportError:
        raise _not_installed(path, "a Parquet file", "parquet") from None
    try:
        file = parquet.ParquetFile(io.BytesIO(raw))
        about = file.metadata
        groups = (about.row_group(i) for i in range(about.num_row_groups))
        unpacked = sum(group.total_byte_size for group in groups)
        if max(unpacked, 8 * about.num_rows * about.num_columns) > most:
            raise TooLarge
        frame = file.read()
        columns = {name: frame.column(name).to_numpy() for name in frame.column_names}
    except TooLarge:
        raise
    except Exception as why:  # pyarrow's errors have no common base
        raise EeveeError(f"{path}: the Parquet file is damaged ({type(why).__name__})") from None
    return _of_columns(path, columns)


def _of_columns(path: Path, columns: dict[str, np.ndarray[Any, Any]]) -> Arrays:
    label = next((name for name in ("label", "labels") if name in columns), None)
    if label is None:
        raise EeveeError(f"{path}: has no column 'label'")
    labels = columns.pop(label)
    if labels.dtype == object and any(one is None for one in labels):
        raise EeveeError(f"{path}: the column {label!r} has missing cells; leave out their rows")
    if labels.dtype == object:  # text
        labels = np.array([str(one) for one in labels])
    text = next((name for name, one in columns.items() if one.dtype.kind not in "biuf"), None)
    if text is not None:
        raise EeveeError(f"{path}: the column {text!r} is not of numbers; leave it out")
    probs = [one for name, one in columns.items() if name.startswith("source_prob")]
    rest = [one for name, one in columns.items() if not name.startswith("source_prob")]
    found = {"labels": labels}
    if probs:
        found["source_probs"] = np.column_stack(probs)
    if rest:
        found["features"] = np.column_stack(rest)
    return found


def _safetensors(path: Path, most: int) -> Arrays:
    raw = read_bytes(path, most)
    try:
        from safetensors import numpy as reader
    except ImportError:
        raise _not_installed(path, "a safetensors file", "safetensors") from None
    try:
        found = reader.load(raw)
    except Exception as why:  # the library's errors have no common base
        raise EeveeError(
            f"{path}: the safetensors file is damaged, or of a type that NumPy does not have "
            f"({type(why).__name__})"
        ) from None
    return {key: found[key] for key in _KEYS if key in found}


def _not_installed(path: Path, what: str, extra: str) -> EeveeError:
    return EeveeError(
        f"{path}: is {what}; to read it: python -m pip install 'eevee-tiers[{extra}]' (or save it "
        "as .npz)"
    )
