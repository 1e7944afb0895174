"""`loss_data_curve`: losses of a probe by how many samples it is fitted on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.base.seeds import generator
from eevee.measures.loss_data import LossDataCurve, log_sizes
from eevee.measures.sample import Sample


@dataclass(frozen=True, eq=False)
class Draw:
    """What one seed sees: samples to fit on, in an order of which each size takes the first, and
    samples to validate on; standardised alike.

    Attributes
    ----------
    train, validation : arrays, samples x features
    train_labels, validation_labels : int arrays
    seed : int
        Of what the probe draws, the same for any sizes and number of seeds.
    """

    train: FloatArray
    validation: FloatArray
    train_labels: IntArray
    validation_labels: IntArray
    seed: int


@runtime_checkable
class CurveProbe(Protocol):
    """A probe that is fitted on all sizes and seeds at once, such as `MLPProbe`."""

    def losses(self, draws: Sequence[Draw], sizes: Sequence[int], n_classes: int) -> FloatArray:
        """Return mean validation losses in nats, shape (n_sizes, n_seeds)."""


def loss_data_curve(
    features: npt.ArrayLike,
    labels: npt.ArrayLike,
    probe: Any = None,
    *,
    sizes: Sequence[int] | None = None,
    n_seeds: int = 5,
    validation: float = 0.1,
    standardize: bool = True,
    smoothing: float = 1.0,
    seed: int = 0,
    name: str = "",
) -> LossDataCurve:
    """Fit a probe on more and more samples, and return its validation losses.

    Parameters
    ----------
    features : array, shape (n_samples, n_features)
    labels : array, shape (n_samples,)
    probe : scikit-learn-like classifier or CurveProbe, optional
        With ``fit`` and ``predict_proba``. It is cloned for each fit, and a ``random_state`` of
        None is set by `seed`. Or `MLPProbe`. By default logistic regression.
    sizes : sequence of int, optional
        By default ten from 10 to all samples that are not held out, evenly in their logarithm.
    n_seeds : int
        Each holds out samples of its own, and draws an order of the others.
    validation : float
        Share of samples that are held out.
    standardize : bool
        Whether each feature gets a mean of 0 and a standard deviation of 1 on the samples that are
        not held out. (The released code has one mean and deviation for all features.)
    smoothing : float
        Of a classifier's probabilities: it counts as so many samples of evenly spread classes
        beside those it was fitted on, so that a class that it was not fitted on has a finite loss.
        `MLPProbe`, whose probabilities are above 0, is not smoothed.
    seed : int
    name : str

    Returns
    -------
    LossDataCurve
        It knows the number of classes and the entropy of labels.

    Raises
    ------
    EeveeError
        If the input is not what it should be (`Sample.of`), a size is more than there are samples,
        or the probe fails.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(300, 2))
    >>> curve = loss_data_curve(rows, rows[:, 0] > 0, sizes=[10, 30, 200], name="plain")
    >>> curve.losses.shape, bool(curve.mean[0] > curve.mean[-1])
    ((3, 5), True)
    """
    sample = Sample.of(labels, features=features)
    if not (isinstance(n_seeds, Integral) and n_seeds >= 1) or not 0 < validation < 1:
        raise EeveeError("n_seeds must be a whole number above 0, validation in 0..1")
    check_probe(probe, smoothing)
    draws = [_draw(sample, validation, standardize, seed, i) for i in range(n_seeds)]
    most = len(draws[0].train)
    chosen = log_sizes(min(10, most), most) if sizes is None else _sizes(sizes, most)
    shares = sample.counts / sample.n_rows
    if isinstance(probe, CurveProbe):
        losses = probe.losses(draws, chosen, sample.n_classes)
    else:
        model = default_probe() if probe is None else probe
        losses = _one_by_one(model, draws, chosen, sample.n_classes, smoothing)
    entropy = -float(shares @ np.log(shares))
    return LossDataCurve.of(
        chosen, losses, n_classes=sample.n_classes, label_entropy=entropy, name=name
    )


def _sizes(given: Sequence[int], most: int) -> list[int]:
    sizes = as_array(given, "sizes")
    whole = sizes.ndim == 1 and sizes.size > 0 and sizes.dtype.kind in "iu"
    if not whole or sizes.min() < 1 or sizes.max() > most or len(set(sizes)) < len(sizes):
        raise EeveeError(
            f"sizes: different whole numbers in 1..{most}, the samples that are not held out; "
            f"got {given}"
        )
    return sorted(map(int, sizes))


def check_probe(probe: Any, smoothing: float) -> None:
    """Refuse what is no probe, and smoothing that is not.

    Raises
    ------
    EeveeError
        If neither a classifier with probabilities nor a `CurveProbe` is given.
    """
    if not 0 <= smoothing < math.inf:
        raise EeveeError(f"smoothing: must be a number from 0, not {smoothing}")
    known = probe is None or isinstance(probe, CurveProbe)
    if isinstance(probe, type) or not (
        known or (hasattr(probe, "fit") and hasattr(probe, "predict_proba"))
    ):
        raise EeveeError(
            "probe: needs fit and predict_proba, as scikit-learn's classifiers have; give an "
            "object, not a class"
        )


def default_probe() -> Any:
    """Return the classifier that is fitted where none is given."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _draw(sample: Sample, share: float, standardize: bool, seed: int, number: int) -> Draw:
    assert sample.features is not None
    rng = generator(seed, number)
    order = rng.permutation(sample.n_rows)
    n_held = max(1, round(share * sample.n_rows))
    held, rest = order[:n_held], order[n_held:]
    if not len(rest):
        raise EeveeError(f"validation: {share} of {sample.n_rows} samples leaves none to fit on")
    train, test = sample.features[rest], sample.features[held]
    if standardize:
        mean, deviation = train.mean(axis=0), train.std(axis=0)
        deviation[deviation == 0] = 1
        train, test = (train - mean) / deviation, (test - mean) / deviation
    own = int(rng.integers(2**31))
    return Draw(train, test, sample.codes[rest], sample.codes[held], own)


def _one_by_one(
    probe: Any, draws: Sequence[Draw], sizes: Sequence[int], n_classes: int, smoothing: float
) -> FloatArray:
    found = np.empty((len(sizes), len(draws)))
    for i, size in enumerate(sizes):
        for j, draw in enumerate(draws):
            given = draw.train[:size], draw.train_labels[:size], draw.validation
            raw = class_probabilities(probe, *given, n_classes, draw.seed)
            probs = smoothed(raw, size, smoothing)
            own = probs[np.arange(len(probs)), draw.validation_labels]
            if not (own > 0).all():
                raise EeveeError(
                    f"probe: with {size} samples it gives a class of the validation samples the "
                    "probability 0, an infinite loss; take a smoothing above 0"
                )
            found[i, j] = -np.log(own).mean()
    return found


def smoothed(probs: FloatArray, n: int, smoothing: float) -> FloatArray:
    """Return a mixture with even probabilities, which count as `smoothing` of n + smoothing.

    Examples
    --------
    >>> smoothed(np.array([[1.0, 0.0]]), 9, 1.0).tolist()
    [[0.95, 0.05]]
    """
    return np.asarray((n * probs + smoothing / probs.shape[1]) / (n + smoothing))


def class_probabilities(
    probe: Any, rows: FloatArray, labels: IntArray, wanted: FloatArray, n_classes: int, seed: int
) -> FloatArray:
    """Fit a clone of a classifier and return its probabilities of all classes, met or not.

    What it draws is drawn from `seed`, unless it has a ``random_state`` of its own.

    Raises
    ------
    EeveeError
        If the classifier fails.
    """
    from sklearn.base import clone

    found = np.zeros((len(wanted), n_classes))
    met = np.unique(labels)
    if len(met) == 1:  # most classifiers refuse a single class
        found[:, met[0]] = 1
        return found
    try:
        model = _seeded(clone(probe), seed).fit(rows, labels)
        found[:, met] = model.predict_proba(wanted)
    except Exception as error:  # those of classifiers have no common base
        line = (str(error).splitlines() or [""])[0]
        name = type(probe).__name__
        raise EeveeError(f"probe: {name} failed with {len(rows)} samples: {line}") from None
    if not np.isfinite(found).all():
        raise EeveeError(f"probe: {type(probe).__name__} gives probabilities that are not finite")
    return found


def _seeded(model: Any, seed: int) -> Any:
    """Set each ``random_state`` that is None: it would draw from NumPy's global state."""
    unset = [
        name
        for name, value in model.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return model.set_params(**dict.fromkeys(unset, seed)) if unset else model
