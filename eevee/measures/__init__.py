"""Numbers of features, probabilities and labels: how well a checkpoint will transfer, untrained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.measures.covariances import hscore as hscore
    from eevee.measures.covariances import transrate as transrate
    from eevee.measures.evidence import logme as logme
    from eevee.measures.measure import Measure as Measure
    from eevee.measures.pactran_counts import pactran_dirichlet as pactran_dirichlet
    from eevee.measures.pactran_counts import pactran_gamma as pactran_gamma
    from eevee.measures.resampling import permutation_null as permutation_null
    from eevee.measures.sample import Sample as Sample
    from eevee.measures.source_classes import leep as leep
    from eevee.measures.source_classes import nce as nce

_HOME = {
    "Measure": "eevee.measures.measure",
    "Sample": "eevee.measures.sample",
    "hscore": "eevee.measures.covariances",
    "leep": "eevee.measures.source_classes",
    "logme": "eevee.measures.evidence",
    "nce": "eevee.measures.source_classes",
    "pactran_dirichlet": "eevee.measures.pactran_counts",
    "pactran_gamma": "eevee.measures.pactran_counts",
    "permutation_null": "eevee.measures.resampling",
    "transrate": "eevee.measures.covariances",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
