"""The gaps of a sparse table filled; what to run next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.completion.advice import next_benchmark as next_benchmark
    from eevee.completion.complete import Completion as Completion
    from eevee.completion.complete import impute as impute

_HOME = {
    "Completion": "eevee.completion.complete",
    "impute": "eevee.completion.complete",
    "next_benchmark": "eevee.completion.advice",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
