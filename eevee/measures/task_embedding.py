"""Task2Vec: the Fisher information of each filter of a probe network, as a vector of a task."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from eevee.base.arrays import FloatArray, IntArray, as_array
from eevee.base.errors import EeveeError
from eevee.measures import fisher
from eevee.measures.fisher import HeadFit, balanced_batches

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

_ROWS = 256
"""Inputs whose features are computed at once."""


def task2vec(
    network: nn.Module,
    inputs: npt.ArrayLike | Tensor,
    labels: npt.ArrayLike,
    *,
    head: str | None = None,
    method: Literal["exact", "montecarlo", "reference"] = "exact",
    n_draws: int = 10,
    fit: HeadFit | None = None,
    seed: int = 0,
) -> FloatArray:
    """Return the Task2Vec embedding of a task: Fisher information, averaged over each filter.

    Parameters
    ----------
    network : torch module
        The probe, used in evaluation mode. It is copied, and stays as it is.
    inputs : array or tensor, shape (n_samples, ...)
    labels : array, shape (n_samples,)
        Whole numbers or text.
    head : str, optional
        Name of the linear layer that a new one for these labels replaces; by default the last.
    method : {"exact", "montecarlo", "reference"}
        Sum over all classes, weighted by their probabilities; the mean over `n_draws` classes per
        sample; or, as the released code, squares of the mean gradient of batches of `fit`'s size:
        smaller by that size.
    n_draws : int
    fit : HeadFit, optional
    seed : int
        Of the new head's weights, of batches and draws.

    Returns
    -------
    array, shape (n_filters,)
        A number per row (output channel) of each ``weight`` outside the head; biases and other
        parameters are left out.

    Raises
    ------
    EeveeError
        If the head is no linear layer, inputs and labels do not match, the network fails on them,
        or the embedding is not finite.

    Notes
    -----
    Achille et al., "Task2Vec", 2019. F = E_x E_{y ~ p(y | x)} (d log p(y | x) / dw)^2 with the
    network's own labels, not those of the task, in 64-bit numbers. `task2vec_distances` compares
    embeddings.

    Examples
    --------
    >>> import torch
    >>> _ = torch.manual_seed(0)
    >>> probe = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 5))
    >>> rows = np.random.default_rng(0).normal(size=(30, 2))
    >>> task2vec(probe, rows, rows[:, 0] > 0, fit=HeadFit(epochs=1)).shape
    (8,)
    """
    import torch

    codes, n_classes = _codes(labels)
    if not isinstance(network, torch.nn.Module):
        raise EeveeError(f"task2vec: the network must be a torch module, not {type(network)}")
    made = copy.deepcopy(network).double().cpu().eval()
    given = _inputs(inputs, len(codes))
    generator = torch.Generator().manual_seed(seed)
    name = _last_linear(made) if head is None else head
    settings = fit or HeadFit()
    _fit_head(made, name, given, codes, n_classes, settings, generator)
    made.requires_grad_(False)
    if method != "reference":
        _check_rows_are_independent(made)
    weights = _weights(made, name)
    if method == "exact":
        squares = fisher.exact(made, weights, given)
    elif method == "montecarlo":
        squares = fisher.drawn(made, weights, given, n_draws, generator)
    elif method == "reference":
        squares = fisher.of_batches(made, weights, given, codes, settings, generator)
    else:
        raise EeveeError(f"method must be exact, montecarlo or reference, not {method!r}")
    per_filter = [one.flatten(1).mean(dim=1) if one.ndim > 1 else one for one in squares]
    found = np.asarray(torch.cat(per_filter).numpy())
    if not np.isfinite(found).all():
        raise EeveeError("task2vec: the embedding is not finite; lower the head's learning rate")
    return found


def _normalises_by_batch(network: nn.Module) -> str | None:
    """Return the name of a layer whose output for a sample depends on the others."""
    from torch.nn.modules.batchnorm import _BatchNorm

    for name, one in network.named_modules():
        if isinstance(one, _BatchNorm) and not one.track_running_stats:
            return str(name)
    return None


def _check_rows_are_independent(network: nn.Module) -> None:
    name = _normalises_by_batch(network)
    if name is not None:
        raise EeveeError(
            f"task2vec: {name!r} normalises by the batch, so that no sample has probabilities "
            "of its own; give it running statistics, or method='reference'"
        )


def _inputs(values: npt.ArrayLike | Tensor, n_rows: int) -> Tensor:
    import torch

    if not isinstance(values, torch.Tensor):
        array = as_array(values, "task2vec: inputs")
        if array.dtype.kind not in "biuf":
            raise EeveeError(f"task2vec: inputs must be numbers, not {array.dtype}")
        values = torch.as_tensor(array)
    if values.ndim < 2 or len(values) != n_rows:
        raise EeveeError(
            f"task2vec: inputs of shape {tuple(values.shape)}, but {n_rows} labels; give a row of "
            "inputs per label"
        )
    given = values.detach().cpu()
    return given.double() if given.is_floating_point() else given


def _codes(labels: npt.ArrayLike) -> tuple[IntArray, int]:
    array = as_array(labels, "task2vec: labels")
    if array.ndim != 1 or array.dtype.kind not in "biuUS":
        raise EeveeError("task2vec: labels must be whole numbers or text, one per input")
    names, codes = np.unique(array, return_inverse=True)
    if len(names) < 2:
        raise EeveeError(f"task2vec: {len(names)} classes; at least two are needed")
    return codes.astype(np.int64), len(names)


def _last_linear(network: nn.Module) -> str:
    from torch import nn

    names = [name for name, one in network.named_modules() if isinstance(one, nn.Linear) and name]
    if not names:
        raise EeveeError("task2vec: the network has no linear layer inside it that can be its head")
    return str(names[-1])


def _fit_head(
    network: nn.Module,
    name: str,
    inputs: Tensor,
    codes: IntArray,
    n_classes: int,
    settings: HeadFit,
    generator: torch.Generator,
) -> None:
    """Put a new head into the network, fitted to the features before it."""
    import torch
    from torch import nn

    modules = dict(network.named_modules())
    old = modules.get(name)
    if not isinstance(old, nn.Linear) or not name:
        raise EeveeError(f"task2vec: head {name!r} is no linear layer inside the network")
    features = _features(network, old, inputs)
    new = nn.Linear(old.in_features, n_classes, dtype=torch.float64)
    batches = balanced_batches(codes, settings, generator)
    values = torch.empty(n_classes, old.in_features + 1, dtype=torch.float64)
    values.uniform_(-1, 1, generator=generator).mul_(old.in_features**-0.5)
    _adam(values, features, torch.eye(n_classes, dtype=torch.float64)[codes], batches, settings)
    with torch.no_grad():
        new.weight.copy_(values[:, :-1])
        new.bias.copy_(values[:, -1])
    parent, _, leaf = name.rpartition(".")
    setattr(modules[parent], leaf, new)


def _adam(
    values: Tensor,
    features: Tensor,
    targets: Tensor,
    batches: Iterator[Tensor],
    settings: HeadFit,
) -> None:
    """Fit weights and biases in place, by Adam with its usual moments.

    Not that of `torch.optim`, whose first use takes seconds.
    """
    import torch

    rows = torch.cat([features, torch.ones(len(features), 1, dtype=features.dtype)], dim=1)
    first, second = torch.zeros_like(values), torch.zeros_like(values)
    for step, batch in enumerate(batches, 1):
        chosen = rows[batch]
        errors = (chosen @ values.T).softmax(-1).sub_(targets[batch]).div_(len(batch))
        slope = (errors.T @ chosen).add_(values, alpha=settings.weight_decay)
        first.lerp_(slope, 0.1)
        second.lerp_(slope.square_(), 0.001)
        size = (second / (1 - 0.999**step)).sqrt_().add_(1e-8)
        values.addcdiv_(first, size, value=-settings.learning_rate / (1 - 0.9**step))


def _features(network: nn.Module, head: nn.Module, inputs: Tensor) -> Tensor:
    """What comes into the head; of parts of the inputs, unless rows are normalised together."""
    import torch

    seen: list[Tensor] = []
    handle = head.register_forward_pre_hook(lambda _, given: seen.append(given[0].detach()))
    size = _ROWS if _normalises_by_batch(network) is None else len(inputs)
    parts = [inputs[first : first + size] for first in range(0, len(inputs), size)]
    try:
        with torch.no_grad():
            returned = [len(network(part)) for part in parts]
    except Exception as error:  # whatever a module raises
        line = (str(error).splitlines() or [""])[0]
        raise EeveeError(f"task2vec: the network failed on the inputs: {line}") from None
    finally:
        handle.remove()
    rows = [len(one) if one.ndim == 2 else -1 for one in seen]
    if rows != [len(part) for part in parts] or rows != returned:
        raise EeveeError("task2vec: the head must be called once, on one row of features per input")
    found = torch.cat(seen)
    if not torch.isfinite(found).all():
        raise EeveeError("task2vec: features before the head are not finite; rescale the inputs")
    return found


def _weights(network: nn.Module, head: str) -> dict[str, Tensor]:
    """Weights outside the head, by name."""
    found = {
        name: one.detach()
        for name, one in network.named_parameters()
        if name.rpartition(".")[2] == "weight" and name.rpartition(".")[0] != head
    }
    if not found:
        raise EeveeError("task2vec: the network has no weights but those of its head")
    return found
