"""The models of the table: every representation of images, one line each in ``ENCODERS``.

A representation is a network, which is fine-tuned end to end, or a fixed function of the pixels,
for which a network on top of its features is trained instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import networks
import numpy as np
import numpy.typing as npt
from images import SEED, SIZE, Images
from networks import LITE, SMALL, Encoder, Recipe
from scipy.fft import dctn
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

Rows = npt.NDArray[np.float32]
Transform = Callable[[Images], npt.NDArray[np.floating]]
Fit = Callable[[Images], Transform]
"""Looks at the training images of a benchmark, and returns what makes features of images."""


@dataclass(frozen=True)
class Network:
    """A network, and the pool of images on which it was trained beforehand, if any."""

    name: str
    family: str
    make: Callable[[], Encoder]
    recipe: Recipe
    source: tuple[str, str] | None = None
    about: str = ""


@dataclass(frozen=True)
class Fixed:
    """A representation that is not trained."""

    name: str
    family: str
    fit: Fit
    about: str


def _flat(images: Images) -> Rows:
    return images.reshape(len(images), -1)


def _pca(n_components: int) -> Fit:
    def fit(train: Images) -> Transform:
        fitted = PCA(n_components, svd_solver="full").fit(_flat(train))
        return lambda images: fitted.transform(_flat(images))

    return fit


def _random(kind: str, n_features: int = 256) -> Fit:
    def fit(train: Images) -> Transform:
        scale = float(np.median(pdist(_flat(train))))
        rng = np.random.default_rng(SEED)
        weights = rng.normal(size=(SIZE * SIZE, n_features)) / scale
        shifts = rng.uniform(0, 2 * np.pi, n_features)
        if kind == "fourier":
            return lambda images: np.cos(_flat(images) @ weights + shifts)
        return lambda images: np.maximum(_flat(images) @ weights, 0)

    return fit


def _centres(train: Images) -> Transform:
    fitted = KMeans(40, n_init=1, random_state=SEED).fit(_flat(train))
    return lambda images: fitted.transform(_flat(images))


def _gradients(images: Images) -> npt.NDArray[np.floating]:
    """Sums of gradients over squares of 8 x 8 pixels, in eight directions."""
    rows, columns = np.gradient(images, axis=(1, 2))
    size, direction = np.hypot(rows, columns), np.arctan2(rows, columns)
    which = np.floor((direction + np.pi) / (2 * np.pi) * 8).astype(int) % 8
    parts = [_squares(np.where(which == one, size, 0), 8) for one in range(8)]
    return np.concatenate(parts, axis=1)


def _squares(images: npt.NDArray[np.floating], side: int) -> npt.NDArray[np.floating]:
    n = SIZE // side
    return images.reshape(len(images), n, side, n, side).mean(axis=(2, 4)).reshape(len(images), -1)


def _projections(images: Images) -> npt.NDArray[np.floating]:
    return np.concatenate([images.mean(axis=1), images.mean(axis=2)], axis=1)


def _frequencies(images: Images) -> npt.NDArray[np.floating]:
    return dctn(images, axes=(1, 2), norm="ortho")[:, :6, :6].reshape(len(images), -1)


def _plain(transform: Transform) -> Fit:
    return lambda train: transform


def _lite(version: int, *, random: bool) -> Network:
    name = f"lite{version}" + ("-random" if random else "")
    about = f"EfficientNet-Lite{version}, " + ("as initialised" if random else "ImageNet")
    family = "random network" if random else "ImageNet network"
    return Network(
        name,
        family,
        lambda: networks.lite(version, pretrained=not random),
        LITE,
        about=about,
    )


def _small(name: str, kind: str, source: tuple[str, str] | None, about: str) -> Network:
    makers = {
        "cnn": networks.convolutional,
        "mlp": networks.perceptron,
    }
    family = "small network" if source else "random network"
    return Network(name, family, makers[kind], SMALL, source, about)


_ALL: list[Network | Fixed] = [
    Fixed("pixels", "pixels", _plain(_flat), "1024 pixels"),
    Fixed("pixels-8", "pixels", _plain(lambda x: _squares(x, 4)), "means of 8 x 8 squares"),
    Fixed("projections", "pixels", _plain(_projections), "means of rows and of columns"),
    Fixed("frequencies", "pixels", _plain(_frequencies), "36 lowest of a cosine transform"),
    Fixed("gradients", "pixels", _plain(_gradients), "gradients in 8 directions in 16 squares"),
    Fixed("pca-8", "fitted", _pca(8), "8 principal components of the training images"),
    Fixed("pca-32", "fitted", _pca(32), "32 principal components"),
    Fixed("pca-128", "fitted", _pca(128), "128 principal components"),
    Fixed("centres", "fitted", _centres, "distances to 40 centres of k-means"),
    Fixed("random-fourier", "random features", _random("fourier"), "256 random cosines"),
    Fixed("random-relu", "random features", _random("relu"), "256 random rectified projections"),
    _small("cnn-random", "cnn", None, "small convolutional network, as initialised"),
    _small("cnn-digits", "cnn", ("digits", "plain"), "trained on digits of the set digits"),
    _small("cnn-mnist", "cnn", ("mnist", "plain"), "trained on digits of the set mnist"),
    _small("cnn-mnist-turns", "cnn", ("mnist", "rotated"), "trained on rotations of mnist"),
    _small("cnn-digits-turns", "cnn", ("digits", "rotated"), "trained on rotations of digits"),
    _small("mlp-random", "mlp", None, "network without convolutions, as initialised"),
    _small("mlp-digits", "mlp", ("digits", "plain"), "without convolutions, trained on digits"),
    _small("mlp-mnist", "mlp", ("mnist", "plain"), "without convolutions, trained on mnist"),
    _lite(0, random=False),
    _lite(1, random=False),
    _lite(2, random=False),
    _lite(0, random=True),
    _lite(1, random=True),
    _lite(2, random=True),
]
ENCODERS = {one.name: one for one in _ALL}
