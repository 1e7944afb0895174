"""EEVEE: find the few benchmarks that predict all the others, under a budget.

Names are loaded on first use, so that `import eevee` is quick and imports neither torch nor
matplotlib.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from eevee._version import __version__ as __version__

if TYPE_CHECKING:
    from eevee.errors import EeveeError as EeveeError
    from eevee.readers import read_table as read_table
    from eevee.scoring.mlp import MLPScorer as MLPScorer
    from eevee.splits import Splits as Splits
    from eevee.splits import shuffle_splits as shuffle_splits
    from eevee.table import ResultsTable as ResultsTable

_HOME = {
    "EeveeError": "eevee.errors",
    "MLPScorer": "eevee.scoring.mlp",
    "ResultsTable": "eevee.table",
    "Splits": "eevee.splits",
    "read_table": "eevee.readers",
    "shuffle_splits": "eevee.splits",
}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'eevee' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
