"""Where commands run: one at a time per slot, a slot per visible GPU or as many as were asked."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from eevee.base.errors import EeveeError

_ORDER = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
"""The order in which nvidia-smi counts."""
_TIMEOUT = 20


@dataclass(frozen=True)
class Gpu:
    """A GPU: what CUDA_VISIBLE_DEVICES calls it, its name, and the same GPU for NVML.

    `nvml` is None where it is not certain which one that is; `by_bus` says that the device counts
    as nvidia-smi does.
    """

    device: str
    name: str
    nvml: str | None = None
    by_bus: bool = False
    uuid: str = ""


@dataclass(frozen=True)
class Slot:
    """What one command at a time runs on.

    Attributes
    ----------
    name : str
    hardware : str
    environment : mapping
        Set for its commands.
    nvml : str or None
        Index or UUID of a GPU that no other slot uses, for its energy.
    """

    name: str
    hardware: str
    environment: Mapping[str, str]
    nvml: str | None = None


def make_slots(
    jobs: int | None, gpus: Sequence[Gpu], *, hardware: str | None = None
) -> tuple[Slot, ...]:
    """Share GPUs out; without any, slots have the whole machine in common.

    Parameters
    ----------
    jobs : int or None
        How many slots; None for one per GPU, or a single one without GPUs.
    gpus : sequence of Gpu
    hardware : str, optional
        What to call it, in place of what the machine says.

    Examples
    --------
    >>> gpus = [Gpu("0", "A100", "0"), Gpu("1", "A100", "1")]
    >>> [slot.environment["CUDA_VISIBLE_DEVICES"] for slot in make_slots(3, gpus)]
    ['0', '1', '0']
    """
    count = jobs or len(gpus) or 1
    if not gpus:
        cpu = hardware or processor()
        return tuple(Slot(f"{i + 1}", cpu, {}) for i in range(count))
    slots = []
    for i in range(count):
        gpu = gpus[i % len(gpus)]
        alone = count <= len(gpus)
        environment = {"CUDA_VISIBLE_DEVICES": gpu.device, **(_ORDER if gpu.by_bus else {})}
        slots.append(
            Slot(
                f"GPU {gpu.device}", hardware or gpu.name, environment, gpu.nvml if alone else None
            )
        )
    return tuple(slots)


def visible_gpus(
    environment: Mapping[str, str] = os.environ, ask: Callable[[], list[Gpu]] | None = None
) -> list[Gpu]:
    """Return the GPUs that commands may use: those of CUDA_VISIBLE_DEVICES, else all.

    Parameters
    ----------
    environment : mapping
    ask : callable, optional
        Returns all GPUs of the machine; by default as `nvidia-smi` has them.
    """
    there = (ask or ask_nvidia_smi)()
    said = environment.get("CUDA_VISIBLE_DEVICES")
    if said is None:
        return there or _torch_gpus()
    found = []
    for device in (one.strip() for one in said.split(",")):
        if not device or device == "-1":
            break  # CUDA takes none of the rest either
        found.append(_masked(device, there, environment))
    return found


def _masked(device: str, there: Sequence[Gpu], environment: Mapping[str, str]) -> Gpu:
    """Return a GPU of the mask: counted otherwise than nvidia-smi does, it may be any of them."""
    if not device.isdecimal():
        same = [gpu for gpu in there if gpu.uuid.startswith(device)]
    elif environment.get("CUDA_DEVICE_ORDER") == _ORDER["CUDA_DEVICE_ORDER"]:
        same = [gpu for gpu in there if gpu.device == device]
    else:
        same = list(there)
    names = {gpu.name for gpu in same}
    name = names.pop() if len(names) == 1 else f"GPU {device} (type unknown)"
    return Gpu(device, name, same[0].nvml if len(same) == 1 else None)


def ask_nvidia_smi() -> list[Gpu]:
    """Return the GPUs that nvidia-smi lists; none where it is missing or fails."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, "--query-gpu=index,uuid,name", "--format=csv,noheader"]
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_TIMEOUT)
        lines = [line.split(", ", 2) for line in done.stdout.splitlines()]
        return [Gpu(cells[0], cells[2], cells[0], True, cells[1]) for cells in lines if cells[2:]]
    return []


def _torch_gpus() -> list[Gpu]:
    """Ask torch where it is loaded already: loading it takes seconds."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return []
    count = torch.cuda.device_count()
    return [Gpu(str(i), torch.cuda.get_device_name(i)) for i in range(count)]


def processor() -> str:
    """Return the name of this machine's processor."""
    with suppress(OSError):
        said = Path("/proc/cpuinfo").read_text("utf-8", errors="replace")
        found = re.search(r"^model name\s*:\s*(.+)$", said, re.MULTILINE)
        if found:
            return " ".join(found[1].split())
    return platform.processor() or platform.machine() or "unknown"


def read_jobs(text: str) -> int | None:
    """Read a number of commands at a time; None for "auto".

    Examples
    --------
    >>> read_jobs("auto"), read_jobs("4")
    (None, 4)
    """
    if text == "auto":
        return None
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise EeveeError(f"jobs are a number from 1 to 1000, or auto, not {text!r}")
    return int(text)
