"""Measures of many files of features, as proxy columns of a results table."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy.typing as npt

from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.measures.feature_files import LABELS, MAX_MB, FeatureFile, read_features
from eevee.measures.measure import Definition, Measure, NotReached
from eevee.measures.resampling import N_GROUPS, Null, permutation_null
from eevee.measures.sample import Sample, checked_features

HEADER = ("model", "benchmark", "metric", "score", "stderr", "direction", "seed", "cost_seconds",
          "harness", "version", "source", "role")  # fmt: skip
"""Of the long table that `eevee import` writes, and the role."""


@dataclass(frozen=True)
class ProxyScore:
    """A measure of a model on a task.

    Attributes
    ----------
    model, task, name : str
    measure : Measure
    cost : float
        Seconds of the features, where the file says them, and of the measure.
    null : Null or None
        What the score is where labels mean nothing.
    source : str
    """

    model: str
    task: str
    name: str
    measure: Measure
    cost: float
    null: Null | None
    source: str

    @property
    def benchmark(self) -> str:
        """The name of the column: no benchmark's own, whose cost is another."""
        return f"{self.task}:{self.name}"

    @property
    def row(self) -> list[str]:
        """Cells of `HEADER`; the score is turned so that higher is better."""
        stderr = self.measure.stderr
        error = "" if math.isnan(stderr) else repr(stderr)
        score = repr(self.measure.score)
        found = [self.model, self.benchmark, "", score, error, "higher", "", repr(self.cost)]
        return [*found, "eevee measure", "", self.source, "proxy"]

    def as_json(self) -> dict[str, object]:
        """Return everything as plain values."""
        measure = {"score": self.measure.score, **asdict(self.measure)}
        null = None if self.null is None else self.null._asdict()
        own = {"model": self.model, "task": self.task, "measure": self.name}
        return {**own, **measure, "cost_seconds": self.cost, "null": null, "source": self.source}


@dataclass(frozen=True)
class ProxyColumns:
    """Scores of all models on all tasks.

    Attributes
    ----------
    scores : tuple of ProxyScore
    notes : tuple of str
        What was left out, what a reader of values must know, and what costs lack.
    """

    scores: tuple[ProxyScore, ...]
    notes: tuple[str, ...] = ()

    def write_csv(self, path: Path) -> None:
        """Write the long table: a row per score.

        Raises
        ------
        EeveeError
            If the file cannot be written.
        """
        with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(HEADER)
            writer.writerows(one.row for one in self.scores)


def measure_files(
    paths: Sequence[Path],
    measures: Sequence[Definition],
    *,
    task: str | None = None,
    n_groups: int = N_GROUPS,
    n_permutations: int = 0,
    seed: int = 0,
    max_mb: float = MAX_MB,
    prior: Path | None = None,
) -> ProxyColumns:
    """Compute measures of files of features, one after the other.

    Parameters
    ----------
    paths : sequence of Path
        As `read_features` takes them; files of labels of ``.npy`` files are passed over.
    measures : sequence of Definition
        As `find_measures` returns them.
    task : str, optional
        Of files whose names do not say one.
    n_groups : int
        Of the jackknife of standard errors; 0 for none.
    n_permutations : int
        Of labels, for what scores are where labels mean nothing; 0 for none.
    seed : int
    max_mb : float
    prior : Path, optional
        File of features that define the task prior: the same samples in the same order.

    Raises
    ------
    EeveeError
        If a file cannot be read, two are of one model and task, a measure cannot be computed on any
        file, or there is a prior that no measure uses.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from eevee.measures.catalog import find_measures
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = Path(home) / "resnet50__pets.npz"
    ...     np.savez(path, features=[[0.0], [1.0], [2.0], [3.0]], labels=[0, 0, 1, 1])
    ...     found = measure_files([path], find_measures("h-score"), n_groups=0)
    >>> found.scores[0].benchmark, round(found.scores[0].measure.score, 6)
    ('pets:h-score', 0.8)
    """
    wanted = [path for path in paths if not path.name.endswith(LABELS)]
    if not wanted:
        raise EeveeError("no file of features is given")
    of_prior = [one.name for one in measures if one.of_prior and prior is not None]
    if prior is not None and not of_prior:
        raise EeveeError(f"{prior}: no measure uses a prior; add task-prior-mean, or leave it out")
    scores: list[ProxyScore] = []
    notes: list[str] = []
    if of_prior and n_permutations:
        notes.append(
            f"{', '.join(of_prior)}: no null: under a prior of features labels have no effect"
        )
    seen: dict[tuple[str, str], str] = {}
    timed = True
    about = None if prior is None else _read_prior(prior, task, max_mb)
    for path in wanted:
        file = read_features(path, task=task, max_mb=max_mb)
        _check_prior(file, about)
        if (file.model, file.task) in seen:
            earlier = seen[file.model, file.task]
            raise EeveeError(f"{path}: is of the same model and task as {earlier}; give one")
        seen[file.model, file.task] = file.source
        timed = timed and file.seconds is not None
        given = None if about is None else about.features
        samples: dict[str, Sample] = {}  # shared: what measures of one sample keep is kept
        for definition in measures:
            if getattr(file, definition.needs) is None:
                notes.append(f"{path}: {definition.name} left out: it needs {definition.needs}")
                continue
            try:
                scores.append(
                    _measured(file, definition, samples, n_groups, n_permutations, seed, given)
                )
            except NotReached as why:
                notes.append(f"{path}: {definition.name} left out: {why}")
            about_value = [f"{path}: {one}" for one in definition.notes(samples[definition.needs])]
            notes += [one for one in about_value if one not in notes]
    if not scores:
        raise EeveeError(f"no measure can be computed: {notes[0]}")
    if not timed:
        notes.append(
            "costs are those of the measures alone where a file has no 'seconds': the forward "
            "passes, which cost far more, are not in them"
        )
    order = [one.name for one in measures]
    scores.sort(key=lambda one: (one.task, order.index(one.name)))
    return ProxyColumns(tuple(scores), tuple(notes))


def _read_prior(path: Path, task: str | None, max_mb: float) -> FeatureFile:
    file = read_features(path, task=task, max_mb=max_mb)
    if file.features is None:
        raise EeveeError(f"{path}: holds no features, which define a prior")
    try:
        return replace(file, features=checked_features(file.features))
    except EeveeError as error:
        raise EeveeError(f"{path}: {error}") from None


def _check_prior(file: FeatureFile, prior: FeatureFile | None) -> None:
    if prior is None:
        return
    assert prior.features is not None
    same = prior.labels.shape == file.labels.shape == (len(prior.features),)
    if not same or (prior.task == file.task and (prior.labels != file.labels).any()):
        raise EeveeError(
            f"{prior.source}: has other labels than {file.source}; a prior must be of the same "
            "samples in the same order"
        )


def _measured(
    file: FeatureFile,
    definition: Definition,
    samples: dict[str, Sample],
    n_groups: int,
    n_permutations: int,
    seed: int,
    prior: npt.ArrayLike | None,
) -> ProxyScore:
    needs = definition.needs
    try:
        if needs not in samples:
            given = {needs: getattr(file, needs)}
            samples[needs] = Sample.of(file.labels, seed=seed, prior=prior, **given)
        sample = samples[needs]
        measure = definition.measure(sample, n_groups=n_groups, seed=seed)
        null = None
        if n_permutations and not (definition.of_prior and prior is not None):
            sign = 1 if definition.higher_is_better else -1
            null = permutation_null(
                lambda rows: sign * definition.value(rows), sample, n_permutations, seed
            )
    except NotReached:
        raise
    except EeveeError as error:
        raise EeveeError(f"{file.source}: {error}") from None
    cost = (file.seconds or 0.0) + measure.seconds
    return ProxyScore(file.model, file.task, definition.name, measure, cost, null, file.source)
