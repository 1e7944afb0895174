"""The energy that a GPU has taken, as its driver counts it (NVML)."""

from __future__ import annotations

from typing import Any


class EnergyMeter:
    """Reads the counters of GPUs; knows nothing where NVML or `nvidia-ml-py` is missing.

    Examples
    --------
    >>> EnergyMeter().joules(None) is None
    True
    """

    def __init__(self) -> None:
        self._nvml: Any = None
        try:
            import pynvml

            pynvml.nvmlInit()
            self._nvml = pynvml
        except Exception:  # no package, no driver, no permission: any of its own errors
            return

    def joules(self, gpu: str | None) -> float | None:
        """Return what a GPU has taken since its driver was loaded, None if unknown.

        Parameters
        ----------
        gpu : str or None
            Index, or UUID. GPUs before the Volta generation, and parts of a GPU, do not count.
        """
        if self._nvml is None or gpu is None:
            return None
        try:
            handle = (
                self._nvml.nvmlDeviceGetHandleByIndex(int(gpu))
                if gpu.isdecimal()
                else self._nvml.nvmlDeviceGetHandleByUUID(gpu)
            )
            return float(self._nvml.nvmlDeviceGetTotalEnergyConsumption(handle)) / 1000
        except self._nvml.NVMLError:
            return None
