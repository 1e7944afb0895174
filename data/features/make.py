"""Make the files of features beside this script: `python data/features/make.py`.

Three representations of 300 of scikit-learn's digits, with the seconds that computing them took,
and the probabilities of a source model that tells pairs of digits (0-1, 2-3 ...). Everything is
fitted on the other 1,497 images. Only the seconds differ from run to run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression

N = 300
HERE = Path(__file__).parent


def random_features(rows: np.ndarray) -> np.ndarray:
    weights = np.random.default_rng(0).normal(size=(64, 64)) / 64
    return np.maximum(rows @ weights, 0)


def main() -> None:
    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    images, digits = images[order], digits[order]
    pca = PCA(16, random_state=0).fit(images[N:])
    models: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "pixels": np.asarray,
        "pca": pca.transform,
        "random": random_features,
    }
    labels = {"digits": digits, "parity": digits % 2}
    for model, transform in models.items():
        start = time.perf_counter()
        features = transform(images[:N])
        seconds = time.perf_counter() - start
        source = LogisticRegression(max_iter=5000, C=0.01)
        source.fit(transform(images[N:]), digits[N:] // 2)
        probs = source.predict_proba(features)
        for task, codes in labels.items():
            np.savez_compressed(
                HERE / f"{model}__{task}.npz",
                features=features.astype(np.float32),
                labels=codes[:N].astype(np.int16),
                source_probs=probs.astype(np.float32),
                seconds=max(seconds, 1e-6),
            )


if __name__ == "__main__":
    main()
