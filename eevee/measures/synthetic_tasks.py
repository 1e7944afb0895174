"""Few-shot benchmarks of Gaussian classes, with a diversity that is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.measures.gaussian_distance import hellinger_diversity

if TYPE_CHECKING:
    from torch import nn

_CLASSES, _PROBE = 4, 5
"""Numbers of child seeds."""


class Task(NamedTuple):
    """A classification task.

    Attributes
    ----------
    inputs : array, shape (n_ways * n_shots, 1)
    labels : int array, shape (n_ways * n_shots,)
        From 0, in order.
    """

    inputs: FloatArray
    labels: IntArray


@dataclass(frozen=True)
class GaussianBenchmark:
    """A benchmark whose classes are Gaussians in one dimension.

    Attributes
    ----------
    mean_sd : float
        Standard deviation of the means of classes, which are around 0.
    sd_mean, sd_sd : float
        Standard deviations of classes are abs(N(sd_mean, sd_sd^2)).
    n_classes : int
    seed : int
        Of the classes.

    Notes
    -----
    Paper on the diversity coefficient, appendix G. Its 100 classes of a split have 1,000 samples
    each; here a class has as many as are drawn.

    Examples
    --------
    >>> made = GaussianBenchmark(mean_sd=3.0)
    >>> task = made.task(np.random.default_rng(0))
    >>> task.inputs.shape, task.labels[::10].tolist(), round(made.hellinger_diversity, 3)
    ((50, 1), [0, 1, 2, 3, 4], 0.574)
    """

    mean_sd: float
    sd_mean: float = 1.0
    sd_sd: float = 0.01
    n_classes: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        given = (self.mean_sd, self.sd_mean, self.sd_sd)
        numbers = all(isinstance(one, Real) and 0 <= one < math.inf for one in given)
        if not numbers or self.sd_mean + self.sd_sd == 0:
            raise EeveeError(
                f"GaussianBenchmark: standard deviations must be 0 or more, not {given}"
            )
        if not (isinstance(self.n_classes, Integral) and self.n_classes >= 2):
            raise EeveeError(f"GaussianBenchmark: {self.n_classes} classes; at least 2 are needed")

    @property
    def hellinger_diversity(self) -> float:
        """Expected squared Hellinger distance of two classes, before any is drawn."""
        return hellinger_diversity(self.mean_sd, self.sd_mean, self.sd_sd)

    @property
    def classes(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations, each of shape (n_classes,)."""
        rng = np.random.default_rng(child_seed(self.seed, _CLASSES))
        means = self.mean_sd * rng.standard_normal(self.n_classes)
        return means, np.abs(self.sd_mean + self.sd_sd * rng.standard_normal(self.n_classes))

    def task(self, rng: np.random.Generator, *, n_ways: int = 5, n_shots: int = 10) -> Task:
        """Draw classes, and samples of each.

        Raises
        ------
        EeveeError
            If there are fewer classes than ways, or fewer than 2 ways or 1 shot.
        """
        whole = isinstance(n_ways, Integral) and isinstance(n_shots, Integral)
        if not (whole and 2 <= n_ways <= self.n_classes and n_shots >= 1):
            raise EeveeError(
                f"a task of {n_ways} ways and {n_shots} shots, of {self.n_classes} classes: "
                "needs whole numbers: 2 ways or more, 1 shot or more, and a class per way"
            )
        chosen = rng.choice(self.n_classes, n_ways, replace=False)
        means, sds = (one[chosen][:, None] for one in self.classes)
        inputs = means + sds * rng.standard_normal((n_ways, n_shots))
        return Task(inputs.reshape(-1, 1), np.repeat(np.arange(n_ways), n_shots))


TABLE_3 = tuple(GaussianBenchmark(sd) for sd in (0.01, 1.0, 3.0, 10.0, 20.0, 30.0, 1000.0))
"""The seven benchmarks of the paper's Table 3, from low to high diversity."""


def random_probe(
    *, n_hidden: int = 128, n_ways: int = 5, batch_norm: bool = False, seed: int = 0
) -> nn.Module:
    """Return a network of one input and two hidden layers with random weights.

    Parameters
    ----------
    n_hidden, n_ways : int
    batch_norm : bool
        The network of the paper (Learn2Learn's OmniglotFC): small weights, and layers that
        normalise by the batch, for which `task2vec` needs ``method="reference"``.
    seed : int

    Raises
    ------
    EeveeError
        If there are no hidden units, or fewer than 2 ways.

    Examples
    --------
    >>> import torch
    >>> random_probe()(torch.zeros(3, 1)).shape
    torch.Size([3, 5])
    """
    import torch
    from torch import nn

    if not (isinstance(n_hidden, Integral) and isinstance(n_ways, Integral)) or (
        n_hidden < 1 or n_ways < 2
    ):
        raise EeveeError(
            f"random_probe: needs 1 hidden unit and 2 ways or more, not {n_hidden} and {n_ways}"
        )
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(child_seed(seed, _PROBE))  # not those of devices
        layers: list[nn.Module] = []
        for n_in in (1, n_hidden):
            linear = nn.Linear(n_in, n_hidden)
            layers.append(linear)
            if batch_norm:
                nn.init.trunc_normal_(linear.weight, std=0.01, a=-0.02, b=0.02)
                nn.init.zeros_(linear.bias)
                layers.append(nn.BatchNorm1d(n_hidden, eps=1e-3, track_running_stats=False))
            layers.append(nn.ReLU())
        return nn.Sequential(*layers, nn.Linear(n_hidden, n_ways))
