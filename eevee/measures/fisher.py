"""The diagonal of a network's Fisher information: exact, by drawn classes, or of batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from eevee.base.arrays import IntArray
from eevee.base.errors import EeveeError

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

_MOST_NUMBERS = 20_000_000
"""Derivatives that are held at once."""


@dataclass(frozen=True)
class HeadFit:
    """How the head is fitted to a task: Adam on batches in which classes are balanced.

    Attributes
    ----------
    epochs, draws, batch_size : int
        Samples are drawn with replacement, `draws` of them per epoch; what is less than a batch in
        the end is left out.
    learning_rate, weight_decay : float
    """

    epochs: int = 10
    draws: int = 10_000
    batch_size: int = 64
    learning_rate: float = 4e-4
    weight_decay: float = 1e-4

    def __post_init__(self) -> None:
        """Refuse settings with which no batch is drawn, or no step taken."""
        counts = (self.epochs, self.draws, self.batch_size)
        if not all(isinstance(one, Integral) and one >= 1 for one in counts):
            raise EeveeError(f"HeadFit: epochs, draws and batch_size are counts, not {counts}")
        if self.draws < self.batch_size:
            raise EeveeError(
                f"HeadFit: {self.draws} draws make no batch of {self.batch_size}; give more draws"
            )
        if not (0 < self.learning_rate < math.inf and 0 <= self.weight_decay < math.inf):
            raise EeveeError(
                "HeadFit: learning_rate must be above 0 and weight_decay 0 or more, not "
                f"{self.learning_rate} and {self.weight_decay}"
            )


def balanced_batches(
    codes: IntArray, settings: HeadFit, generator: torch.Generator, epochs: int | None = None
) -> Iterator[Tensor]:
    """Rows of whole batches, drawn with replacement, all classes equally often."""
    import torch

    weights = torch.as_tensor(1 / np.bincount(codes)[codes])
    size = settings.batch_size
    for _ in range(settings.epochs if epochs is None else epochs):
        rows = torch.multinomial(weights, settings.draws, replacement=True, generator=generator)
        for start in range(0, settings.draws - size + 1, size):
            yield rows[start : start + size]


def exact(network: nn.Module, weights: dict[str, Tensor], inputs: Tensor) -> list[Tensor]:
    """Sum over classes of p times the squared derivative of log p, averaged over inputs."""
    import torch

    def squares(rows: Tensor) -> list[Tensor]:
        logs, slopes = _slopes(network, weights, rows)
        return [torch.einsum("nk,nk...->...", logs.exp(), one.square()) for one in slopes.values()]

    return _mean_over(inputs, squares, _rows_at_once(network, weights, inputs))


def drawn(
    network: nn.Module,
    weights: dict[str, Tensor],
    inputs: Tensor,
    n_draws: int,
    generator: torch.Generator,
) -> list[Tensor]:
    """Likewise, of classes that are drawn from p."""
    import torch

    if not (isinstance(n_draws, Integral) and n_draws >= 1):
        raise EeveeError(f"n_draws must be 1 or more, got {n_draws}")

    def squares(rows: Tensor) -> list[Tensor]:
        logs, slopes = _slopes(network, weights, rows)
        classes = torch.multinomial(logs.exp(), n_draws, replacement=True, generator=generator)
        counts = torch.zeros_like(logs).scatter_add_(1, classes, torch.ones_like(classes.double()))
        return [
            torch.einsum("nk,nk...->...", counts / n_draws, one.square()) for one in slopes.values()
        ]

    return _mean_over(inputs, squares, _rows_at_once(network, weights, inputs))


def of_batches(
    network: nn.Module,
    weights: dict[str, Tensor],
    inputs: Tensor,
    codes: IntArray,
    settings: HeadFit,
    generator: torch.Generator,
) -> list[Tensor]:
    """Squares of the mean gradient of a batch, averaged over the batches of an epoch."""
    import torch
    from torch.func import functional_call
    from torch.nn.functional import cross_entropy

    leaves = {name: one.clone().requires_grad_() for name, one in weights.items()}
    sums = [torch.zeros_like(one) for one in leaves.values()]
    n = 0
    for rows in balanced_batches(codes, settings, generator, epochs=1):
        logits = functional_call(network, leaves, (inputs[rows],))
        classes = torch.multinomial(logits.detach().softmax(-1), 1, generator=generator)[:, 0]
        slopes = torch.autograd.grad(cross_entropy(logits, classes), list(leaves.values()))
        sums = [total + slope.square() for total, slope in zip(sums, slopes, strict=True)]
        n += 1
    return [one / n for one in sums]


def _slopes(
    network: nn.Module, weights: dict[str, Tensor], rows: Tensor
) -> tuple[Tensor, dict[str, Tensor]]:
    """Log-probabilities, (n, k), and their derivatives by each weight, (n, k, ...)."""
    from torch.func import functional_call, jacrev, vmap

    def logs(given: dict[str, Tensor], row: Tensor) -> tuple[Tensor, Tensor]:
        made = functional_call(network, given, (row[None],))[0].log_softmax(-1)
        return made, made

    try:
        slopes, values = vmap(jacrev(logs, has_aux=True), (None, 0))(weights, rows)
    except RuntimeError:  # a module that vmap does not know
        return _slopes_one_by_one(logs, weights, rows)
    return values.detach(), {name: one.detach() for name, one in slopes.items()}


def _slopes_one_by_one(
    logs: Callable[[dict[str, Tensor], Tensor], tuple[Tensor, Tensor]],
    weights: dict[str, Tensor],
    rows: Tensor,
) -> tuple[Tensor, dict[str, Tensor]]:
    import torch

    leaves = {name: one.clone().requires_grad_() for name, one in weights.items()}
    values: list[Tensor] = []
    found: dict[str, list[Tensor]] = {name: [] for name in leaves}
    for row in rows:
        made, _ = logs(leaves, row)
        parts = [torch.autograd.grad(one, list(leaves.values()), retain_graph=True) for one in made]
        for i, name in enumerate(found):
            found[name].append(torch.stack([part[i] for part in parts]))
        values.append(made.detach())
    return torch.stack(values), {name: torch.stack(one) for name, one in found.items()}


def _rows_at_once(network: nn.Module, weights: dict[str, Tensor], inputs: Tensor) -> int:
    """As many as keep derivatives by weights, and by what modules return, below the limit."""
    sizes = [int(one.numel()) for one in weights.values()]
    n_classes, values = numbers_of(network, inputs[:1])
    return max(1, _MOST_NUMBERS // (n_classes * (sum(sizes) + values)))


def numbers_of(network: nn.Module, row: Tensor) -> tuple[int, int]:
    """Return how many classes a network has, and how many numbers its modules return of a row."""
    import torch

    found: list[int] = []

    def count(_: nn.Module, __: object, made: object) -> None:
        if isinstance(made, torch.Tensor):
            found.append(made.numel())

    handles = [one.register_forward_hook(count) for one in network.modules()]
    with torch.no_grad():
        n_classes = int(network(row).shape[-1])
    for handle in handles:
        handle.remove()
    return n_classes, sum(found)


def _mean_over(
    inputs: Tensor, squares: Callable[[Tensor], list[Tensor]], size: int
) -> list[Tensor]:
    totals: list[Tensor] = []
    for start in range(0, len(inputs), size):
        part = squares(inputs[start : start + size])
        totals = part if not totals else [a + b for a, b in zip(totals, part, strict=True)]
    return [one / len(inputs) for one in totals]
