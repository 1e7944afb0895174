"""`BenchmarkSelector`: the search for a subset as a scikit-learn feature selector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from eevee.base.arrays import BoolArray, FloatArray
from eevee.base.errors import EeveeError
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.scorers.loss import Targets
from eevee.scorers.mlp.scorer import MLPScorer
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.splits.splits import shuffle_splits
from eevee.tables.results_table import NO_COSTS, ResultsTable

MIN_MODELS = 4
"""Two test and two train in every split."""
SPLITS, SCORER, SEARCH = range(3)
"""Which child of `random_state` each part gets: those of the command line's `--seed`."""

MakeScorer = Callable[..., Scorer]


class BenchmarkSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Select the benchmarks (columns of X) that predict all the others best.

    Rows are models, columns are benchmarks, cells are scores; NaN is a cell that was not
    measured. There is no y: what is predicted are the columns of X themselves.

    Parameters
    ----------
    k : int, optional
        How many to select. With neither `k` nor `budget`: half of the columns that vary, at
        least one.
    budget : number or str, optional
        Instead of k: the total cost allowed, or a share of everything such as ``"25%"``.
    costs : mapping of name to cost, or array of shape (n_features,), optional
        Each costs 1 by default.
    scorer : {"mlp", "ridge"} or callable
        A callable takes ``(table, splits, targets=targets)`` and returns a scorer, such as
        ``functools.partial(MLPScorer, epochs=20)``; its seed is its own.
    targets : {"all", "unseen"}
        Whether the loss counts the selected columns too. A budget needs "all".
    n_splits : int
        Splits of the models.
    test_size : float
        Share of the models that test in each of them.
    evolution : Evolution, optional
        Numbers of the search.
    n_rescore : int
        Initialisations under which the best 50 subsets are scored again.
    random_state : int
        Of splits, scorer and search. The same number gives the same selection, always.

    Attributes
    ----------
    support_ : array of bool, shape (n_features,)
        Which columns are selected.
    benchmarks_ : tuple of str
        Their names, sorted; ``x0, x1, ...`` where X has none.
    search_result_ : SearchResult
        Ranked subsets and logbook.
    n_features_in_ : int
    feature_names_in_ : array of str, shape (n_features,)
        Only where X has column names that are all strings.

    Raises
    ------
    EeveeError
        By `fit`, if an option is out of range or no column varies.

    Notes
    -----
    A constant or empty column has no unit to measure errors in: it is left out of the search and
    never selected, and costs count only where a column is. The scale and direction of columns
    do not matter. Selecting within a pipeline that is cross-validated over models keeps the
    models of an outer fold out of the search.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 5))
    >>> X = pd.DataFrame(skill + [0.5, 0.5, 0.1, 0.5, 0.5] * noise, columns=list("abcde"))
    >>> selector = BenchmarkSelector(k=1, scorer="ridge").fit(X)
    >>> selector.benchmarks_, selector.transform(X).shape
    (('c',), (20, 1))
    >>> selector.get_feature_names_out()
    array(['c'], dtype=object)
    """

    def __init__(
        self,
        k: int | None = None,
        *,
        budget: float | str | None = None,
        costs: Mapping[str, float] | npt.ArrayLike | None = None,
        scorer: Literal["mlp", "ridge"] | MakeScorer = "mlp",
        targets: Targets = "all",
        n_splits: int = 10,
        test_size: float = 0.2,
        evolution: Evolution | None = None,
        n_rescore: int = 8,
        random_state: int = 0,
    ) -> None:
        self.k = k
        self.budget = budget
        self.costs = costs
        self.scorer = scorer
        self.targets = targets
        self.n_splits = n_splits
        self.test_size = test_size
        self.evolution = evolution
        self.n_rescore = n_rescore
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Search for the columns to select.

        Parameters
        ----------
        X : array or DataFrame, shape (n_models, n_benchmarks)
            At least 4 models. NaN where a score is missing.
        y : ignored
            Here for scikit-learn's sake.

        Returns
        -------
        BenchmarkSelector
            Itself.
        """
        values = validate_data(
            self, X, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=MIN_MODELS
        )
        table = self._table(values)
        self.search_result_ = evolve(
            self._scorer(table),
            self._size(table),
            budget=self.budget,
            seed=self._seed(SEARCH),
            evolution=self.evolution,
            n_rescore=self.n_rescore,
        )
        self.benchmarks_ = self.search_result_.best
        self.support_: BoolArray = np.isin(self._names, self.benchmarks_)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_

    def _table(self, values: FloatArray) -> ResultsTable:
        """Return the columns that vary, each a benchmark of its own."""
        scores = pd.DataFrame(values, columns=self._names)
        varies = (scores.max(axis=0) > scores.min(axis=0)).to_numpy()
        if not varies.any():
            raise EeveeError("no column of X varies over the models: there is nothing to predict")
        costs = self._costs().loc[varies]
        return ResultsTable.from_scores(
            scores.loc[:, varies],
            benchmarks=pd.DataFrame({"task": None, "cost": costs}),
            cost_unit=NO_COSTS if self.costs is None else "cost",
        )

    def _costs(self) -> pd.Series[float]:
        if self.costs is None:
            return pd.Series(1.0, index=self._names)
        if isinstance(self.costs, Mapping):
            missing = [name for name in self._names if name not in self.costs]
            if missing:
                raise EeveeError(f"costs: no cost of {missing[0]!r}")
            return pd.Series({name: float(self.costs[name]) for name in self._names})
        costs = np.asarray(self.costs, dtype=np.float64)
        if costs.shape != (len(self._names),):
            raise EeveeError(f"costs: {costs.shape} numbers for {len(self._names)} columns of X")
        return pd.Series(costs, index=self._names)

    def _size(self, table: ResultsTable) -> int | None:
        """Return k; half of the columns that vary where neither k nor a budget is given."""
        if self.k is None and self.budget is None:
            return max(1, table.n_benchmarks // 2)
        return self.k

    def _scorer(self, table: ResultsTable) -> Scorer:
        splits = shuffle_splits(
            table, n_splits=self.n_splits, test_size=self.test_size, seed=self._seed(SPLITS)
        )
        if callable(self.scorer):
            return self.scorer(table, splits, targets=self.targets)
        if self.scorer == "mlp":
            return MLPScorer(table, splits, targets=self.targets, seed=self._seed(SCORER))
        if self.scorer == "ridge":
            return RidgeScorer(table, splits, targets=self.targets)
        raise EeveeError(f"scorer must be 'mlp', 'ridge' or a callable, got {self.scorer!r}")

    def _seed(self, part: int) -> int:
        if not isinstance(self.random_state, Integral) or self.random_state < 0:
            raise EeveeError(f"random_state must be an int from 0 up, got {self.random_state!r}")
        return child_seed(int(self.random_state), part)

    @property
    def _names(self) -> list[str]:
        """Names of the columns of X, as in `get_feature_names_out`."""
        unnamed = [f"x{i}" for i in range(self.n_features_in_)]
        return list(getattr(self, "feature_names_in_", unnamed))
