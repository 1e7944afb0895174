"""How fast distances of layers and tasks are beside plain NumPy formulas, and what they come to.

`python -m tests.benchmarks.bench_similarity` times, in one run, each distance and the formula as it
reads, on features with a spectrum that decays; the median of the ratios of the repeats is printed
with their range, and how far the values are apart. With `digits`, distances of small networks that
docs/similarity.md shows, with jackknife errors over images; with `table3 N`, the Task2Vec diversity
of the synthetic benchmarks, of N tasks each.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from eevee.measures.diversity_coefficient import diversity
from eevee.measures.layers import Layer
from eevee.measures.similarity_kinds import find_similarity
from eevee.measures.synthetic_tasks import TABLE_3, random_probe
from eevee.measures.task_distances import task2vec_distances
from eevee.measures.task_embedding import task2vec

SIZES = ((1000, 256), (8000, 256), (500, 1024))
Formula = Callable[[np.ndarray, np.ndarray], float]


def centred(values: np.ndarray) -> np.ndarray:
    return np.asarray(values - values.mean(axis=0))


def cka(x: np.ndarray, y: np.ndarray) -> float:
    x, y = centred(x), centred(y)
    norms = np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y)
    return float(1 - np.linalg.norm(x.T @ y) ** 2 / norms)


def unbiased_cka(x: np.ndarray, y: np.ndarray) -> float:
    def hsic(k: np.ndarray, m: np.ndarray) -> float:
        n = len(k)
        ones = np.ones(n)
        rest = (ones @ k @ ones) * (ones @ m @ ones) / (n - 1) / (n - 2)
        return float(np.trace(k @ m) + rest - 2 / (n - 2) * ones @ k @ m @ ones)

    kernels = [one @ one.T for one in (x, y)]
    for one in kernels:
        np.fill_diagonal(one, 0)
    k, m = kernels
    return float(1 - hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m)))


def opd(x: np.ndarray, y: np.ndarray) -> float:
    x, y = centred(x), centred(y)
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    return float(1 - np.linalg.norm(x.T @ y, "nuc"))


def correlations(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    bases = [np.linalg.svd(centred(one), full_matrices=False)[0] for one in (x, y)]
    return np.asarray(np.linalg.svd(bases[0].T @ bases[1])[1])


def mean_cca(x: np.ndarray, y: np.ndarray) -> float:
    return float(1 - correlations(x, y).mean())


def pwcca(x: np.ndarray, y: np.ndarray) -> float:
    u, _, _ = np.linalg.svd(centred(x), full_matrices=False)
    v, _, _ = np.linalg.svd(centred(y), full_matrices=False)
    left, rho, _ = np.linalg.svd(u.T @ v)
    weights = np.abs((u @ left).T @ centred(x)).sum(axis=1)
    return float(1 - (weights * rho).sum() / weights.sum())


def svcca(x: np.ndarray, y: np.ndarray) -> float:
    def kept(one: np.ndarray) -> np.ndarray:
        u, s, _ = np.linalg.svd(centred(one), full_matrices=False)
        return np.asarray((u * s)[:, : int((np.cumsum(s) / s.sum() < 0.99).sum()) + 1])

    return mean_cca(kept(x), kept(y))


FORMULAS: dict[str, Formula] = {
    "cka": cka, "cka-debiased": unbiased_cka, "opd": opd, "mean-cca": mean_cca, "svcca": svcca,
    "pwcca": pwcca,
}  # fmt: skip


def data(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(n, d))
    made = []
    for _ in range(2):
        rows = (shared + rng.normal(size=(n, d))) * np.arange(1, d + 1) ** -0.5
        made.append(rows @ np.linalg.qr(rng.normal(size=(d, d)))[0])
    return made[0], made[1]


def timed(function: Callable[[], float]) -> tuple[float, float]:
    start = time.perf_counter()
    value = function()
    return value, time.perf_counter() - start


def distance(name: str, first: np.ndarray, second: np.ndarray) -> float:
    return find_similarity(name).distance(Layer.of(first), Layer.of(second), margin=0)


def speed(repeats: int) -> None:
    print(f"{'':28}{'plain s':>10}{'eevee s':>10}{'ratio':>8}  range{'off':>18}")
    for n, d in SIZES:
        first, second = data(n, d)
        for name, formula in FORMULAS.items():
            if n < d and name in ("mean-cca", "svcca", "pwcca"):
                continue  # correlations of more columns than rows are all one
            if n > 2000 and name == "cka-debiased":
                continue  # the formula's kernels take minutes
            times = []
            for _ in range(repeats):
                other, slow = timed(partial(formula, first, second))
                value, quick = timed(partial(distance, name, first, second))
                times.append((slow, quick))
            report(f"{name} {n}x{d}", np.array(times), other - value)
    embeddings(repeats)
    information(repeats)


def embeddings(repeats: int) -> None:
    table = np.random.default_rng(0).gamma(0.5, size=(200, 4000))

    def by_pairs() -> float:
        from scipy.spatial.distance import cosine

        found = []
        for i in range(40):  # of 200: pairs are all alike
            for j in range(i):
                total = table[i] + table[j] + 1e-8
                found.append(cosine(table[i] / total, table[j] / total))
        return float(np.mean(found))

    times = []
    for _ in range(repeats):
        other, slow = timed(by_pairs)
        found, quick = timed(
            lambda: float(task2vec_distances(table, convention="reference")[:40, :40].sum())
        )
        times.append((slow * (200 * 199) / (40 * 39), quick))
    report("task2vec 200 tasks x4000", np.array(times), other - found / (40 * 39))


def information(repeats: int) -> None:
    """Fisher information: a gradient per sample and class, as the formula reads, and `exact`."""
    import torch
    from torch import nn

    from eevee.measures import fisher

    torch.set_num_threads(1)
    torch.manual_seed(0)
    conv = nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3), nn.ReLU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(128, 5),
    ).double()  # fmt: skip
    for name, network, shape in (
        ("fisher 1-128-128-5, 50 rows", random_probe().double(), (50, 1)),
        ("fisher conv 32x32, 100 rows", conv, (100, 3, 32, 32)),
    ):
        rows = torch.randn(*shape, dtype=torch.float64)
        weights = {n: one.detach() for n, one in network.named_parameters() if "weight" in n}
        chosen = [one for n, one in network.named_parameters() if "weight" in n]

        def plain(rows: torch.Tensor = rows, network: nn.Module = network, chosen=chosen) -> float:
            total = 0.0
            for row in rows:
                logs = network(row[None])[0].log_softmax(-1)
                for one in logs:
                    slopes = torch.autograd.grad(one, chosen, retain_graph=True)
                    total += one.exp().item() * sum(float(s.square().sum()) for s in slopes)
            return total / len(rows)

        def ours(rows: torch.Tensor = rows, network: nn.Module = network, w=weights) -> float:
            return sum(float(one.sum()) for one in fisher.exact(network, w, rows))

        ours()  # what is imported at first use
        times = []
        for _ in range(repeats):
            other, slow = timed(plain)
            found, quick = timed(ours)
            times.append((slow, quick))
        report(name, np.array(times), other / found - 1)


def report(words: str, times: np.ndarray, off: float) -> None:
    ratios = times[:, 0] / times[:, 1]
    spread = f"{ratios.min():.1f} to {ratios.max():.1f}"
    slow, quick = np.median(times, axis=0)
    print(f"{words:28}{slow:10.4f}{quick:10.4f}{np.median(ratios):8.1f}  {spread:15}{off:9.1e}",
          flush=True)  # fmt: skip


def digits() -> None:
    """Distances of layers of small networks, within a run and between seeds."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    warnings.simplefilter("ignore", ConvergenceWarning)
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order] / 16, labels[order]
    layers = {"pixels": images[1000:]}
    layers["16 components"] = PCA(16, random_state=0).fit(images[:1000]).transform(images[1000:])
    for seed in range(3):
        network = MLPClassifier((64, 32), max_iter=1, warm_start=True, random_state=seed)
        for epoch in range(1, 61):
            network.fit(images[:1000], labels[:1000])
            rows = images[1000:]
            for weights, bias in list(zip(network.coefs_, network.intercepts_, strict=True))[:-1]:
                rows = np.maximum(rows @ weights + bias, 0)
            if epoch in (20, 40, 50, 60):
                layers[f"seed {seed}, epoch {epoch}"] = rows
    last = [f"seed {seed}, epoch 60" for seed in range(3)]
    pairs = [(f"seed 0, epoch {epoch}", last[0]) for epoch in (50, 40, 20)]
    pairs += [(last[0], last[1]), (last[0], last[2]), (last[1], last[2])]
    kinds = [find_similarity(name) for name in ("cka-debiased", "opd", "mean-cca")]
    for one, other in [*pairs, ("pixels", "16 components")]:
        both = Layer.of(layers[one]), Layer.of(layers[other])
        made = [(kind.name, kind.measure(*both, margin=0, n_groups=20)) for kind in kinds]
        found = [f"{name} {one.value:.4f} ({one.stderr:.4f})" for name, one in made]
        print(f"{one:20}{other:20}{'  '.join(found)}", flush=True)


def table3(n_tasks: int) -> None:
    """The Task2Vec column of the paper's Table 3."""
    import torch

    torch.set_num_threads(1)
    paper = (0.247, 0.271, 0.393, 0.470, 0.533, 0.537, 0.546)
    print(f"{n_tasks} tasks each; s.e. in brackets")
    print(f"{'mean_sd':>8}{'paper':>8}{'its network':>20}{'no norm, exact':>20}{'Hellinger':>11}")
    for made, printed in zip(TABLE_3, paper, strict=True):
        rng = np.random.default_rng(0)
        tasks = [made.task(rng) for _ in range(n_tasks)]
        found = []
        for norm, method in ((True, "reference"), (False, "exact")):
            probe = random_probe(batch_norm=norm)
            rows = [
                task2vec(probe, one.inputs, one.labels, method=method, seed=i)  # type: ignore[arg-type]
                for i, one in enumerate(tasks)
            ]
            one = diversity(task2vec_distances(rows))
            found.append(f"{one.value:.3f} ({one.stderr:.3f})")
        print(f"{made.mean_sd:8g}{printed:8}{found[0]:>20}{found[1]:>20}"
              f"{made.hellinger_diversity:11.4f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["digits"]:
        digits()
    elif words[:1] == ["table3"]:
        table3(int(words[1]) if len(words) > 1 else 20)
    else:
        speed(int(words[0]) if words else 3)
