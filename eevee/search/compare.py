"""The searches by name: all take the same arguments; and all beside the one that was run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import pandas as pd

from eevee.base.keywords import shares_keywords
from eevee.scorers.base import Scorer
from eevee.scorers.objective import objective_scorer
from eevee.search.baselines import cheapest_first, medoids, most_correlated, random_subsets
from eevee.search.control import UNATTENDED, RunControl, takes_control
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.goal import Goal, GoalSettings
from eevee.search.greedy import MAX_BACKWARD, greedy, greedy_backward, greedy_swaps, n_backward
from eevee.search.near_ties import lowest_row, quoted
from eevee.search.result import SearchResult


def paper(
    scorer: Scorer, k: int | None = None, *, evolution: Evolution | None = None, **options: Any
) -> SearchResult:
    """Search by the paper's algorithm as it is written; parameters as in `eevee.search.evolve`."""
    found = evolve(scorer, k, evolution=evolution or Evolution.paper(), **options)
    if found.exact:
        return found
    return replace(found, settings={**found.settings, "method": "paper"})


BASELINES: dict[str, Callable[..., SearchResult]] = {
    "random": random_subsets,
    "cheapest": cheapest_first,
    "correlated": most_correlated,
    "medoids": medoids,
    "greedy": greedy,
    "greedy-backward": greedy_backward,
    "greedy-swaps": greedy_swaps,
}
"""What anyone would try first, the simplest ones first."""

SEARCHES: dict[str, Callable[..., SearchResult]] = {
    "evolution": evolve,
    "paper": paper,
    **BASELINES,
}


@takes_control
@shares_keywords(GoalSettings)
def compare(
    scorer: Scorer,
    found: SearchResult,
    *,
    seed: int = 0,
    n_rescore: int = 8,
    control: RunControl = UNATTENDED,
    **goal: Unpack[GoalSettings],
) -> pd.DataFrame:
    """Set what a search found beside all baselines for the same size or budget.

    Parameters
    ----------
    scorer : Scorer
        The one that the search used (what it still holds is not scored again), or a plain one,
        which is given the objective of `found`.
    found : SearchResult
    seed, n_rescore : int
        As for that search.
    control : RunControl
        After a stop the rest is left out.
    **goal
        ``k``, ``budget`` and ``constraints`` of that search.

    Returns
    -------
    DataFrame, one row per method, `found` first
        ``method, loss, low, high, rescored_mean, cost, size, benchmarks, evaluated, note``.
        The row "random" is over all random draws: median loss, cost and size, and the 5 %
        and 95 % quantiles of the loss as ``low`` and ``high``; ``evaluated`` is how many
        different subsets these are, and it names no benchmarks. A method
        that was skipped has a note and blanks.

    Raises
    ------
    EeveeError
        As the search itself.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 5)), columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.RidgeScorer(table, eevee.shuffle_splits(table))
    >>> rows = compare(scorer, eevee.search.evolve(scorer, k=2), k=2)
    >>> rows["method"].tolist()[:4], bool((rows["loss"] >= rows["loss"].iloc[0]).all())
    (['exhaustive', 'random', 'cheapest', 'correlated'], True)
    """
    scorer = objective_scorer(scorer, found.objective)
    own = found.settings.get("method", "search")
    rows = [{**_row(own, found), "note": _proposed(found)}]
    shared: dict[str, Any] = {**goal, "seed": seed}
    backward = n_backward(Goal.of(**goal).space_for(scorer))
    for name, search in BASELINES.items():
        if control.stop():
            break
        label = f"simple search {name}"
        if name == "random":
            drawn = found  # what was drawn there already: one median on one screen
            if not found.n_random:
                drawn = search(
                    scorer, **shared, n_rescore=0, label=label, progress=control.progress
                )
            rows.append(_distribution(drawn))
        elif name == "greedy-backward" and backward > MAX_BACKWARD:
            why = f"skipped: may score {backward:,} subsets, more than {MAX_BACKWARD:,}"
            rows.append({"method": name, "benchmarks": None, "note": why})
        elif name != own:
            again = search(
                scorer, **shared, n_rescore=n_rescore, label=label, progress=control.progress
            )
            rows.append(_row(name, again))
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"size": "Int64", "evaluated": "Int64"})


_COLUMNS = [
    *("method", "loss", "low", "high", "rescored_mean", "cost", "size"),
    *("benchmarks", "evaluated", "note"),
]


def _row(method: str, found: SearchResult) -> dict[str, Any]:
    best = found.best_row
    kept = {name: best[name] for name in ("loss", "rescored_mean", "cost", "size")}
    return {
        "method": method,
        **kept,
        "benchmarks": found.best,
        "evaluated": len(found.evaluated),
        "note": found.settings.get("note", ""),
    }


def _proposed(found: SearchResult) -> str:
    """Note of the search that was run: verbs print the one in its settings under the result."""
    lowest = found.settings.get("lowest_loss")
    return "" if lowest_row(found) is None else f"proposed; lowest {lowest:.4g}"


def best_baseline(baselines: pd.DataFrame) -> pd.Series[Any] | None:
    """Return the row of the best simple search beside a search; None if none ran.

    Parameters
    ----------
    baselines : DataFrame
        From `compare`: the search itself first.

    Returns
    -------
    Series or None
        The row with the lowest ``rescored_mean``, or ``loss`` where there is none; of equal ones
        the first.

    Examples
    --------
    >>> rows = pd.DataFrame({"method": ["evolution", "random", "greedy"], "loss": [0.2, 0.1, 0.3]})
    >>> rows = rows.assign(benchmarks=[("a",), None, ("b",)], rescored_mean=float("nan"))
    >>> best_baseline(rows)["method"]
    'greedy'
    """
    ran = baselines.iloc[1:].dropna(subset=["benchmarks"])
    order = quoted(ran).dropna().sort_values(kind="stable")
    return None if order.empty else ran.loc[order.index[0]]


def drawn_words(found: SearchResult) -> str:
    """Say on how many random draws a median rests, and how many different subsets these are.

    Examples
    --------
    >>> rows = pd.DataFrame({"loss": [0.1, 0.2, 0.3], "drawn": [1, 2, 0]})
    >>> drawn_words(SearchResult((), rows, rows, rows, "all", True, 1.0))
    '3 random draws, 2 different subsets'
    """
    draws, different = len(found.random_losses), found.n_random
    if draws == different:
        return f"{different:,} random subsets"
    return f"{draws:,} random draws, {different:,} different subsets"


def _distribution(found: SearchResult) -> dict[str, Any]:
    losses = found.random_losses
    known = losses[~np.isnan(losses)]
    low, median, high = np.quantile(known, [0.05, 0.5, 0.95]) if len(known) else [np.nan] * 3
    drawn = found.evaluated.loc[found.evaluated.index.repeat(found.evaluated["drawn"])]
    typical = drawn[["cost", "size"]].median()
    return {
        "method": "random",
        "loss": median,
        "low": low,
        "high": high,
        "cost": typical["cost"],
        "size": round(typical["size"]),
        "benchmarks": None,
        "evaluated": found.n_random,
        "note": f"median of {drawn_words(found)}, 5 % to 95 %",
    }
