"""Panels of `--help`, and options that stand in one."""

from __future__ import annotations

from typing import Any

import typer

COST_OPTIONS = ("costs", "cost-unit", "cost-statistic", "gpu-speed", "gpu-column")
"""Options that say what benchmarks cost, without their dashes; verbs without costs lack them."""
MANY = 10_000
"""Most splits, initialisations, repeats and the like: more is a slip, and would run for ever."""
MOST_SUBSETS = 1_000_000
"""Most subsets that may be asked for by number."""
MOST_SEED = 2**32 - 1
"""What every random generator takes."""
TABLE, SCORER, SEARCH, RULES, OUTPUT = "Table", "Scorer", "Search", "Rules", "Output"


def option(*names: str, help: str, panel: str, **more: Any) -> Any:
    """Return an option of one panel of `--help`."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)
