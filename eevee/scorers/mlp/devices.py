"""Where networks train: the device, and its precision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from eevee.base.errors import EeveeError


@contextmanager
def full_precision(device: torch.device) -> Iterator[None]:
    """Keep CUDA from rounding products to TF32, whatever the user has set."""
    if device.type != "cuda":
        yield
        return
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def find_device(name: str) -> torch.device:
    """Resolve "auto"; refuse a device that is not there."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise EeveeError(f"device {name!r} is not one of auto, cpu, cuda, cuda:N") from error
    if device.type not in ("cpu", "cuda"):
        raise EeveeError(f"device {name!r} is not one of auto, cpu, cuda, cuda:N")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise EeveeError(f"device {name!r}: this machine (or this build of torch) has no CUDA")
    return device
