"""The notebooks run, and what they show was kept: small, without errors or paths of a machine."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from tests.cli.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_BYTES = 300 * 1024


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.slow
def test_a_notebook_runs_with_small_settings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("nbclient")
    monkeypatch.setenv("EEVEE_QUICK", "1")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(path.parent)}}
    done = client.NotebookClient(notebook, timeout=600, resources=resources).execute()
    for cell in done.cells:
        assert not [out for out in cell.get("outputs", ()) if out.output_type == "error"]


def test_they_are_numbered_and_are_no_fewer_than_three() -> None:
    numbers = [path.stem[:3] for path in NOTEBOOKS]
    assert len(set(numbers)) == len(numbers) >= 3
    assert all(one[:2].isdecimal() and one[2] == "_" for one in numbers)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_a_notebook_shows_is_kept_and_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    cells = [cell for cell in nbformat.reads(text, as_version=4).cells if cell.cell_type == "code"]
    assert len(text) < MOST_BYTES
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    kinds = {out.output_type for cell in cells for out in cell.outputs}
    assert "display_data" in kinds or "execute_result" in kinds
    assert "error" not in kinds
    streams = [out.name for cell in cells for out in cell.outputs if out.output_type == "stream"]
    assert "stderr" not in streams  # warnings are either mended or wanted
    assert str(Path.home()) not in text
    assert str(ROOT) not in text
