"""Start the command line in a process of its own, forked from one that has imported everything.

Its searches are small, and it draws no figures: those take most of the time of a run.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.process import BaseProcess
from pathlib import Path

import sklearn.linear_model  # noqa: F401
import torch

import eevee.cli
import eevee.report.searches
import eevee.scorers
import eevee.tiers.build
from eevee.search.evolution import evolve, generations
from tests.cli.conftest import Small


class Forked:
    """A run of ``eevee ARGS`` in a folder; what it prints goes to files beside the folder."""

    def __init__(self, *args: str, cwd: Path) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self._shown = [
            cwd.with_name(f"{cwd.name}-{len(list(cwd.parent.iterdir()))}-{n}") for n in (1, 2)
        ]
        self._process: BaseProcess = context.Process(target=_main, args=(args, cwd, *self._shown))
        self._process.start()

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)

    def communicate(self, timeout: float) -> tuple[str, str]:
        self._process.join(timeout)
        assert self.poll() is not None, f"it still runs after {timeout} seconds"
        shown, wrong = (path.read_text(encoding="utf-8") for path in self._shown)
        return shown, wrong


def _main(args: tuple[str, ...], cwd: Path, shown: Path, wrong: Path) -> None:
    os.chdir(cwd)
    for path, number in ((shown, 1), (wrong, 2)):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
    torch.set_num_threads(1)
    evolve.Evolution = generations.Evolution = Small  # type: ignore[misc]
    eevee.report.searches.save_figure = lambda *args, **options: None
    sys.argv = ["eevee", *args]
    eevee.cli.main()
