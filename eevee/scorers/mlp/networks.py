"""Thousands of small networks as one tensor program.

Every network is Linear -> ReLU -> Linear, trained full-batch by AdamW. All of a chunk's networks
(subsets x splits) take each step together, with gradients written out by hand: five batched
matrix products and one fused optimizer call per epoch, no autograd graph.

Two things make a network's result independent of its neighbours in the batch. The rows of every
matrix are zero-padded to a multiple of 16 floats (one cache line), so that each matrix begins on
such a boundary and its product takes the same path through the linear-algebra library wherever it
lies in the batch; and one chunk is computed by one thread. The number of inputs only counts rows
and stays as it is. The biases ride along as the weights of an input, and of a hidden unit, that
is always one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from eevee.base.arrays import BoolArray, FloatArray, IntArray

PAD = 16


@dataclass(frozen=True, eq=False)
class Layers:
    """Weights of every network of a batch.

    Attributes
    ----------
    first : (n_subsets * n_splits, n_inputs, padded hidden)
    second : (n_subsets * n_splits, padded hidden, padded n_outputs)
    constant_unit : int
        The hidden unit that is always one: its outgoing weights are the biases.
    """

    first: Tensor
    second: Tensor
    constant_unit: int


EpochHook = Callable[[Layers], None]
"""Called after each epoch with the weights, which go on changing: copy what you keep."""


def padded(size: int) -> int:
    """Return the next multiple of 16.

    Examples
    --------
    >>> padded(16), padded(17)
    (16, 32)
    """
    return -(-size // PAD) * PAD


@dataclass(frozen=True)
class Training:
    """How each network is trained (the paper's Algorithm 1 by default)."""

    hidden: int = 100
    learning_rate: float = 0.01
    weight_decay: float = 0.01


@dataclass(frozen=True, eq=False)
class Rows:
    """Some models of every split, gathered, standardised and zero-padded.

    Attributes
    ----------
    features : (n_splits, n_features + 2, n_rows)
        Transposed: a feature is one contiguous run of rows. The last two features are the
        constant one (the bias) and zero (the padding).
    targets : (n_splits, n_rows, n_outputs)
    observed : bool, (n_splits, n_rows, n_outputs)
    """

    features: Tensor
    targets: Tensor
    observed: Tensor


def gather_rows(
    features: FloatArray,
    targets: FloatArray,
    observed: BoolArray,
    rows: BoolArray,
    device: torch.device,
) -> Rows:
    """Gather the rows of each split out of all models.

    Parameters
    ----------
    features : shape (n_splits, n_models, n_features)
    targets : shape (n_splits, n_models, n_outputs)
    observed : shape (n_models, n_outputs)
    rows : bool, shape (n_splits, n_models)
    """
    n_splits, _, n_features = features.shape
    n_outputs = targets.shape[2]
    size = padded(int(rows.sum(axis=1).max()))
    x = np.zeros((n_splits, n_features + 2, size), dtype=np.float32)
    y = np.zeros((n_splits, size, padded(n_outputs)), dtype=np.float32)
    seen = np.zeros(y.shape, dtype=np.bool_)
    for split, chosen in enumerate(rows):
        n = int(chosen.sum())
        x[split, :n_features, :n] = features[split, chosen].T
        x[split, n_features, :n] = 1.0
        y[split, :n, :n_outputs] = targets[split, chosen]
        seen[split, :n, :n_outputs] = observed[chosen]
    return Rows(*(torch.from_numpy(part).to(device) for part in (x, y, seen)))


@dataclass(frozen=True, eq=False)
class Batch:
    """Subsets whose networks have one shape: what distinguishes them.

    Attributes
    ----------
    features : int64, shape (n_subsets, n_inputs)
        Positions in `Rows.features`; the zero feature where a subset has fewer.
    scale : float32, shape (n_subsets, n_splits)
        1 / sqrt(number of live inputs), for the initial first layer.
    cell_weights : float32, shape (n_subsets or 1, n_splits, n_outputs)
        Weight of one observed cell of each output in the training loss.
    """

    features: IntArray
    scale: npt.NDArray[np.float32]
    cell_weights: npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class InitialWeights:
    """First layer (n_splits, n_features + 2, hidden), second (n_splits, hidden, n_outputs).

    Padded, with zeros for the two biases; the first is still to be scaled.
    """

    first: Tensor
    second: Tensor

    def take_splits(self, kept: BoolArray) -> InitialWeights:
        """Return the weights of some splits."""
        mask = torch.from_numpy(kept).to(self.first.device)
        return InitialWeights(self.first[mask], self.second[mask])


def initial_weights(
    first: npt.NDArray[np.float32], second: npt.NDArray[np.float32], device: torch.device
) -> InitialWeights:
    """Pad the draws of `keyed_uniform`.

    Parameters
    ----------
    first : shape (n_splits, n_features, hidden)
    second : shape (n_splits, n_outputs, hidden)
    """
    n_splits, n_features, hidden = first.shape
    n_outputs = second.shape[1]
    width = padded(hidden + 1)
    w1 = np.zeros((n_splits, n_features + 2, width), dtype=np.float32)
    w2 = np.zeros((n_splits, width, padded(n_outputs)), dtype=np.float32)
    w1[:, :n_features, :hidden] = first
    w2[:, :hidden, :n_outputs] = second.transpose(0, 2, 1) / np.float32(np.sqrt(hidden))
    return InitialWeights(torch.from_numpy(w1).to(device), torch.from_numpy(w2).to(device))


@torch.no_grad()
def train(
    batch: Batch,
    rows: Rows,
    start: InitialWeights,
    training: Training,
    epochs: int,
    hook: EpochHook | None = None,
) -> Layers:
    """Train every network of a batch for `epochs` full-batch steps."""
    inputs_t = _inputs(batch, rows)
    inputs = inputs_t.transpose(1, 2)
    weights, views = _parameters(batch, start)
    gradients = torch.zeros_like(weights)
    first, second = views(weights)
    first_grad, second_grad = views(gradients)
    step = _adamw(weights, gradients, training)
    cell_weights = torch.from_numpy(2.0 * batch.cell_weights).to(weights.device)
    pull = cell_weights[:, :, None, :] * rows.observed

    hidden = inputs.new_empty(len(first), inputs.shape[1], first.shape[2])
    hidden_grad = torch.empty_like(hidden)
    output = inputs.new_empty(len(first), inputs.shape[1], second.shape[2])
    output_by_split = output.view(len(batch.features), *rows.targets.shape)
    layers = Layers(first, second, training.hidden)
    for _ in range(epochs):
        _hidden(inputs, layers, out=hidden)
        torch.bmm(hidden, second, out=output)
        output_by_split.sub_(rows.targets).mul_(pull)
        torch.bmm(hidden.transpose(1, 2), output, out=second_grad)
        torch.bmm(output, second.transpose(1, 2), out=hidden_grad)
        torch.ops.aten.threshold_backward.grad_input(hidden_grad, hidden, 0, grad_input=hidden_grad)
        torch.bmm(inputs_t, hidden_grad, out=first_grad)
        step()
        if hook is not None:
            hook(layers)
    return layers


@torch.no_grad()
def predict(batch: Batch, rows: Rows, layers: Layers) -> Tensor:
    """Predict the rows of each network's split: (n_subsets, n_splits, n_rows, n_outputs)."""
    inputs = _inputs(batch, rows).transpose(1, 2)
    hidden = inputs.new_empty(len(inputs), inputs.shape[1], layers.first.shape[2])
    _hidden(inputs, layers, out=hidden)
    return torch.bmm(hidden, layers.second).view(len(batch.features), *rows.targets.shape)


def network_bytes(n_rows: int, n_inputs: int, n_outputs: int, hidden: int) -> int:
    """Working memory of one network while it trains; rows and outputs are padded already."""
    width = padded(hidden + 1)
    parameters = n_inputs * width + width * n_outputs
    activations = n_rows * (n_inputs + 2 * width + 2 * n_outputs)
    return 4 * (4 * parameters + activations)


def _inputs(batch: Batch, rows: Rows) -> Tensor:
    """Gather each network's inputs, transposed: (n_subsets * n_splits, n_inputs, n_rows)."""
    chosen = torch.from_numpy(batch.features).to(rows.features.device)
    split = torch.arange(len(rows.features), device=chosen.device)
    return rows.features[split[None, :, None], chosen[:, None, :]].flatten(0, 1)


def _hidden(inputs: Tensor, layers: Layers, *, out: Tensor) -> None:
    torch.bmm(inputs, layers.first, out=out)
    out.relu_()
    out[:, :, layers.constant_unit] = 1.0


def _parameters(
    batch: Batch, start: InitialWeights
) -> tuple[Tensor, Callable[[Tensor], tuple[Tensor, Tensor]]]:
    """Lay all parameters of a chunk out in one flat tensor, so that one optimizer call does."""
    n_subsets, n_inputs = batch.features.shape
    n_splits, width, n_outputs = start.second.shape
    networks = n_subsets * n_splits
    cut = networks * n_inputs * width

    def views(flat: Tensor) -> tuple[Tensor, Tensor]:
        return (
            flat[:cut].view(networks, n_inputs, width),
            flat[cut:].view(networks, width, n_outputs),
        )

    flat = start.first.new_empty(cut + networks * width * n_outputs)
    first, second = views(flat)
    chosen = torch.from_numpy(batch.features).to(flat.device)
    split = torch.arange(n_splits, device=flat.device)
    scale = torch.from_numpy(batch.scale).to(flat.device)[:, :, None, None]
    drawn = start.first[split[None, :, None], chosen[:, None, :]]
    torch.mul(drawn, scale, out=first.view(n_subsets, n_splits, n_inputs, width))
    second.view(n_subsets, n_splits, width, n_outputs).copy_(
        start.second.expand(n_subsets, -1, -1, -1)
    )
    return flat, views


def _adamw(weights: Tensor, gradients: Tensor, training: Training) -> Callable[[], None]:
    """Return a function that takes one AdamW step.

    This is the kernel under `torch.optim.AdamW(fused=True)`, called without the optimizer around
    it, whose bookkeeping costs more per step than a small chunk's update.
    """
    first_moment = torch.zeros_like(weights)
    second_moment = torch.zeros_like(weights)
    count = torch.zeros((), device=weights.device)

    def step() -> None:
        count.add_(1)
        torch._fused_adamw_(
            [weights],
            [gradients],
            [first_moment],
            [second_moment],
            [],
            [count],
            lr=training.learning_rate,
            beta1=0.9,
            beta2=0.999,
            weight_decay=training.weight_decay,
            eps=1e-8,
            amsgrad=False,
            maximize=False,
        )

    return step
