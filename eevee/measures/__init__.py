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
    from eevee.measures.diversity_coefficient import Diversity as Diversity
    from eevee.measures.diversity_coefficient import diversity as diversity
    from eevee.measures.embedding_files import diversities as diversities
    from eevee.measures.embedding_files import read_embeddings as read_embeddings
    from eevee.measures.evidence import logme as logme
    from eevee.measures.feature_files import read_features as read_features
    from eevee.measures.fisher import HeadFit as HeadFit
    from eevee.measures.gaussian_distance import hellinger as hellinger
    from eevee.measures.gaussian_distance import hellinger_diversity as hellinger_diversity
    from eevee.measures.labellings import task_alignments as task_alignments
    from eevee.measures.layers import layer_matrix as layer_matrix
    from eevee.measures.linear_probes import best_pair as best_pair
    from eevee.measures.linear_probes import gaussian_grid as gaussian_grid
    from eevee.measures.linear_probes import linear as linear
    from eevee.measures.linear_probes import linear_valid as linear_valid
    from eevee.measures.linear_probes import pactran_gaussian as pactran_gaussian
    from eevee.measures.loss_data import LossDataCurve as LossDataCurve
    from eevee.measures.loss_data import LossDataMeasure as LossDataMeasure
    from eevee.measures.loss_data import log_sizes as log_sizes
    from eevee.measures.loss_data_frames import curves_of_frame as curves_of_frame
    from eevee.measures.loss_data_frames import loss_data_table as loss_data_table
    from eevee.measures.loss_data_mlp import MLPProbe as MLPProbe
    from eevee.measures.loss_data_probes import loss_data_curve as loss_data_curve
    from eevee.measures.loss_data_search import estimate_sdl as estimate_sdl
    from eevee.measures.loss_data_search import search_sample_complexity as search_sample_complexity
    from eevee.measures.loss_data_search import subset_losses as subset_losses
    from eevee.measures.loss_data_search import subset_runs as subset_runs
    from eevee.measures.measure import Measure as Measure
    from eevee.measures.mixture import nleep as nleep
    from eevee.measures.pactran_counts import pactran_dirichlet as pactran_dirichlet
    from eevee.measures.pactran_counts import pactran_gamma as pactran_gamma
    from eevee.measures.resampling import permutation_null as permutation_null
    from eevee.measures.sample import Sample as Sample
    from eevee.measures.similar_models import compare_files as compare_files
    from eevee.measures.similarity import cka as cka
    from eevee.measures.similarity import mean_cca as mean_cca
    from eevee.measures.similarity import opd as opd
    from eevee.measures.similarity import pwcca as pwcca
    from eevee.measures.similarity import svcca as svcca
    from eevee.measures.similarity_kinds import find_similarity as find_similarity
    from eevee.measures.source_classes import leep as leep
    from eevee.measures.source_classes import nce as nce
    from eevee.measures.synthetic_tasks import GaussianBenchmark as GaussianBenchmark
    from eevee.measures.synthetic_tasks import random_probe as random_probe
    from eevee.measures.task_distances import task2vec_distances as task2vec_distances
    from eevee.measures.task_embedding import task2vec as task2vec
    from eevee.measures.task_kernels import add_kernels as add_kernels
    from eevee.measures.task_kernels import feature_kernel as feature_kernel
    from eevee.measures.task_kernels import group_kernel as group_kernel
    from eevee.measures.task_kernels import matrix_kernel as matrix_kernel
    from eevee.measures.task_priors import moments_of_models as moments_of_models
    from eevee.measures.task_priors import probe_loss as probe_loss
    from eevee.measures.task_priors import task_prior_moments as task_prior_moments
    from eevee.measures.task_probes import probe_accuracies as probe_accuracies
    from eevee.measures.task_probes import task_prior_table as task_prior_table
    from eevee.measures.task_sampler import sample_tasks as sample_tasks
    from eevee.measures.task_sampler import task_log_probs as task_log_probs

_HOME = {
    "Diversity": "eevee.measures.diversity_coefficient",
    "GaussianBenchmark": "eevee.measures.synthetic_tasks",
    "HeadFit": "eevee.measures.fisher",
    "Kendall": "eevee.measures.agreement",
    "LossDataCurve": "eevee.measures.loss_data",
    "LossDataMeasure": "eevee.measures.loss_data",
    "MLPProbe": "eevee.measures.loss_data_mlp",
    "Measure": "eevee.measures.measure",
    "Sample": "eevee.measures.sample",
    "add_kernels": "eevee.measures.task_kernels",
    "best_pair": "eevee.measures.linear_probes",
    "cka": "eevee.measures.similarity",
    "compare_files": "eevee.measures.similar_models",
    "curves_of_frame": "eevee.measures.loss_data_frames",
    "diversities": "eevee.measures.embedding_files",
    "diversity": "eevee.measures.diversity_coefficient",
    "estimate_sdl": "eevee.measures.loss_data_search",
    "feature_kernel": "eevee.measures.task_kernels",
    "find_measures": "eevee.measures.catalog",
    "find_similarity": "eevee.measures.similarity_kinds",
    "gaussian_grid": "eevee.measures.linear_probes",
    "group_kernel": "eevee.measures.task_kernels",
    "hellinger": "eevee.measures.gaussian_distance",
    "hellinger_diversity": "eevee.measures.gaussian_distance",
    "hscore": "eevee.measures.covariances",
    "kendall": "eevee.measures.agreement",
    "layer_matrix": "eevee.measures.layers",
    "leep": "eevee.measures.source_classes",
    "linear": "eevee.measures.linear_probes",
    "linear_valid": "eevee.measures.linear_probes",
    "log_sizes": "eevee.measures.loss_data",
    "logme": "eevee.measures.evidence",
    "loss_data_curve": "eevee.measures.loss_data_probes",
    "loss_data_table": "eevee.measures.loss_data_frames",
    "matrix_kernel": "eevee.measures.task_kernels",
    "mean_cca": "eevee.measures.similarity",
    "measure_files": "eevee.measures.columns",
    "moments_of_models": "eevee.measures.task_priors",
    "nce": "eevee.measures.source_classes",
    "nleep": "eevee.measures.mixture",
    "opd": "eevee.measures.similarity",
    "pactran_dirichlet": "eevee.measures.pactran_counts",
    "pactran_gamma": "eevee.measures.pactran_counts",
    "pactran_gaussian": "eevee.measures.linear_probes",
    "permutation_null": "eevee.measures.resampling",
    "probe_accuracies": "eevee.measures.task_probes",
    "probe_loss": "eevee.measures.task_priors",
    "pwcca": "eevee.measures.similarity",
    "random_probe": "eevee.measures.synthetic_tasks",
    "read_embeddings": "eevee.measures.embedding_files",
    "read_features": "eevee.measures.feature_files",
    "sample_tasks": "eevee.measures.task_sampler",
    "search_sample_complexity": "eevee.measures.loss_data_search",
    "subset_losses": "eevee.measures.loss_data_search",
    "subset_runs": "eevee.measures.loss_data_search",
    "svcca": "eevee.measures.similarity",
    "task2vec": "eevee.measures.task_embedding",
    "task2vec_distances": "eevee.measures.task_distances",
    "task_alignments": "eevee.measures.labellings",
    "task_log_probs": "eevee.measures.task_sampler",
    "task_prior_moments": "eevee.measures.task_priors",
    "task_prior_table": "eevee.measures.task_probes",
    "transrate": "eevee.measures.covariances",
}

if not TYPE_CHECKING:  # a type checker refuses what is not there
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
__all__ = sorted(_HOME)  # noqa: PLE0605
