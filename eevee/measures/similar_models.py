"""Models whose features are nearly the same: distances between files, and groups for splits."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import connected_components

from eevee.base.arrays import BoolArray, FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.measures.feature_files import LABELS, MAX_MB, FeatureFile, read_features
from eevee.measures.layers import MARGIN, Layer
from eevee.measures.resampling import jackknife_stderr
from eevee.measures.similarity_kinds import Similarity, row_groups

THRESHOLD = 0.02
"""Of networks on digits, late checkpoints of one run are below it by CKA and OPD, and networks of
other seeds are above 0.04 (docs/similarity.md)."""


@dataclass(frozen=True)
class Pair:
    """Two models and the distance of their features on a task.

    Attributes
    ----------
    first, second, task : str
    distance : float
    stderr : float
        By a jackknife over samples; NaN if it was not asked for or does not exist.
    """

    first: str
    second: str
    task: str
    distance: float
    stderr: float = math.nan


@dataclass(frozen=True)
class ModelDistances:
    """Distances of all pairs of models that have features of one task.

    Attributes
    ----------
    models : tuple of str
        In the order of the files.
    pairs : tuple of Pair
    notes : tuple of str
        What was left out.
    """

    models: tuple[str, ...]
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...] = ()

    @property
    def matrix(self) -> FloatArray:
        """Distances, shape (n_models, n_models); the largest where models share several tasks.

        NaN where they share none.
        """
        place = {name: i for i, name in enumerate(self.models)}
        found = np.full((len(place), len(place)), np.nan)
        np.fill_diagonal(found, 0.0)
        for pair in self.pairs:
            i, j = place[pair.first], place[pair.second]
            found[i, j] = found[j, i] = np.fmax(found[i, j], pair.distance)
        return found

    def groups(self, threshold: float = THRESHOLD) -> IntArray:
        """Group the models that are linked by distances of at most the threshold.

        Parameters
        ----------
        threshold : float
            Models in a group may be further apart, if others lie between them.

        Returns
        -------
        int array, shape (n_models,)
            Labels that start at 0, in the order of the first member.

        Raises
        ------
        EeveeError
            If the threshold is not a positive number.

        Examples
        --------
        >>> pairs = [("a", "b", 0.5), ("a", "c", 0.01), ("b", "c", 0.5)]
        >>> found = ModelDistances(("a", "b", "c"), tuple(Pair(x, y, "t", d) for x, y, d in pairs))
        >>> found.groups().tolist()
        [0, 1, 0]
        """
        if not 0 < threshold < math.inf:
            raise EeveeError(f"threshold must be above 0, not {threshold}")
        near = np.nan_to_num(self.matrix, nan=np.inf) <= threshold
        labels = connected_components(near, directed=False)[1]
        _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[numbers].astype(np.int64)

    def named_groups(self, threshold: float = THRESHOLD) -> dict[str, str]:
        """Return the group of each model: the name of the group's first member."""
        labels = self.groups(threshold)
        firsts = (self.models[int(np.argmax(labels == label))] for label in labels)
        return dict(zip(self.models, firsts, strict=True))

    def write_groups(self, path: Path, threshold: float = THRESHOLD) -> None:
        """Write a CSV file ``model,group``, as ``--models-file`` takes it.

        Raises
        ------
        EeveeError
            If the file cannot be written.
        """
        _write(path, ("model", "group"), self.named_groups(threshold).items())

    def write_pairs(self, path: Path) -> None:
        """Write a CSV file ``first,second,task,distance,stderr``, the nearest first.

        A standard error that does not exist is an empty cell.

        Raises
        ------
        EeveeError
            If the file cannot be written.
        """
        rows = [
            (one.first, one.second, one.task, *map(_cell, (one.distance, one.stderr)))
            for one in self.nearest
        ]
        _write(path, ("first", "second", "task", "distance", "stderr"), rows)

    @property
    def nearest(self) -> list[Pair]:
        """The pairs, the nearest first."""
        return sorted(self.pairs, key=lambda one: one.distance)


def _cell(value: float) -> str:
    return "" if math.isnan(value) else repr(value)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def compare_files(
    paths: Sequence[Path],
    kind: Similarity,
    *,
    task: str | None = None,
    margin: float = MARGIN,
    n_groups: int = 0,
    seed: int = 0,
    max_mb: float = MAX_MB,
) -> ModelDistances:
    """Measure the distances between the features of models, task by task.

    Parameters
    ----------
    paths : sequence of Path
        As `read_features` takes them: features of the same samples, in the same order.
    kind : Similarity
        As `find_similarity` returns it; of one that is not symmetric, the mean of both directions.
    task : str, optional
        Of files whose names do not say one.
    margin, n_groups, seed
        As of `mean_cca`.
    max_mb : float

    Raises
    ------
    EeveeError
        If a file cannot be read, two are of one model and task, labels of one task differ, or no
        two models have features of one task.

    Examples
    --------
    >>> import tempfile
    >>> from eevee.measures.similarity_kinds import find_similarity
    >>> rows = np.random.default_rng(0).normal(size=(40, 3))
    >>> with tempfile.TemporaryDirectory() as home:
    ...     paths = [Path(home) / f"{name}__pets.npz" for name in ("one", "two")]
    ...     for path in paths:
    ...         np.savez(path, features=rows, labels=np.arange(40) % 2)
    ...     found = compare_files(paths, find_similarity("opd"))
    >>> found.groups().tolist()
    [0, 0]
    """
    models: dict[str, None] = {}
    tasks: dict[str, dict[str, Layer]] = {}
    first: dict[str, FeatureFile] = {}
    notes: list[str] = []
    for path in paths:
        if path.name.endswith(LABELS):
            continue
        file = read_features(path, task=task, max_mb=max_mb)
        if file.features is None:
            notes.append(f"{path}: left out: it holds no features")
            continue
        layer = Layer.of(file.features, f"{path}: features")
        _check_samples(file, layer, first.setdefault(file.task, file))
        models.setdefault(file.model)
        members = tasks.setdefault(file.task, {})
        if file.model in members:
            raise EeveeError(f"{path}: another file is of the same model and task; give one")
        members[file.model] = layer
    pairs: list[Pair] = []
    for name, members in tasks.items():
        found = _pairs(name, members, kind, margin)
        errors = _stderrs(members, kind, n_groups, seed)
        pairs += [replace(one, stderr=error) for one, error in zip(found, errors, strict=True)]
    if not pairs:
        raise EeveeError("no two models have features of one task; give MODEL__TASK.npz of two")
    return ModelDistances(tuple(models), tuple(pairs), tuple(notes))


def _check_samples(file: FeatureFile, layer: Layer, first: FeatureFile) -> None:
    same = file.labels.shape == first.labels.shape and bool(np.all(file.labels == first.labels))
    if not same:
        raise EeveeError(
            f"{file.source}: other labels than in {first.source}; features must be of the same "
            "samples, in the same order"
        )
    if file.labels.shape != (layer.n_rows,):
        raise EeveeError(
            f"{file.source}: {layer.n_rows} rows of features, but labels of shape "
            f"{file.labels.shape}; they must match"
        )


def _pairs(task: str, members: Mapping[str, Layer], kind: Similarity, margin: float) -> list[Pair]:
    found = []
    for one, other in combinations(members, 2):
        try:
            distance = kind.between(members[one], members[other], margin=margin)
        except EeveeError as error:
            raise EeveeError(f"{one} and {other} on {task}: {error}") from None
        found.append(Pair(one, other, task, distance))
    return found


def _stderrs(
    members: Mapping[str, Layer], kind: Similarity, n_groups: int, seed: int
) -> list[float]:
    """Standard errors of all pairs; each layer is decomposed once per group of rows."""
    pairs = list(combinations(members, 2))
    if not pairs or not n_groups:
        return [math.nan] * len(pairs)
    groups = row_groups(next(iter(members.values())).n_rows, n_groups, seed)
    without = []
    for group in range(int(groups.max()) + 1):
        parts = {name: _part(layer, groups != group) for name, layer in members.items()}
        without.append([_between(kind, parts[one], parts[other]) for one, other in pairs])
    return [float(one) for one in jackknife_stderr(without)]


def _part(layer: Layer, kept: BoolArray) -> Layer | None:
    try:
        return layer.rows(kept)
    except EeveeError:  # too few rows, or all the same
        return None


def _between(kind: Similarity, one: Layer | None, other: Layer | None) -> float:
    if one is None or other is None:
        return math.nan
    try:
        return kind.between(one, other, margin=0)
    except EeveeError:
        return math.nan
