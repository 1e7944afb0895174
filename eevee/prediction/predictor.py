"""`Predictor`: from scores on a few benchmarks to a new model's full row, with intervals."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray, IntArray, Subset
from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.prediction.file import Fitted, load_predictor, save_predictor
from eevee.prediction.frontier import Frontier
from eevee.prediction.meta_model import MIN_MODELS, Name, choose_meta_model
from eevee.prediction.new_models import NewModels
from eevee.prediction.prediction import (
    SUFFIXES,
    MeanRule,
    Prediction,
    Row,
    mean_in_units,
    mean_score,
    outside_of,
    said_of,
    said_of_bounds,
    why_no_interval,
)
from eevee.prediction.refits import refit
from eevee.splits.groups import Groups
from eevee.splits.near_duplicates import find_duplicates, kept_together
from eevee.stats.jackknife import LEAVE_ONE_OUT, check_level, folds_of
from eevee.tables.bounds import column_bounds
from eevee.tables.results_table import ResultsTable

FOLDS_SEED = 2
"""Which child of the seed draws the folds."""


@dataclass(frozen=True, eq=False)
class Predictor(Fitted):
    """The training scores, the inputs, and the meta-model that `fit_predictor` settled on.

    It keeps the scores, not the weights: an interval rests on fits without each training model,
    and a new model that lacks an input on fits of its own, so that the scores are both smaller
    and enough. `predict` fits again, and always the same.

    Attributes
    ----------
    table : ResultsTable
        Of the training models; its units are kept.
    benchmarks : tuple of benchmark names
        The inputs.
    model : MetaModel
    groups : int array, shape (n_models,)
        Training models with one label are left out together.
    seed : int
    weights : mapping of benchmark to weight, optional
        Of the mean score, and of the loss that an MLP is trained on.
    """

    def predict(self, new_scores: pd.DataFrame, *, level: float = 0.9) -> Prediction:
        """Predict every score column, and the mean score, of new models.

        Parameters
        ----------
        new_scores : DataFrame, models x columns
            Scores as the training table has them (not turned), NaN where not measured. Names
            that the table does not have are ignored, with a warning. A benchmark of `benchmarks`
            that a model lacks (in any of its columns) is left out, and the meta-model fitted
            without it; epochs and choice of the meta-model stay.
        level : float
            Of the intervals: jackknife+ for up to 200 groups of training models, else CV+ in ten
            folds.

        Returns
        -------
        Prediction

        Raises
        ------
        EeveeError
            If a score is no finite number, a name repeats, a model has none of the benchmarks, or
            the level is out of range.

        Notes
        -----
        Intervals cover if the new models are like the training models (exchangeable; where
        `groups` hold families, like models of a new family), and were not chosen for their
        scores. Where a search chose `benchmarks` on the same training models, residuals are a
        little too small; the choices of meta-model and epochs were made once, on all training
        models, and are not repeated in each refit.

        A model is outside of what the training models show if its mean score (measured in the
        inputs, predicted elsewhere) is above, or below, that of all but 2.5 % of them, or if its
        inputs are farther from their mean, by a Mahalanobis distance with a shrunk covariance,
        than those of all but 2.5 %: `Prediction.outside` lists it. Its intervals rest on training
        models that were held out on that side and predicted by the rest (5 to 40 % of them, eight
        times), grow with its distance, and are no narrower than those inside; from 5 to 2.5 %
        these go over into them. Coverage there is measured, not implied.
        """
        check_level(level)
        new = NewModels.of(new_scores, self.table, self.benchmarks)
        return self._prediction(new, self._rows(new), level)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the predictor: an .npz file of the scores and a JSON text, without pickle.

        Raises
        ------
        EeveeError
            If the file cannot be written or its name does not end in .npz.
        """
        save_predictor(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Predictor:
        """Read a predictor that `save` wrote; it predicts the same bytes.

        Attributes and costs of single models, and standard errors, are not kept.

        Raises
        ------
        EeveeError
            If the file cannot be read or is not what `save` writes.
        """
        return cls(**vars(load_predictor(path)))

    @cached_property
    def _folds(self) -> IntArray:
        return folds_of(self.groups, child_seed(self.seed, FOLDS_SEED))

    def _rows(self, new: NewModels) -> list[Row]:
        """Fit once for each set of benchmarks that some model has; rows as in `new`."""
        members: dict[Subset, list[int]] = defaultdict(list)
        for i, subset in enumerate(new.inputs.values()):
            members[subset].append(i)
        values = new.scores.to_numpy(np.float64)
        weights = mean_in_units(self.table, self.weights).weights
        rows: dict[int, Row] = {}
        for subset, places in members.items():
            fits = refit(
                self.table,
                values[places],
                subset,
                self.model,
                self._folds,
                labels=self.groups,
                weights=self.weights,
            )
            edge = Frontier(
                self.table,
                fits.own,
                fits.held,
                fits.inputs,
                weights,
                self.groups,
                fits.distances,
            )
            for place, i in enumerate(places):
                rows[i] = Row(values[i], fits, place, self.groups, edge)
        return [rows[i] for i in range(len(values))]

    def _prediction(self, new: NewModels, rows: list[Row], level: float) -> Prediction:
        table = self.table
        names = table.scores.columns[table.is_target]

        def frame(values: FloatArray) -> pd.DataFrame:
            return pd.DataFrame(values[:, table.is_target], new.scores.index, names)

        def means(rule: MeanRule) -> pd.DataFrame:
            found = np.stack([row.mean(rule, level) for row in rows])
            return pd.DataFrame(found, new.scores.index, pd.Index(SUFFIXES))

        full, lower, upper = np.stack([row.columns(level) for row in rows], axis=1)
        in_units, plain = means(mean_in_units(table, self.weights)), mean_score(table, self.weights)
        predicted = frame(full).where(new.scores[names].isna())
        outside = outside_of(dict(zip(new.inputs, rows, strict=True)), level)
        untold = outside["model"][~outside["interval"].astype(bool)]
        blank = bool(in_units["lower"].drop(untold).isna().any())
        return Prediction(
            mean=frame(full),
            lower=frame(lower),
            upper=frame(upper),
            measured=new.scores[names].notna(),
            mean_in_units=in_units,
            mean_score=None if plain is None else means(plain),
            inputs=new.inputs,
            out_of_range=new.out_of_range,
            outside=outside,
            no_interval=why_no_interval(table, self.groups, self._folds, level, blank),
            warnings=(
                *self._duplicates,
                *new.warnings,
                *said_of(outside, level),
                *said_of_bounds(predicted, column_bounds(table).at(table.is_target)),
            ),
            level=level,
            method=self._method,
        )

    @property
    def _duplicates(self) -> list[str]:
        found = find_duplicates(self.table)
        return [] if found is None else [f"{found.words}; they are left out together"]

    @property
    def _method(self) -> str:
        n_groups = int(self.groups.max()) + 1
        kind = "jackknife+" if n_groups <= LEAVE_ONE_OUT else "10-fold CV+"
        grouped = "" if n_groups == self.table.n_models else f" in {n_groups} groups"
        return f"{kind} over {self.table.n_models} training models{grouped}"


def fit_predictor(
    table: ResultsTable,
    benchmarks: Iterable[str],
    *,
    scorer: Name | Literal["auto"] = "auto",
    epochs: int | Literal["auto"] = "auto",
    n_init: int = 8,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    groups: Groups | None = None,
) -> Predictor:
    """Prepare to predict new models from a few benchmarks, learning from all models of a table.

    Parameters
    ----------
    table : ResultsTable
        Training models. Inputs and targets are standardised on the models of each fit, as for
        every scorer; `table.units` stay what they are.
    benchmarks : iterable of benchmark names
        The inputs, such as those of a tier.
    scorer : {"mlp", "ridge", "auto"}
        The meta-model; "auto" takes the one that predicts held-out training models better from
        these very inputs.
    epochs : int or "auto"
        Of the MLP.
    n_init : int
        Initialisations of the MLP whose predictions are averaged.
    seed : int
    weights : mapping of benchmark to weight, optional
        Of the mean score, and of the loss that meta-models are trained and chosen by.
    groups : str or labels of shape (n_models,), optional
        An attribute of ``table.models``, such as "family", or labels: models that are left out
        together, for intervals, epochs and the choice of the meta-model, so that these are about a
        model of a new family. Near-duplicates always are.

    Returns
    -------
    Predictor

    Raises
    ------
    EeveeError
        If there are fewer than four models, a name is unknown, or an option is out of range.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(31, 1)) + 0.1 * rng.normal(size=(31, 4))
    >>> frame = pd.DataFrame(scores, columns=list("abcd"), index=[f"m{i}" for i in range(31)])
    >>> table = eevee.ResultsTable.from_scores(frame[:30])
    >>> predictor = fit_predictor(table, ["a", "b"], scorer="ridge")
    >>> found = predictor.predict(frame.loc[["m30"], ["a", "b"]])
    >>> found.measured.loc["m30"].tolist()
    [True, True, False, False]
    >>> bool(found.lower.loc["m30", "c"] < frame.loc["m30", "c"] < found.upper.loc["m30", "c"])
    True
    """
    if table.n_models < MIN_MODELS:
        raise EeveeError(
            f"{table.n_models} training models are too few to predict from; give at least "
            f"{MIN_MODELS}"
        )
    if seed < 0:
        raise EeveeError(f"seed must not be negative, got {seed}")
    subset = table.subset(benchmarks)
    together = kept_together(table, groups, duplicates=True)
    model = choose_meta_model(
        table,
        subset,
        scorer=scorer,
        epochs=epochs,
        n_init=n_init,
        seed=seed,
        weights=weights,
        groups=together,
    )
    labels = np.arange(table.n_models) if together is None else together
    return Predictor(table, subset, model, np.unique(labels, return_inverse=True)[1], seed, weights)
