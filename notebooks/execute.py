"""Execute the notebooks and keep what they show: ``python notebooks/execute.py [NAME ...]``.

The numbers depend on the machine in their last digits; images are kept at a low resolution, so that
a notebook stays below 300 KB.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def execute(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of all its cells; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(HERE)}}
    return NotebookClient(notebook, timeout=1200, resources=resources).execute()


def main() -> None:
    """Execute in place, without the times of execution."""
    for path in sorted(HERE.glob("*.ipynb")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        notebook = execute(path)
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(notebook, path)


if __name__ == "__main__":
    main()
