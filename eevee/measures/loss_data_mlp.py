"""`MLPProbe`: small networks for all sizes and seeds of a curve, trained as batched programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray
from eevee.base.errors import EeveeError
from eevee.measures.loss_data_probes import Draw

if TYPE_CHECKING:
    import torch

Float32 = npt.NDArray[np.float32]
ROWS = 1024
"""Validation samples of each network that are evaluated at once."""
PADDING = 2
"""On a CPU, networks are trained at once whose batches differ by at most this factor: those of
small batches are padded, and arithmetic takes most of the time."""


@dataclass(frozen=True)
class MLPProbe:
    """A network with ReLU, trained by Adam for as many steps at every size.

    Attributes
    ----------
    hidden : tuple of int
        Widths of the hidden layers; the paper's are 512 and 512.
    learning_rate : float
    n_steps : int
    batch_size : int
        Samples of a step, without replacement; all of them where they are fewer.
    device : str
        Of torch: "cpu", "cuda".

    Notes
    -----
    A network's weights and batches depend on its seed and size alone, and not on which others are
    trained with it; the products of matrices may round differently.

    Examples
    --------
    >>> from eevee.measures.loss_data_probes import loss_data_curve
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> probe = MLPProbe(hidden=(16,), learning_rate=0.01, n_steps=50)
    >>> curve = loss_data_curve(rows, rows[:, 0] > 0, probe, sizes=[5, 150])
    >>> bool(curve.mean[1] < curve.mean[0])
    True
    """

    hidden: tuple[int, ...] = (512, 512)
    learning_rate: float = 1e-4
    n_steps: int = 4000
    batch_size: int = 256
    device: str = "cpu"

    def losses(self, draws: Sequence[Draw], sizes: Sequence[int], n_classes: int) -> FloatArray:
        """Return mean validation losses in nats, shape (n_sizes, n_seeds)."""
        self._check()
        networks = [_Network(draw, size, self.batch_size) for size in sizes for draw in draws]
        padding = PADDING if self.device == "cpu" else math.inf
        found = [
            _Program(self, part, draws, n_classes).losses() for part in _alike(networks, padding)
        ]
        return np.concatenate(found).reshape(len(sizes), len(draws))

    def _check(self) -> None:
        widths = self.hidden if isinstance(self.hidden, Sequence) else (0,)
        counts = [*widths, self.n_steps, self.batch_size]
        if not all(isinstance(one, Integral) and one >= 1 for one in counts):
            raise EeveeError(
                "probe: widths, steps and batch size must be whole numbers above 0, widths in a "
                f"tuple; got {self.hidden}, {self.n_steps}, {self.batch_size}"
            )
        if not 0 < self.learning_rate < math.inf:
            raise EeveeError(f"probe: learning_rate must be above 0, not {self.learning_rate}")


class _Network:
    """One of the networks: its weights at the start, and its batches."""

    def __init__(self, draw: Draw, size: int, batch_size: int) -> None:
        self.draw, self.size = draw, size
        self.batch = min(size, batch_size)
        self.rng = np.random.default_rng([draw.seed, size])

    def start(self, widths: Sequence[int]) -> list[tuple[Float32, Float32]]:
        """Return weights and biases, uniform within one over the root of the inputs."""
        found = []
        for n_in, n_out in pairwise(widths):
            edge = n_in**-0.5
            shapes = ((n_in, n_out), (1, n_out))
            weights, biases = (self.rng.uniform(-edge, edge, size=one) for one in shapes)
            found.append((weights.astype(np.float32), biases.astype(np.float32)))
        return found

    def batches(self) -> Iterator[IntArray]:
        """Give rows of each step; an epoch ends where fewer than a batch are left."""
        while True:
            order = self.rng.permutation(self.size)
            for first in range(0, self.size - self.batch + 1, self.batch):
                yield order[first : first + self.batch]


def _alike(networks: list[_Network], padding: float) -> Iterator[list[_Network]]:
    """Give networks, in order of their size, in parts of similar batches."""
    part: list[_Network] = []
    for network in networks:
        if part and network.batch > padding * part[0].batch:
            yield part
            part = []
        part.append(network)
    yield part


class _Program:
    """Networks as one: a leading dimension for them in every tensor."""

    def __init__(
        self, probe: MLPProbe, networks: list[_Network], draws: Sequence[Draw], n_classes: int
    ) -> None:
        self.torch = _torch(probe.device)
        self.probe, self.networks, self.device = probe, networks, probe.device
        widths = [draws[0].train.shape[1], *probe.hidden, n_classes]
        starts = [network.start(widths) for network in networks]
        self.layers = [
            tuple(
                self._tensor(np.stack(part)).requires_grad_() for part in zip(*layer, strict=True)
            )
            for layer in zip(*starts, strict=True)
        ]
        place = {id(draw): i for i, draw in enumerate(draws)}
        self.seeds = [place[id(network.draw)] for network in networks]
        rows = [draw.train.astype(np.float32) for draw in draws]
        self.rows = self._tensor(np.concatenate(rows))
        labels = np.concatenate([draw.train_labels for draw in draws])
        self.labels = self.torch.as_tensor(labels, device=self.device)
        self.offsets = np.array(self.seeds) * len(draws[0].train)
        self.draws = draws

    def _tensor(self, values: FloatArray | Float32) -> torch.Tensor:
        ops = self.torch
        found: torch.Tensor = ops.as_tensor(values, dtype=ops.float32, device=self.device)
        return found

    def losses(self) -> FloatArray:
        """Train all networks, and return the mean validation loss of each."""
        self._train()
        validation = self._tensor(np.stack([draw.validation for draw in self.draws]))
        wanted = np.stack([draw.validation_labels for draw in self.draws])
        labels = self.torch.as_tensor(wanted, device=self.device)
        total = np.zeros(len(self.networks))
        n = validation.shape[1]
        with self.torch.no_grad():
            for first in range(0, n, ROWS):
                part = slice(first, first + ROWS)
                logs = self._log_probs(validation[self.seeds, part])
                own = logs.gather(2, labels[self.seeds, part, None])
                total -= own.double().sum(dim=(1, 2)).cpu().numpy()
        return total / n

    def _train(self) -> None:
        parameters = [part for layer in self.layers for part in layer]
        step = self._adam(parameters)
        streams = [network.batches() for network in self.networks]
        sizes = np.array([network.batch for network in self.networks])
        places = np.zeros((len(streams), int(sizes.max())), dtype=np.int64)
        counted = np.arange(places.shape[1]) < sizes[:, None]
        weights = self._tensor(counted / sizes[:, None])
        for _ in range(self.probe.n_steps):
            for own, size, stream in zip(places, sizes, streams, strict=True):
                own[:size] = next(stream)
            at = self.torch.as_tensor(places + self.offsets[:, None], device=self.device)
            logs = self._log_probs(self.rows[at])
            own_logs = logs.gather(2, self.labels[at].unsqueeze(2)).squeeze(2)
            step(self.torch.autograd.grad(-(own_logs * weights).sum(), parameters))

    def _adam(self, parameters: list[torch.Tensor]) -> Callable[[tuple[torch.Tensor, ...]], None]:
        """Return a function that takes a step.

        The kernel under `torch.optim.Adam(fused=True)`: importing the optimizer takes seconds.
        """
        ops = self.torch
        moments = [[ops.zeros_like(one) for one in parameters] for _ in range(2)]
        counts = [ops.zeros((), device=self.device) for _ in parameters]
        rate = self.probe.learning_rate

        def step(gradients: tuple[torch.Tensor, ...]) -> None:
            with ops.no_grad():
                ops._foreach_add_(counts, 1)
                ops._fused_adam_(
                    parameters,
                    list(gradients),
                    *moments,
                    [],
                    counts,
                    lr=rate,
                    beta1=0.9,
                    beta2=0.999,
                    weight_decay=0.0,
                    eps=1e-8,
                    amsgrad=False,
                    maximize=False,
                )

        return step

    def _log_probs(self, rows: torch.Tensor) -> torch.Tensor:
        """Log-probabilities of classes, (networks, rows, classes)."""
        for i, (weights, biases) in enumerate(self.layers):
            rows = rows.relu() if i else rows
            rows = rows.matmul(weights) + biases
        logs: torch.Tensor = rows.log_softmax(dim=2)
        return logs


def _torch(device: str) -> Any:
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        line = str(error).splitlines()[0]
        raise EeveeError(f"device: {device!r} cannot be used: {line}") from None
    return torch
