"""Numbers of features, probabilities and labels: how well a checkpoint will transfer, untrained."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eevee.base.lazy import lazy_names

if TYPE_CHECKING:
    from eevee.measures.agreement import Kendall as Kendall
    from eevee.measures.agreement import kendall as kendall
    from eevee.measures.catalog import find_measures as find_measures
    from eevee.measures.columns import measure_files as measure_files
    from eevee.measures.covariances import hscore as hscore
    from eevee.measures.covariances import transrate as transrate
    from eevee.measures.evidence import logme as logme
    from eevee.measures.feature_files import read_features as read_features
    from eevee.measures.linear_probes import best_pair as best_pair
    from eevee.measures.linear_probes import gaussian_grid as gaussian_grid
    from eevee.measures.linear_probes import linear as linear
    from eevee.measures.linear_probes import linear_valid as linear_valid
    from eevee.measures.linear_probes import pactran_gaussian as pactran_gaussian
    from eevee.measures.measure import Measure as Measure
    from eevee.measures.mixture import nleep as nleep
    from eevee.measures.pactran_counts import pactran_dirichlet as pactran_dirichlet
    from eevee.measures.pactran_counts import pactran_gamma as pactran_gamma
    from eevee.measures.resampling import permutation_null as permutation_null
    from eevee.measures.sample import Sample as Sample
    from eevee.measures.source_classes import leep as leep
    from eevee.measures.source_classes import nce as nce

_HOME = {
    "Kendall": "eevee.measures.agreement",
    "Measure": "eevee.measures.measure",
    "Sample": "eevee.measures.sample",
    "best_pair": "eevee.measures.linear_probes",
    "find_measures": "eevee.measures.catalog",
    "gaussian_grid": "eevee.measures.linear_probes",
    "hscore": "eevee.measures.covariances",
    "kendall": "eevee.measures.agreement",
    "leep": "eevee.measures.source_classes",
    "linear": "eevee.measures.linear_probes",
    "linear_valid": "eevee.measures.linear_probes",
    "logme": "eevee.measures.evidence",
    "measure_files": "eevee.measures.columns",
    "nce": "eevee.measures.source_classes",
    "nleep": "eevee.measures.mixture",
    "pactran_dirichlet": "eevee.measures.pactran_counts",
    "pactran_gamma": "eevee.measures.pactran_counts",
    "pactran_gaussian": "eevee.measures.linear_probes",
    "permutation_null": "eevee.measures.resampling",
    "read_features": "eevee.measures.feature_files",
    "transrate": "eevee.measures.covariances",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
