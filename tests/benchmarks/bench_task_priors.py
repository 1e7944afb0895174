"""Task priors beside plain formulas, and on real features.

`python -m tests.benchmarks.bench_task_priors`, or one of its parts: `speed`, `agreement`, `weights`

Speed: the formulas of the paper as they read, with NumPy on whole matrices and a loop over samples,
timed in turn with the blocked and batched ones in this process; the median of the ratios is printed
with its range, and times of sampling are per task. Whole matrices of 8,192 samples need 4 GB.

Agreement: 28 representations of 1,000 of scikit-learn's digits, all fitted on the other 797 images.
The prior is the hidden layer of a network; 200 tasks of two classes are drawn from it. Spearman's
correlation over models of the closed-form mean with the mean held-out accuracy of linear probes on
these tasks, and of the variances, with jackknife errors.

Weights: effective size of 1,000 tasks drawn from this prior, by number of samples and temperature,
and the largest weight of one task.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF, PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import RBFSampler
from sklearn.neural_network import MLPClassifier

from eevee.measures.labellings import SampledTasks
from eevee.measures.task_kernels import feature_kernel
from eevee.measures.task_priors import RELATIVE_TEMPERATURE, task_prior_moments
from eevee.measures.task_probes import task_prior_table
from eevee.measures.task_sampler import sample_tasks

D, Q, N_TASKS, REPEATS = 768, 2, 128, 3
HEATS = (0.02, 0.1, 0.2, 0.5, 1, 2)


def plain_kernel(features: np.ndarray) -> np.ndarray:
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    kernel = unit @ unit.T
    means = kernel.mean(axis=0)
    kernel = kernel - means - means[:, None] + means.mean()
    return kernel / np.linalg.norm(kernel)


def plain_moments(prior: np.ndarray, model: np.ndarray, heat: float) -> tuple[float, float]:
    k, m = plain_kernel(prior), plain_kernel(model)
    p = expit(k / heat)
    return float((m * p).sum()), float((m**2 * p * (1 - p)).sum())


def plain_task(factor: np.ndarray, heat: float, rng: np.random.Generator) -> np.ndarray:
    """Algorithm 1, a sample at a time."""
    sums = np.zeros((factor.shape[1], Q))
    labels = np.empty(len(factor), dtype=int)
    for i, row in enumerate(factor):
        h = row @ sums / heat
        p = np.exp(h - h.max())
        labels[i] = rng.choice(Q, p=p / p.sum())
        sums[:, labels[i]] += row
    return labels


def seconds(of: Callable[[], object]) -> float:
    start = time.perf_counter()
    of()
    return time.perf_counter() - start


def compared(
    name: str,
    ours: Callable[[], object],
    plain: Callable[[], object],
    counts: tuple[int, int] = (1, 1),
) -> None:
    times = np.array([(seconds(ours), seconds(plain)) for _ in range(REPEATS)]) / counts
    ratios = times[:, 1] / times[:, 0]
    own, other = np.median(times, axis=0)
    print(
        f"{name:44} {own:8.4f} s, plain {other:8.4f} s, times {np.median(ratios):5.1f} "
        f"({ratios.min():.1f} to {ratios.max():.1f})"
    )


def speed(n: int) -> None:
    rng = np.random.default_rng(0)
    decay = np.arange(1, D + 1) ** -0.5
    prior, model = rng.normal(size=(2, n, D)) * decay
    heat = RELATIVE_TEMPERATURE / n

    def moments(dtype: str) -> tuple[float, float]:
        kernels = [feature_kernel(one, dtype=dtype) for one in (prior, model)]  # type: ignore[arg-type]
        found = task_prior_moments(*kernels, temperature=heat)
        return found.mean, found.variance

    def whole() -> tuple[float, float]:
        return plain_moments(prior, model, heat)

    compared(f"moments, n = {n}", lambda: moments("float64"), whole)
    compared(f"moments, n = {n}, single precision", lambda: moments("float32"), whole)
    off = np.abs(np.array(moments("float64")) / np.array(whole()) - 1).max()
    single = np.abs(np.array(moments("float32")) / np.array(whole()) - 1).max()
    print(f"  off by {off:.1g} and {single:.1g}")
    kernel = feature_kernel(prior)
    factor = kernel.factor
    assert factor is not None
    compared(
        f"a task of {N_TASKS}, n = {n}",
        lambda: sample_tasks(kernel, Q, n_tasks=N_TASKS, temperature=heat, coupling=1),
        lambda: [plain_task(factor, heat, rng) for _ in range(2)],
        (N_TASKS, 2),
    )


def hidden(images: np.ndarray, net: MLPClassifier) -> np.ndarray:
    return np.maximum(images @ net.coefs_[0] + net.intercepts_[0], 0)


def representations(fit: np.ndarray, labels: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    found = {"pixels": rows}
    for k in (2, 4, 8, 16, 32):
        found[f"pca {k}"] = PCA(k, random_state=0).fit(fit).transform(rows)
    for width in (8, 32, 128, 512):
        weights = rng.normal(size=(64, width)) / 8
        found[f"random net {width}"] = np.maximum((rows - 0.3) @ weights, 0)
        found[f"random projection {width}"] = rows @ weights
    for scale in (0.3, 0.6, 1.2):
        found[f"noise {scale}"] = rows + scale * rng.normal(size=rows.shape)
    for steps in (1, 5, 20, 200):
        net = MLPClassifier(64, max_iter=steps, random_state=1).fit(fit, labels)
        found[f"net {steps}"] = hidden(rows, net)
    for name, other in (
        ("parity", labels % 2),
        ("above 4", labels > 4),
        ("shuffled", rng.permutation(labels)),
    ):
        net = MLPClassifier(64, max_iter=200, random_state=1).fit(fit, other)
        found[f"net {name}"] = hidden(rows, net)
    found["lda"] = LinearDiscriminantAnalysis(n_components=9).fit(fit, labels).transform(rows)
    found["nmf 8"] = NMF(8, random_state=0, max_iter=500).fit(fit).transform(rows)
    found["k-means 16"] = KMeans(16, n_init=3, random_state=0).fit(fit).transform(rows)
    found["rbf"] = RBFSampler(gamma=0.1, n_components=128, random_state=0).fit_transform(rows)
    return found


def parts() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Images to fit on, their labels, and other images."""
    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    images, digits = images[order] / 16, digits[order]
    return images[1000:], digits[1000:], images[:1000]


def of_prior(fit: np.ndarray, labels: np.ndarray, rows: np.ndarray) -> np.ndarray:
    net = MLPClassifier(128, max_iter=300, random_state=0).fit(fit, labels)
    return hidden(rows, net)


def agreement() -> None:
    fit, labels, rows = parts()
    models = representations(fit, labels, rows)
    prior = feature_kernel(of_prior(fit, labels, rows))
    print(f"{len(models)} models")
    for heat in (RELATIVE_TEMPERATURE / len(rows), 0.002, 0.02, 0.2):
        tasks = sample_tasks(prior, Q, n_tasks=200, temperature=heat)
        share = np.minimum(tasks.labels.mean(axis=1), 1 - tasks.labels.mean(axis=1)).mean()
        print(
            f"temperature {heat:.2g}: {tasks.n_different} different tasks of 200, effective size "
            f"{tasks.effective_size:.1f}, smaller class {share:.2f} of the samples"
        )
        for graph in ("directed", "undirected"):
            table = task_prior_table(models, prior, tasks, graph=graph)  # type: ignore[arg-type]
            for what, one in table.agreement.items():
                print(f"  {graph:10} {what:32} {one.value:6.2f} +- {one.stderr:.2f}")


def weights() -> None:
    features = of_prior(*parts())
    print(
        "effective size of 1,000 tasks (largest weight of one), at temperatures in Frobenius norms"
    )
    print("samples" + "".join(f"{heat:>16g}" for heat in HEATS))
    for n in (10, 30, 100, 300, 1000):
        prior = feature_kernel(features[:n])
        tasks = [sample_tasks(prior, Q, n_tasks=1000, temperature=heat) for heat in HEATS]
        print(
            f"{n:7d}" + "".join(f"{one.effective_size:8.1f} ({largest(one):.3f})" for one in tasks)
        )


def largest(tasks: SampledTasks) -> float:
    """Weight of the task that has most of it, all of its repeats together."""
    same = np.where(tasks.labels[:, :1] == 1, 1 - tasks.labels, tasks.labels)
    return float(pd.Series(tasks.weights).groupby([one.tobytes() for one in same]).sum().max())


def main() -> None:
    import warnings

    warnings.simplefilter("ignore", ConvergenceWarning)
    wanted = sys.argv[1:] or ["speed", "agreement", "weights"]
    if "speed" in wanted:
        for n in (2048, 8192):
            speed(n)
    if "agreement" in wanted:
        agreement()
    if "weights" in wanted:
        weights()


if __name__ == "__main__":
    main()
