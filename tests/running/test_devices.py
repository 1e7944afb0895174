"""Which GPUs commands get, what a machine is called, and the energy that its driver counts."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from eevee.base.errors import EeveeError
from eevee.running.devices import (
    Gpu,
    ask_nvidia_smi,
    make_slots,
    processor,
    read_jobs,
    visible_gpus,
)
from eevee.running.duration import read_duration
from eevee.running.energy import EnergyMeter
from eevee.running.runner import RunSettings, run_plan, standing_of
from tests.running.conftest import WRITE, planned, ran

TWO = [Gpu("0", "NVIDIA A100", "0", True, "GPU-8f"), Gpu("1", "NVIDIA H100", "1", True, "GPU-9a")]
SAME = [Gpu("0", "NVIDIA A100", "0", True), Gpu("1", "NVIDIA A100", "1", True)]


def seen(environment: dict[str, str], there: list[Gpu] = TWO) -> list[tuple[str, str, str | None]]:
    gpus = visible_gpus(environment, lambda: there)
    return [(gpu.device, gpu.name, gpu.nvml) for gpu in gpus]


def test_without_a_mask_all_gpus_are_visible_counted_as_nvidia_smi_does():
    slots = make_slots(None, visible_gpus({}, lambda: TWO))
    assert [slot.hardware for slot in slots] == ["NVIDIA A100", "NVIDIA H100"]
    assert [dict(slot.environment) for slot in slots] == [
        {"CUDA_VISIBLE_DEVICES": i, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"} for i in "01"
    ]


@pytest.mark.parametrize("mask", ["", "-1", " "])
def test_an_empty_mask_hides_all(mask: str):
    assert seen({"CUDA_VISIBLE_DEVICES": mask}) == []


def test_a_mask_is_kept_and_what_it_means_is_not_guessed():
    # CUDA counts the fastest first, so that 0 may be either.
    unknown = [(i, f"GPU {i} (type unknown)", None) for i in "10"]
    assert seen({"CUDA_VISIBLE_DEVICES": "1,0"}) == unknown
    by_bus = {"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    assert seen(by_bus) == [("1", "NVIDIA H100", "1")]
    assert seen({"CUDA_VISIBLE_DEVICES": "1"}, SAME) == [("1", "NVIDIA A100", None)]
    assert seen({"CUDA_VISIBLE_DEVICES": "GPU-9,-1,0"}) == [("GPU-9", "NVIDIA H100", "1")]
    part = "MIG-1/2"
    assert seen({"CUDA_VISIBLE_DEVICES": part}) == [(part, f"GPU {part} (type unknown)", None)]


def test_nvidia_smi_is_asked_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    program = tmp_path / "nvidia-smi"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    program.write_text("#!/bin/sh\necho '0, GPU-8f, NVIDIA A100'; echo '1, GPU-9a, NVIDIA H100'\n")
    program.chmod(0o755)
    assert ask_nvidia_smi() == TWO
    program.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed'; exit 9\n")
    assert ask_nvidia_smi() == []
    program.unlink()
    assert ask_nvidia_smi() == []


def test_more_commands_than_gpus_share_them_without_energy_of_their_own():
    slots = make_slots(3, SAME)
    assert [slot.environment["CUDA_VISIBLE_DEVICES"] for slot in slots] == ["0", "1", "0"]
    assert {slot.nvml for slot in slots} == {None}
    assert [slot.nvml for slot in make_slots(1, SAME)] == ["0"]


def test_without_gpus_commands_run_one_at_a_time_unless_asked():
    assert [dict(slot.environment) for slot in make_slots(None, [])] == [{}]
    assert len(make_slots(4, [])) == 4
    assert make_slots(1, [])[0].hardware == processor() != ""
    assert make_slots(1, SAME, hardware="node 7")[0].hardware == "node 7"


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5", ""])
def test_jobs_and_times_that_are_none_are_refused(text: str):
    with pytest.raises(EeveeError, match="not"):
        read_jobs(text)
    if text != "1.5":
        with pytest.raises(EeveeError, match="not"):
            read_duration(text)


# --- energy: no GPU here, so that the driver's package is stood in for ---------------------------


class _NoEnergyError(Exception):
    pass


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """A package with the functions of nvidia-ml-py, whose counters (mJ) tests may set."""
    counters = {"0": 1_000_000, "GPU-8f": 5}

    def energy(handle: str) -> int:
        if handle not in counters:
            raise _NoEnergyError
        counters[handle] += 2_500
        return counters[handle]

    package = SimpleNamespace(
        NVMLError=_NoEnergyError,
        nvmlInit=lambda: None,
        nvmlDeviceGetHandleByIndex=str,
        nvmlDeviceGetHandleByUUID=str,
        nvmlDeviceGetTotalEnergyConsumption=energy,
    )
    monkeypatch.setitem(sys.modules, "pynvml", package)
    return counters


def test_energy_is_in_joules(nvml: dict[str, int]):
    assert EnergyMeter().joules("0") == 1002.5
    assert EnergyMeter().joules("GPU-8f") == 2.505


def test_energy_that_nobody_counts_is_unknown(
    nvml: dict[str, int], monkeypatch: pytest.MonkeyPatch
):
    assert EnergyMeter().joules("7") is None
    assert EnergyMeter().joules(None) is None
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert EnergyMeter().joules("0") is None


def test_the_energy_of_a_command_is_what_its_gpu_took(here: Path, nvml: dict[str, int]):
    plan = planned(WRITE)
    run_plan(plan, make_slots(None, SAME), RunSettings(), stop=Event())
    (done,) = standing_of(plan).done
    assert done.record is not None
    assert done.record.energy_joules == 2.5


def test_a_run_without_a_gpu_has_no_energy(here: Path, nvml: dict[str, int]):
    plan = planned(WRITE)
    ran(plan)
    (done,) = standing_of(plan).done
    assert done.record is not None
    assert done.record.energy_joules is None
