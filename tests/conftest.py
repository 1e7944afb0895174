"""One thread and one day for every test, and tables that many of them share."""

from __future__ import annotations

import os
import signal

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings

import eevee

settings.register_profile("busy", deadline=None)  # a machine may be busy, or slow
settings.load_profile("busy")
os.environ["SOURCE_DATE_EPOCH"] = "1700000000"  # runs that are compared may pass midnight


@pytest.fixture(autouse=True, scope="session")
def _heard_ctrl_c() -> None:
    """A shell without job control has what it runs in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    import torch  # here, so that the process that hands tests out to others starts at once

    torch.set_num_threads(1)


@pytest.fixture(autouse=True, scope="session")
def _quick_fonts() -> None:
    """Fonts of figures are embedded as type 3: type 42 takes half of the time of a run folder."""
    from eevee.plots import _style

    _style._RC["pdf.fonttype"] = 3


@pytest.fixture
def blank_figures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave figure files blank: drawing them takes most of the time of a run folder.

    Tests marked `figures` draw them, as those of `tests/plots` and of each verb's example do.
    """
    if request.node.get_closest_marker("figures") is None:
        from eevee.plots import _fit, _style

        monkeypatch.setattr(_fit, "ROUNDS", 0)
        monkeypatch.setattr(_style, "_save", lambda figure, path, kind: path.touch())


def made_table(
    n_models: int = 24, n_benchmarks: int = 9, *, missing: float = 0.0, seed: int = 0
) -> eevee.ResultsTable:
    """Models with two skills, benchmarks that mix them, noise, and gaps."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(n_models, 2))
    mix = rng.normal(size=(2, n_benchmarks))
    values = skills @ mix + 0.3 * rng.normal(size=(n_models, n_benchmarks))
    values[rng.random(values.shape) < missing] = np.nan
    names = [f"b{i:02d}" for i in range(n_benchmarks)]
    frame = pd.DataFrame(values, index=[f"m{i:02d}" for i in range(n_models)], columns=names)
    return eevee.ResultsTable.from_scores(frame)


@pytest.fixture(scope="session")
def table() -> eevee.ResultsTable:
    return made_table()


@pytest.fixture(scope="session")
def gappy_table() -> eevee.ResultsTable:
    return made_table(missing=0.2, seed=1)
