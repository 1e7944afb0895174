"""From scores on a few benchmarks to a new model's full row, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.prediction.prediction import Prediction as Prediction
    from eevee.prediction.predictor import Predictor as Predictor
    from eevee.prediction.predictor import fit_predictor as fit_predictor

_HOME = {
    "Prediction": "eevee.prediction.prediction",
    "Predictor": "eevee.prediction.predictor",
    "fit_predictor": "eevee.prediction.predictor",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
