"""Panels of `--help`, and options that stand in one."""

from __future__ import annotations

from typing import Any

import typer

TABLE, SCORER, SEARCH, RULES, OUTPUT = "Table", "Scorer", "Search", "Rules", "Output"


def option(*names: str, help: str, panel: str, **more: Any) -> Any:
    """Return an option of one panel of `--help`."""
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)
