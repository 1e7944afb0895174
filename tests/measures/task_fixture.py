"""Reference numbers of task priors, where they are there."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.measures.conftest import FIXTURES


def reference(name: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    path = FIXTURES / f"{name}.json"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the project")
    arrays = path.with_suffix(".npz")
    if not arrays.exists():
        return {}, json.loads(path.read_text())
    with np.load(arrays, allow_pickle=False) as found:
        return dict(found), json.loads(path.read_text())
