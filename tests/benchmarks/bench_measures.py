"""How fast measures are beside plain NumPy: `python -m tests.benchmarks.bench_measures`.

Each formula is transcribed as it reads, with NumPy and SciPy, and timed in turn with the measure,
in this process; the median of the ratios of the repeats is printed with their range. Features
have a spectrum that decays, as those of networks do, and, for comparison, none ("flat"), where
the general optimiser of PACTran-Gaussian needs few steps. `off` is how far the transcription's
value lies from the measure's, as a share of it: its optimiser stops after 100 steps, its fixed
point after 11. Rows "towards the minimum", which is what the measure gives, are of that optimiser
with a tolerance of 1e-9 and up to 2,000 steps. LogME's fixed point is written with the weights and
residuals of its paper; about a third of it is the singular value decomposition. PACTran-Dirichlet
is computed by the convention of the released code on both sides; most of it, for few rows, is
SciPy's digamma, which both call as often.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import digamma, gammaln, softmax

from eevee.measures import Sample, find_measures
from eevee.measures.pactran_counts import definition

SIZES = ((200, 2048), (1000, 768), (5000, 768))
N_CLASSES = N_SOURCE = 100
A, B = 1.0, 10.0


def hscore(features: np.ndarray, labels: np.ndarray) -> float:
    means = np.zeros_like(features)
    for k in np.unique(labels):
        means[labels == k] = features[labels == k].mean(axis=0)
    within = np.linalg.pinv(np.cov(features.T), rcond=1e-15)
    return float(np.trace(within @ np.cov(means.T)))


def logme(features: np.ndarray, labels: np.ndarray) -> float:
    n = len(features)
    left, values, right = np.linalg.svd(features, full_matrices=False)
    evidences = []
    for k in np.unique(labels):
        y = (labels == k).astype(float)
        projected = left.T @ y
        rest = (y**2).sum() - (projected**2).sum()
        alpha = beta = 1.0
        for _ in range(11):
            gamma = (values**2 * beta / (alpha + beta * values**2)).sum()
            mean = right.T @ (beta * values / (alpha + beta * values**2) * projected)
            residual = ((features @ mean - y) ** 2).sum()
            alpha, beta = gamma / (mean**2).sum(), (n - gamma) / residual
        logs = np.log(1 / beta + values**2 / alpha).sum() - (n - len(values)) * np.log(beta)
        quadratic = (projected**2 / (1 / beta + values**2 / alpha)).sum() + beta * rest
        evidences.append(-0.5 * (n * np.log(2 * np.pi) + logs + quadratic) / n)
    return float(np.mean(evidences))


def dirichlet(probs: np.ndarray, labels: np.ndarray) -> float:
    y = np.eye(labels.max() + 1)[labels]
    n, k = y.shape
    prior = y.mean(axis=0)
    q = probs
    for _ in range(10):
        counts = prior[:, None] + y.T @ q
        weights = digamma(counts) - digamma(counts.sum(axis=0))
        q = softmax(np.log(probs) + weights[labels], axis=1)
    kl = (q * np.log(q / probs)).sum()
    first = gammaln(prior.sum()) - gammaln(prior).sum()
    rest = gammaln(counts.sum(axis=0)) - gammaln(counts).sum(axis=0)
    return float(-((first - rest).sum() - kl) / (n * k))


def gaussian(
    features: np.ndarray, labels: np.ndarray, steps: int = 100, tol: float = 1e-6
) -> float:
    """Eq. 19 as the released code fits it: L-BFGS-B, 100 steps, tolerance 1e-6."""
    n, d = features.shape
    k = labels.max() + 1
    beta = A * n
    centred, y = features - features.mean(axis=0), np.eye(k)[labels]

    def probs_of(theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = theta[: d * k].reshape(d, k)
        return weights, softmax(centred @ weights + theta[d * k :], axis=1)

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        weights, probs = probs_of(theta)
        own = np.log(probs[np.arange(n), labels] + 1e-300)
        errors = (probs - y) / n
        slope = [(centred.T @ errors + weights / beta).ravel(), errors.sum(axis=0)]
        return float(-own.mean() + (weights**2).sum() / (2 * beta)), np.concatenate(slope)

    start = np.random.default_rng(0).normal(0, 0.03, d * k + k)
    options = {"maxiter": steps}
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", tol=tol, options=options)
    _, probs = probs_of(found.x)
    trace = (((centred**2).sum(axis=1) + 1) * (probs - probs**2).sum(axis=1)).mean()
    return float(found.fun + k * B / (2 * beta) * np.log1p(beta * trace / (k * d)))


def data(n: int, d: int, decay: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    labels = rng.permutation(np.arange(n) % N_CLASSES)
    features = rng.normal(size=(n, d)) + 0.3 * rng.normal(size=(N_CLASSES, d))[labels]
    features *= np.arange(1, d + 1) ** -decay
    features = features @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    logits = rng.normal(size=(n, N_SOURCE)) + 2 * rng.normal(size=(N_CLASSES, N_SOURCE))[labels]
    return features / features.std(), labels, softmax(logits, axis=1)


def timed(function: Callable[..., float], *args: Any) -> tuple[float, float]:
    start = time.perf_counter()
    value = function(*args)
    return value, time.perf_counter() - start


def main(repeats: int) -> None:
    chosen = {one.name: one for one in find_measures("h-score,logme,pactran-gaussian")}
    chosen["pactran-dirichlet"] = definition("dirichlet", convention="reference")
    plain = {"h-score": hscore, "logme": logme, "pactran-gaussian": gaussian}
    print(f"{'':36}{'plain s':>10}{'eevee s':>10}{'ratio':>8}  range{'off':>18}")
    for n, d in SIZES:
        for decay in (0.8, 0.0):
            features, labels, probs = data(n, d, decay)
            kind = "decaying" if decay else "flat"
            jobs = [(name, plain[name], features) for name in plain]
            jobs += [("pactran-dirichlet", dirichlet, probs)] if decay else []
            for name, function, given in jobs:
                report(f"{name} {n}x{given.shape[1]} {kind}", chosen[name], function, given,
                       labels, repeats)  # fmt: skip
            if n < SIZES[-1][0]:
                report(f"  towards the minimum {n}x{d} {kind}", chosen["pactran-gaussian"],
                       towards_the_minimum, features, labels, 1)  # fmt: skip


def towards_the_minimum(features: np.ndarray, labels: np.ndarray) -> float:
    return gaussian(features, labels, 2000, 1e-9)


def report(
    words: str, measure: Any, function: Any, given: np.ndarray, labels: np.ndarray, repeats: int
) -> None:
    times = []
    for _ in range(repeats):
        other, slow = timed(function, given, labels)
        sample = Sample.of(labels, **{measure.needs: given})
        value, quick = timed(measure.value, sample)
        times.append((slow, quick))
    slow, quick = np.array(times).T
    ratios = slow / quick
    spread = f"{ratios.min():.1f} to {ratios.max():.1f}"
    print(
        f"{words:36}{np.median(slow):10.4f}{np.median(quick):10.4f}{np.median(ratios):8.1f}  "
        f"{spread:15}{other / value - 1:9.1e}",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
