"""Tasks drawn from a prior: the prefix sampler, its log-probabilities, and Gibbs sweeps."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.base.seeds import generator
from eevee.measures.labellings import SampledTasks, checked_tasks, one_hot, parts_of
from eevee.measures.task_kernels import Kernel
from eevee.measures.task_priors import prior_temperature

STEPS = 64
"""Samples between two updates of the sums over all samples."""
TEMPERATURE = 0.02
"""In Frobenius norms of the prior. Above the largest eigenvalue labels are noise; far below it
nearly all draws are one task (5 different ones of 200 at the default of `task_prior_moments`)."""
Order = Literal["permutation", "index"]


def sample_tasks(
    prior: Kernel,
    n_classes: int,
    *,
    n_tasks: int = 100,
    temperature: float | None = None,
    coupling: int = 2,
    order: Order | npt.ArrayLike = "permutation",
    n_sweeps: int = 0,
    seed: int = 0,
) -> SampledTasks:
    """Draw labellings from a prior, one sample after the other given those before it.

    Parameters
    ----------
    prior : Kernel
    n_classes : int
    n_tasks : int
    temperature : float, optional
        On the scale of the prior's kernel; by default 0.02 Frobenius norms.
    coupling : {2, 1}
        How often a pair of samples counts: 2 is right (exact for two samples); 1 is the paper's
        Algorithm 1, which draws at twice the temperature.
    order : {"permutation", "index"} or array of int, shape (n_samples,)
        A random order, drawn once for all tasks (the released code draws one per seed), or that of
        the file (Algorithm 1).
    n_sweeps : int
        Sweeps of Gibbs sampling over all samples, after the draw.
    seed : int
        With more tasks, the first ones stay the same.

    Raises
    ------
    EeveeError
        If a setting is invalid.

    Notes
    -----
    The prior is mu(y) ~ exp(Tr(GK) / T) with G_ij = 1 where y_i = y_j, a Potts model. Each label is
    drawn given those before it and not those after it, so that draws follow another distribution:
    `SampledTasks.weights` correct for it. Time per task and sweep is n r q for a kernel with a
    factor of rank r, n**2 q otherwise.

    Examples
    --------
    >>> from eevee.measures.task_kernels import feature_kernel
    >>> prior = feature_kernel([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.1]])
    >>> sample_tasks(prior, 2, n_tasks=3, temperature=0.01, order="index").labels.tolist()
    [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]
    """
    if n_classes < 2 or n_tasks < 1 or n_sweeps < 0:
        raise EeveeError("tasks: at least 2 classes and 1 task are needed, and no sweeps below 0")
    heat = _heat(prior, temperature)
    rng = generator(seed)
    places = _order(order, prior.n_samples, rng)
    uniform = rng.random((n_tasks, prior.n_samples))
    sweeps = [generator(seed, 1, number) for number in range(n_sweeps)]
    walk = _Walk(prior, places, n_classes, heat, _checked_coupling(coupling))
    parts = []
    for part in parts_of(n_tasks, n_classes):
        labels, log_probs, energies = walk.draw(uniform[part])
        for draws in sweeps:
            labels = walk.sweep(labels, draws.random(labels.shape))
        parts.append((labels, log_probs, energies))
    labels, log_probs, energies = (np.concatenate(one) for one in zip(*parts, strict=True))
    placed = np.empty_like(labels)
    placed[:, places] = labels
    return SampledTasks(placed, log_probs, energies, places, n_classes, heat, coupling)


def task_log_probs(
    prior: Kernel,
    labels: npt.ArrayLike,
    n_classes: int,
    *,
    temperature: float | None = None,
    coupling: int = 2,
    order: Order | npt.ArrayLike = "index",
) -> FloatArray:
    """Return the log-probabilities with which `sample_tasks` draws labellings.

    Parameters
    ----------
    prior, n_classes, temperature, coupling
        As of `sample_tasks`.
    labels : int array, shape (n_tasks, n_samples)
    order : "index" or array of int
        Such as `SampledTasks.order`.

    Raises
    ------
    EeveeError
        If labels are not in 0..n_classes - 1.

    Examples
    --------
    >>> from eevee.measures.task_kernels import matrix_kernel
    >>> np.exp(task_log_probs(matrix_kernel(np.eye(2)), [[0, 0], [0, 1]], 2, temperature=1.0))
    array([0.25, 0.25])
    """
    given = checked_tasks(labels, prior.n_samples)
    if not 0 <= given.min() <= given.max() < n_classes:
        raise EeveeError(f"labels: must lie in 0..{n_classes - 1}")
    if isinstance(order, str) and order != "index":
        raise EeveeError("order: give 'index', or the order of the draw")
    places = _order(order, prior.n_samples, generator(0))
    heat = _heat(prior, temperature)
    walk = _Walk(prior, places, n_classes, heat, _checked_coupling(coupling))
    ordered = given[:, places]
    parts = parts_of(len(ordered), n_classes)
    return np.concatenate([walk.log_probs(ordered[part]) for part in parts])


def _heat(prior: Kernel, temperature: float | None) -> float:
    return (
        TEMPERATURE * prior.norm if temperature is None else prior_temperature(prior, temperature)
    )


def _checked_coupling(coupling: int) -> int:
    if coupling not in (1, 2):
        raise EeveeError(f"coupling: 2, or 1 for the paper's Algorithm 1; not {coupling}")
    return coupling


def _order(order: str | npt.ArrayLike, n: int, rng: np.random.Generator) -> IntArray:
    if isinstance(order, str):
        if order not in ("permutation", "index"):
            raise EeveeError(f"order: 'permutation', 'index' or an array, not {order!r}")
        return rng.permutation(n) if order == "permutation" else np.arange(n)
    places = as_array(order, "order")
    if places.shape != (n,) or not np.array_equal(np.sort(places), np.arange(n)):
        raise EeveeError(f"order: must be the numbers 0 to {n - 1}, each once")
    return places.astype(np.int64)


class _Walk:
    """Visits samples in an order and labels each, for several tasks at once."""

    def __init__(
        self, prior: Kernel, order: IntArray, n_classes: int, heat: float, coupling: int
    ) -> None:
        self.prior, self.order = prior, order
        self.q, self.heat, self.coupling = n_classes, heat, coupling
        self.factor = None if prior.factor is None else prior.factor[order]

    def draw(self, uniform: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        return self._pass(uniform, None, self.coupling)

    def log_probs(self, labels: IntArray) -> FloatArray:
        return self._pass(None, labels, self.coupling)[1]

    def sweep(self, labels: IntArray, uniform: FloatArray) -> IntArray:
        return self._pass(uniform, labels, 2)[0]

    def _rows(self, start: int) -> FloatArray:
        """Rows whose products with the sums of the tasks are similarities to classes."""
        if self.factor is not None:
            return self.factor[start : start + STEPS]
        return self.prior.some(self.order[start : start + STEPS])[:, self.order]

    def _moved(self, rows: FloatArray, start: int, change: FloatArray) -> FloatArray:
        """Change of the sums of the tasks."""
        if self.factor is not None:
            return np.asarray(rows.T @ change)
        found = np.zeros((len(self.order), change.shape[1]))
        found[start : start + len(rows)] = change
        return found

    def _among(self, rows: FloatArray, start: int) -> FloatArray:
        if self.factor is not None:
            return np.asarray(rows @ rows.T)
        return rows[:, start : start + len(rows)]

    def _pass(
        self, uniform: FloatArray | None, given: IntArray | None, coupling: int
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Label all samples: anew (no labels given), as given (no draws), or over what is given."""
        with threadpool_limits(1, "blas"):  # its threads only get in each other's way here
            return self._visit(uniform, given, coupling)

    def _visit(
        self, uniform: FloatArray | None, given: IntArray | None, coupling: int
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        some = given if uniform is None else uniform
        assert some is not None
        n_tasks, n = some.shape
        old = given if uniform is not None else None
        run = _Run(n_tasks, self.q, coupling / self.heat)
        labels = np.empty((n_tasks, n), dtype=np.int64)
        sums = self._sums(old, n_tasks)
        for start in range(0, n, STEPS):
            rows = self._rows(start)
            among, fields = self._among(rows, start), rows @ sums
            part = slice(start, start + len(rows))
            was = None if old is None else old[:, part]
            if uniform is None:
                assert given is not None
                labels[:, part] = given[:, part]
                change = run.label(among, fields, was, None, labels[:, part])
            else:
                change = run.label(among, fields, was, uniform[:, part], labels[:, part])
            sums += self._moved(rows, start, change)
        return labels, run.log_probs, run.energies

    def _sums(self, labels: IntArray | None, n_tasks: int) -> FloatArray:
        """Per task and class the sum of factors of its samples, or which samples they are."""
        n = len(self.order)
        found = np.zeros((n if self.factor is None else self.factor.shape[1], n_tasks * self.q))
        if labels is not None:
            for start in range(0, n, STEPS):
                part = one_hot(labels[:, start : start + STEPS], self.q)
                rows = None if self.factor is None else self.factor[start : start + STEPS]
                if rows is None:
                    found[start : start + STEPS] = part
                else:
                    found += rows.T @ part
        return found


class _Run:
    """Log-probabilities and energies of a pass; labels the samples of a block in turn."""

    def __init__(self, n_tasks: int, n_classes: int, strength: float) -> None:
        self.shape, self.strength = (n_tasks, n_classes), strength
        self.tasks = np.arange(n_tasks)
        self.log_probs, self.energies = np.zeros(n_tasks), np.zeros(n_tasks)

    def label(
        self,
        among: FloatArray,
        fields: FloatArray,
        old: IntArray | None,
        uniform: FloatArray | None,
        labels: IntArray,
    ) -> FloatArray:
        """Draw `labels` in place, or score them without draws; return what indicators change by."""
        tasks = self.tasks
        change = np.zeros_like(fields)
        for i, own in enumerate(np.diag(among)):
            field = (fields[i] + among[i, :i] @ change[:i]).reshape(self.shape)
            moved = change[i].reshape(self.shape)
            if old is not None:
                field[tasks, old[:, i]] -= own
                moved[tasks, old[:, i]] -= 1
            logits = field * self.strength
            logits -= logits.max(axis=1, keepdims=True)
            cumulated = np.exp(logits).cumsum(axis=1)
            total = cumulated[:, -1]
            if uniform is not None:
                below = cumulated / total[:, None] <= uniform[:, i, None]
                labels[:, i] = np.minimum(below.sum(axis=1), self.shape[1] - 1)
            new = labels[:, i]
            self.log_probs += logits[tasks, new] - np.log(total)
            self.energies += 2 * field[tasks, new] + own
            moved[tasks, new] += 1
        return change
