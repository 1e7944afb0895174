"""`Predictor`: from scores on a few benchmarks to a new model's full row, with intervals."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from eevee.errors import EeveeError
from eevee.jackknife import LEAVE_ONE_OUT, check_level, folds_of
from eevee.metamodel import MetaModel, Name, choose_meta_model
from eevee.newcomers import NewModels
from eevee.prediction import (
    ENDS,
    MeanRule,
    Prediction,
    Row,
    mean_in_units,
    mean_score,
    why_no_interval,
)
from eevee.refits import refit
from eevee.seeds import child_seed
from eevee.table import FloatArray, ResultsTable, Subset

MIN_MODELS = 4
"""As many as a reader asks for: with fewer nothing can be left out and the rest be fitted."""
FOLDS_SEED = 2
"""Which child of the seed draws the folds."""


@dataclass(frozen=True, eq=False)
class Predictor:
    """The training scores, the inputs, and the meta-model that `fit_predictor` settled on.

    It keeps the scores, not the weights: an interval rests on fits without each training model,
    and a new model that lacks an input on fits of its own, so that the scores are both smaller
    and enough. `predict` fits anew, and always the same.

    Attributes
    ----------
    table : ResultsTable
        Of the training models; its units are kept.
    benchmarks : tuple of benchmark names
        The inputs.
    model : MetaModel
    seed : int
    weights : mapping of benchmark to weight, optional
        Of the mean score, and of the loss that an MLP is trained on.
    """

    table: ResultsTable
    benchmarks: Subset
    model: MetaModel
    seed: int = 0
    weights: Mapping[str, float] | None = None

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
            Of the intervals: jackknife+ for up to 200 training models, else CV+ in ten folds.

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
        Intervals cover if the new models are like the training models (exchangeable), and were
        not chosen for their scores. Where a search chose `benchmarks` on the same training
        models, residuals are a little too small; the choices of meta-model and epochs were made
        once, on all training models, and are not repeated in each refit.
        """
        check_level(level)
        new = NewModels.of(new_scores, self.table, self.benchmarks)
        return _prediction(self, new, self._rows(new), level)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the predictor: an .npz file of the scores and a JSON text, without pickle.

        Raises
        ------
        EeveeError
            If the file cannot be written or its name does not end in .npz.
        """
        from eevee.predictorfile import save_predictor

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
        from eevee.predictorfile import load_predictor

        return load_predictor(path)

    def _rows(self, new: NewModels) -> list[Row]:
        """Fit once for each set of benchmarks that some model has; rows as in `new`."""
        folds = folds_of(self.table.n_models, child_seed(self.seed, FOLDS_SEED))
        members: dict[Subset, list[int]] = defaultdict(list)
        for i, subset in enumerate(new.inputs.values()):
            members[subset].append(i)
        values = new.scores.to_numpy(np.float64)
        rows: dict[int, Row] = {}
        for subset, places in members.items():
            refits = refit(self.table, values[places], subset, self.model, folds, self.weights)
            rows |= {i: Row(values[i], refits, place) for place, i in enumerate(places)}
        return [rows[i] for i in range(len(values))]


def fit_predictor(
    table: ResultsTable,
    benchmarks: Iterable[str],
    *,
    scorer: Name | Literal["auto"] = "auto",
    epochs: int | Literal["auto"] = "auto",
    n_init: int = 8,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
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
    model = choose_meta_model(
        table, subset, scorer=scorer, epochs=epochs, n_init=n_init, seed=seed, weights=weights
    )
    return Predictor(table, subset, model, seed, weights)


def _prediction(predictor: Predictor, new: NewModels, rows: list[Row], level: float) -> Prediction:
    table, weights = predictor.table, predictor.weights
    names = table.scores.columns[table.is_target]

    def frame(values: FloatArray) -> pd.DataFrame:
        return pd.DataFrame(values[:, table.is_target], new.scores.index, names)

    def means(rule: MeanRule) -> pd.DataFrame:
        found = np.stack([row.mean(rule, level) for row in rows])
        return pd.DataFrame(found, new.scores.index, pd.Index(ENDS))

    full, lower, upper = np.stack([row.columns(level) for row in rows], axis=1)
    in_units, plain = means(mean_in_units(table, weights)), mean_score(table, weights)
    return Prediction(
        mean=frame(full),
        lower=frame(lower),
        upper=frame(upper),
        measured=new.scores[names].notna(),
        mean_in_units=in_units,
        mean_score=None if plain is None else means(plain),
        inputs=new.inputs,
        out_of_range=new.out_of_range,
        no_interval=why_no_interval(table, level, bool(in_units["lower"].isna().any())),
        warnings=new.warnings,
        level=level,
        method=_method(table.n_models),
    )


def _method(n_models: int) -> str:
    kind = "jackknife+" if n_models <= LEAVE_ONE_OUT else "10-fold CV+"
    return f"{kind} over {n_models} training models"
