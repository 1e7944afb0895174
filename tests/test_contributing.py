"""The worked examples of CONTRIBUTING.md pass their tests in a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import eevee
from tests.cli.conftest import ROOT

EXAMPLES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Worked examples")[2]
BLOCKS = re.findall(r"^```(python|diff)\n# (\S+)\n(.*?)^```$", EXAMPLES, re.M | re.S)
KINDS = ("reader", "exporter", "scorer", "figure")


def add(folder: Path, language: str, name: str, text: str) -> None:
    """Write a block where its first line says, or change what stands there."""
    path = folder / name
    if language == "python":
        assert not path.exists(), name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    before = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    old, new = ("".join(ln[1:] for ln in lines if ln[0] in kept) for kept in (" -", " +"))
    assert before.count(old) == 1, f"{name}: the lines around the change are no more"
    path.write_text(before.replace(old, new), encoding="utf-8")


def test_there_is_an_example_of_each_kind_with_a_test_of_its_own() -> None:
    for kind in KINDS:
        (part,) = re.findall(rf"^### An? {kind}\n(.*?)(?=^### |\Z)", EXAMPLES, re.M | re.S)
        assert len(re.findall(r"^# eevee/.*\.py$", part, re.M)) >= 1
        assert len(re.findall(r"^# tests/.*\.py$", part, re.M)) == 1
    assert len(BLOCKS) == len(re.findall(r"^```\w", EXAMPLES, re.M))  # none is left out


@pytest.mark.slow
def test_the_examples_pass_their_tests_in_a_copy_of_the_package(tmp_path: Path) -> None:
    shutil.copytree(
        Path(eevee.__file__).parent,
        tmp_path / "eevee",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for block in BLOCKS:
        add(tmp_path, *block)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", "tests"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{EXAMPLES.count('def test_')} passed" in done.stdout
