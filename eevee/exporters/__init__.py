"""Tiers in the files that harnesses load: one module per format in `formats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.exporters.draft import draft_mapping as draft_mapping
    from eevee.exporters.exporting import Exported as Exported
    from eevee.exporters.exporting import export as export
    from eevee.exporters.format import Export as Export
    from eevee.exporters.format import Format as Format
    from eevee.exporters.format import Task as Task
    from eevee.exporters.format import TierTasks as TierTasks
    from eevee.exporters.mapping import TaskMapping as TaskMapping
    from eevee.exporters.mapping import load_mapping as load_mapping
    from eevee.exporters.registry import find_format as find_format

_HOME = {
    "Export": "eevee.exporters.format",
    "Exported": "eevee.exporters.exporting",
    "Format": "eevee.exporters.format",
    "Task": "eevee.exporters.format",
    "TaskMapping": "eevee.exporters.mapping",
    "TierTasks": "eevee.exporters.format",
    "draft_mapping": "eevee.exporters.draft",
    "export": "eevee.exporters.exporting",
    "find_format": "eevee.exporters.registry",
    "load_mapping": "eevee.exporters.mapping",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
