"""The Pareto front of loss and cost: the best subset for every budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from eevee.base.arrays import FloatArray, Subset
from eevee.base.errors import EeveeError
from eevee.scorers.base import Scorer
from eevee.scorers.loss import Targets
from eevee.scorers.objective import objective_scorer
from eevee.search.constraints import Constraints
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.front.front import front_of, hypervolume
from eevee.search.front.nsga import FrontSearch, Nsga, log_line
from eevee.search.goal import Goal, inside
from eevee.search.result import Ledger
from eevee.search.space import Space, members
from eevee.splits.splits import Splits
from eevee.stats.intervals import overlap_factor


@dataclass(frozen=True, eq=False)
class ParetoResult:
    """The front of one search: no subset that was scored is cheaper without losing more.

    Attributes
    ----------
    front : DataFrame
        A row per subset, by rising cost and falling loss: ``benchmarks, size, cost, loss,
        spread`` (over splits), ``unseen, unseen_spread`` (of the loss over the benchmarks that
        it lacks; blank for all of them), ``kendall`` (tau-b of the order of held-out models by
        mean score; blank for scorers that predict nothing), ``rescored_mean, rescored_spread``
        (over initialisations that the search did not use; NaN for scorers without).
    evaluated : DataFrame
        Every subset scored: ``benchmarks, size, cost, loss, spread, generation``; generation 0
        is where the search began: chains and random subsets.
    logbook : DataFrame
        One row per generation: ``generation, evaluated, front`` (its size), ``hypervolume``.
    targets : {"all"}
    exact : bool
        Whether every subset of the space was scored.
    mean_predictor : float
        Loss of predicting each column's training mean.
    total_cost : float
        Cost of all benchmarks.
    se_factor : float
        What turns a spread over splits into a standard error of the loss; NaN with one split.
    settings : dict
        Of the search, JSON-able.
    """

    front: pd.DataFrame
    evaluated: pd.DataFrame
    logbook: pd.DataFrame
    targets: Targets
    exact: bool
    mean_predictor: float
    total_cost: float
    se_factor: float
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def hypervolume(self) -> float:
        """Share of all (loss, cost) that the front dominates."""
        return hypervolume(self.front, self.mean_predictor, self.total_cost)


@takes_control
def pareto(
    scorer: Scorer,
    *,
    constraints: Constraints | None = None,
    seed: int = 0,
    settings: Nsga | None = None,
    include: Iterable[Iterable[str]] = (),
    n_rescore: int = 8,
    exhaustive: bool = True,
    label: str = "Pareto front",
    control: RunControl = UNATTENDED,
) -> ParetoResult:
    """Search for the subsets of any size that no other one beats in both loss and cost.

    Greedy search by fall of the loss per cost, chains of the cheapest and random subsets, then
    NSGA-II. Where there are at most `settings.max_exhaustive` subsets, all of them are scored
    instead and the front is exact.

    Parameters
    ----------
    scorer : Scorer
    constraints : Constraints, optional
        Rules that every subset must keep.
    seed : int
        Of the search alone; the scorer and the splits have their own.
    settings : Nsga, optional
    include : iterable of subsets
        Also start from these.
    n_rescore : int
        Initialisations under which the front is scored again; 0 skips it.
    exhaustive : bool
        Allow scoring everything.
    label : str
        Name in progress reports, and of the checkpoint.
    control : RunControl
        Where the state is kept after each generation (and continued from, if it is there: the
        result is then that of an uninterrupted search), who follows it, and when it stops: with
        what is best so far, under ``settings["interrupted"]`` and without scoring it again.

    Returns
    -------
    ParetoResult

    Raises
    ------
    EeveeError
        If a rule cannot be met, the scorer has ``targets="unseen"``, or a checkpoint is of
        another table, configuration or version.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> found = pareto(eevee.RidgeScorer(table, eevee.shuffle_splits(table)))
    >>> found.exact, found.front["cost"].tolist(), found.front["benchmarks"][0]
    (True, [1.0, 2.0, 3.0, 4.0], ('a',))
    """
    nsga = settings or Nsga()
    space = _space(scorer, constraints)
    also = [inside(space, scorer.table.subset(subset)) for subset in include]
    every = members(space, nsga.max_exhaustive) if exhaustive else None
    exact = every is not None
    about = {
        "method": "exhaustive" if exact else "nsga2",
        **space.describe(),
        **asdict(nsga),
        "seed": seed,
        "n_rescore": n_rescore,
    }
    ledger = Ledger(scorer, label, nsga.evaluations, control.progress)
    if every is not None:
        ledger.add(every, 0)
        logbook = pd.DataFrame([log_line(ledger, 0)])
    else:
        saved = None
        if control.checkpoints is not None:
            saved = control.checkpoints.of(label, scorer, {**about, "include": also})
        search = FrontSearch(space, ledger, nsga, seed, saved=saved, stop=control.stop)
        logbook = search.run(also)
        if search.stopped:
            about |= {"interrupted": True, "n_rescore": 0}
    return ParetoResult(
        front=_front(ledger, about["n_rescore"]),
        evaluated=ledger.frame(ledger.rows),
        logbook=logbook,
        targets=scorer.targets,
        exact=exact,
        mean_predictor=float(scorer.mean_predictor().mean()),
        total_cost=scorer.table.total_cost,
        se_factor=se_factor(scorer.splits),
        settings=about,
    )


def within_one_se(result: ParetoResult) -> pd.Series[Any]:
    """Return the cheapest subset of a front within one standard error of its lowest unseen loss.

    A choice without a budget: what more money buys is less than what is known of the loss. It
    goes by the loss over the benchmarks that a subset lacks, since that over all of them falls
    with every benchmark by arithmetic alone; and by subsets of at most half of the benchmarks,
    since the last few that are lacking say little.

    Parameters
    ----------
    result : ParetoResult

    Returns
    -------
    Series
        A row of `ParetoResult.front`.

    Raises
    ------
    EeveeError
        If there is one split only, which says nothing about the error.

    Notes
    -----
    The rule: Breiman et al., "Classification and Regression Trees" (1984), section 3.4.3. The
    standard error: `se_factor`.

    Examples
    --------
    >>> front = pd.DataFrame({"cost": [1.0, 2.0, 4.0], "size": [1, 2, 4]})
    >>> front = front.assign(unseen=[0.5, 0.4, float("nan")], unseen_spread=[0.1, 0.2, 0.0])
    >>> blank = pd.DataFrame()
    >>> result = ParetoResult(front, blank, blank, "all", True, 1.0, 4.0, se_factor=0.6)
    >>> float(within_one_se(result)["cost"])
    1.0
    """
    if not np.isfinite(result.se_factor):
        raise EeveeError("one standard error takes at least two splits; give more, such as 10")
    half = max(1, int(result.front["size"].max()) // 2)
    judged = result.front[(result.front["size"] <= half) & result.front["unseen"].notna()]
    if judged.empty:
        raise EeveeError("no subset of the front lacks half of the benchmarks; give a budget")
    lowest = judged.iloc[int(judged["unseen"].argmin())]
    bound = lowest["unseen"] + result.se_factor * lowest["unseen_spread"]
    chosen: pd.Series[Any] = judged[judged["unseen"] <= bound].iloc[0]
    return chosen


def se_factor(splits: Splits) -> float:
    """Return what turns the (population) spread over splits into a standard error of the mean.

    The splits overlap, so that their losses are alike and 1/√J would promise too much: the
    variance takes 1/J + test models / fitted models instead of 1/J.

    Notes
    -----
    Nadeau and Bengio, "Inference for the generalization error" (Machine Learning 52, 2003),
    the corrected resampled t-test, section 4.

    Examples
    --------
    >>> test = np.array([[True, False, False], [False, True, False]])
    >>> round(se_factor(Splits(~test, np.zeros_like(test), test)) ** 2, 3)  # 2 (1/2 + 1/2)
    2.0
    """
    n = splits.n_splits
    if n < 2:
        return float("nan")
    n_test, n_train = (float(side.sum(axis=1).mean()) for side in (splits.test, splits.fit))
    return float(np.sqrt(n / (n - 1) * overlap_factor(n, n_train, n_test)))


def _space(scorer: Scorer, constraints: Constraints | None) -> Space:
    if scorer.targets != "all":
        raise EeveeError(
            "a front compares subsets of different sizes, which with targets='unseen' predict "
            "different things; use targets='all' (the unseen loss is shown beside it)"
        )
    return Goal(constraints=constraints).space(scorer.table)


def _front(ledger: Ledger, n_rescore: int) -> pd.DataFrame:
    subsets = [subset for _, _, subset in front_of(ledger)]
    frame = ledger.rescored(subsets, n_rescore)
    unseen = ledger.scorer.with_targets("unseen").split_losses(subsets)
    frame.insert(5, "unseen", unseen.mean(axis=1))
    frame.insert(6, "unseen_spread", unseen.std(axis=1))
    frame.insert(7, "kendall", _kendall(ledger.scorer, subsets))
    return frame


def _kendall(scorer: Scorer, subsets: Sequence[Subset]) -> FloatArray:
    if not hasattr(scorer, "predict_targets"):  # a scorer of the user's own may give losses alone
        return np.full(len(subsets), np.nan)
    return 1.0 - objective_scorer(scorer, "kendall").losses(subsets)
