"""The meta-model of a predictor: the MLP or ridge, by name or by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from eevee.base.arrays import IntArray, Subset
from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.scorers.loss import Targets
from eevee.scorers.mlp.scorer import MLPScorer
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.splits.splits import Splits, shuffle_splits
from eevee.tables.results_table import ResultsTable

MIN_MODELS = 4
"""As many as a reader asks for: with fewer nothing can be left out and the rest be fitted."""
Name = Literal["mlp", "ridge"]
NAMES: tuple[Name, ...] = get_args(Name)
SPLITS, NETWORKS = range(2)
"""Which child of the seed each part gets."""


@dataclass(frozen=True)
class MetaModel:
    """What a predictor fits.

    Attributes
    ----------
    name : {"mlp", "ridge"}
    epochs : int or None
        Of the MLP, whichever benchmarks are there; None for ridge.
    n_init : int or None
        Initialisations of the MLP whose predictions are averaged; None for ridge.
    seed : int
        Of the initial weights.
    losses : mapping of str to float
        Cross-validated loss of each candidate with the very inputs, where it was chosen by it.
    """

    name: Name
    epochs: int | None
    n_init: int | None
    seed: int
    losses: Mapping[str, float] = field(default_factory=dict)

    def scorer(
        self,
        table: ResultsTable,
        splits: Splits,
        subset: Subset,
        weights: Mapping[str, float] | None = None,
    ) -> Scorer:
        """Return what fits it in every split, to predict what `subset` does not hold."""
        targets = targets_of(table, subset)
        if self.name == "ridge":
            return RidgeScorer(table, splits, targets=targets, weights=weights)
        assert self.epochs is not None
        assert self.n_init is not None
        return _mlp(table, splits, targets, self.epochs, self.n_init, self.seed, weights)

    @property
    def words(self) -> str:
        """What it is and why, in one line.

        Examples
        --------
        >>> MetaModel("ridge", None, None, 0, {"mlp": 0.3, "ridge": 0.25}).words
        'ridge (cross-validated loss: mlp 0.3, ridge 0.25)'
        """
        how = "" if self.name == "ridge" else f", {self.epochs} epochs, {self.n_init} networks"
        shown = ", ".join(f"{name} {loss:.4g}" for name, loss in self.losses.items())
        return f"{self.name}{how}" + (f" (cross-validated loss: {shown})" if shown else "")


Scorer = MLPScorer | RidgeScorer


def choose_meta_model(
    table: ResultsTable,
    subset: Subset,
    *,
    scorer: Name | Literal["auto"],
    epochs: int | Literal["auto"],
    n_init: int,
    seed: int,
    weights: Mapping[str, float] | None = None,
    groups: IntArray | None = None,
) -> MetaModel:
    """Choose the meta-model and the epochs on the training models.

    Parameters
    ----------
    table : ResultsTable
    subset : tuple of benchmark names
    scorer : {"mlp", "ridge", "auto"}
        "auto": the lower loss over ten random splits, of predicting from these inputs what they
        do not hold.
    epochs : int or "auto"
        "auto": measured on validation models (see `eevee.MLPScorer`).
    n_init : int
    seed : int
    weights : mapping of benchmark to weight, optional
        Of the loss.
    groups : shape (n_models,), optional
        Models that stay on one side of these splits together.

    Raises
    ------
    EeveeError
        If an option is out of range.
    """
    if scorer not in (*NAMES, "auto"):
        raise EeveeError(f"scorer must be one of {', '.join(NAMES)} and auto, not {scorer!r}")
    own = child_seed(seed, NETWORKS)
    ridge = MetaModel("ridge", None, None, own)
    if scorer == "ridge":
        return ridge
    splits = shuffle_splits(table, seed=child_seed(seed, SPLITS), groups=groups)
    targets = targets_of(table, subset)
    networks = _mlp(table, splits, targets, epochs, n_init, own, weights)
    mlp = MetaModel("mlp", networks.epochs_for(len(subset)), n_init, own)
    if scorer == "mlp":
        return mlp
    rows: Scorer = ridge.scorer(table, splits, subset, weights)
    losses = {"mlp": _loss(networks, subset), "ridge": _loss(rows, subset)}
    best = mlp if losses["mlp"] < losses["ridge"] else ridge
    return MetaModel(best.name, best.epochs, best.n_init, own, losses)


def targets_of(table: ResultsTable, subset: Subset) -> Targets:
    """What is fitted: only what the subset does not hold, for what it holds was measured."""
    return "unseen" if len(subset) < table.n_benchmarks else "all"


def _mlp(
    table: ResultsTable,
    splits: Splits,
    targets: Targets,
    epochs: int | Literal["auto"],
    n_init: int,
    seed: int,
    weights: Mapping[str, float] | None,
) -> MLPScorer:
    # On the CPU always: a saved predictor gives the same bytes on a machine that has CUDA.
    return MLPScorer(
        table,
        splits,
        targets=targets,
        weights=weights,
        epochs=epochs,
        n_init=n_init,
        seed=seed,
        device="cpu",
    )


def _loss(scorer: Scorer, subset: Subset) -> float:
    return float(f"{np.mean(scorer.losses([subset])):.6g}")
