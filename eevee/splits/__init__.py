"""Which models train, validate and test: random, folds, harder kinds, near-duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.splits.harder import family_splits as family_splits
    from eevee.splits.harder import frontier_splits as frontier_splits
    from eevee.splits.harder import time_splits as time_splits
    from eevee.splits.splits import Splits as Splits
    from eevee.splits.splits import fold_splits as fold_splits
    from eevee.splits.splits import shuffle_splits as shuffle_splits

_HOME = {
    "Splits": "eevee.splits.splits",
    "family_splits": "eevee.splits.harder",
    "fold_splits": "eevee.splits.splits",
    "frontier_splits": "eevee.splits.harder",
    "shuffle_splits": "eevee.splits.splits",
    "time_splits": "eevee.splits.harder",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
