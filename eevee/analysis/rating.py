"""How good is *my* list? Where a given subset stands among random ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from eevee.base.arrays import FloatArray, Subset, round6
from eevee.base.seeds import child_seed
from eevee.scorers.base import Advance, Scorer
from eevee.search.goal import Budget, Goal
from eevee.search.space import Space

MAX_SWAPS = 6000
RESCORED_SWAPS = 10


@dataclass(frozen=True)
class Swap:
    """One benchmark out, another in, and what that does.

    Attributes
    ----------
    out, into : str
    loss, cost : float
        Search loss and cost of the subset after the swap.
    rescored_gain : float or None
        Drop of the loss under initialisations that had no part in choosing the swap, the list
        and its swap scored alike; not above 0 means that the swap is luck. Splits and models
        are those that chose it, so the gain is still biased upward. None for scorers without.
    """

    out: str
    into: str
    loss: float
    cost: float
    rescored_gain: float | None


@dataclass(frozen=True)
class Rating:
    """Where a subset stands.

    Attributes
    ----------
    subset : Subset
    cost, loss, spread : float
        Spread over splits.
    mean_predictor, everything : float
        Losses of knowing nothing and of running every benchmark: the two bounds.
    percentile_of_size, percentile_of_cost : float or None
        Share of random subsets (in %) of equal size, and of those filled at random up to its
        cost, that have a higher loss. 99 means better than 99 % of them; ties count half. None
        where the loss is blank.
    random_of_size, random_of_cost : tuple of float
        Losses of those random draws; a subset that was drawn twice counts twice.
    different_of_size, different_of_cost : int
        How many different subsets these are.
    swap : Swap or None
        Best single swap at any cost; None if every benchmark is in.
    cheap_swap : Swap or None
        Best single swap that does not raise the cost.
    swaps_tried, swaps_possible : int
    """

    subset: Subset
    cost: float
    loss: float
    spread: float
    mean_predictor: float
    everything: float
    percentile_of_size: float | None
    percentile_of_cost: float | None
    random_of_size: tuple[float, ...]
    random_of_cost: tuple[float, ...]
    different_of_size: int
    different_of_cost: int
    swap: Swap | None
    cheap_swap: Swap | None
    swaps_tried: int
    swaps_possible: int


def rate(
    scorer: Scorer,
    subset: Iterable[str],
    *,
    seed: int = 0,
    n_random: int = 1000,
    n_rescore: int = 8,
    advance: Advance | None = None,
) -> Rating:
    """Compare a given subset with random ones of equal size and of equal cost.

    Parameters
    ----------
    scorer : Scorer
    subset : iterable of benchmark names
    seed : int
        Of the random subsets.
    n_random : int
        Different random subsets of each kind; fewer where there are not as many.
    n_rescore : int
        Initialisations under which the ten best swaps are compared again; as many others
        measure the gain of the one chosen.
    advance : callable, optional
        Called with the number of subsets just scored.

    Returns
    -------
    Rating

    Raises
    ------
    EeveeError
        If a name is unknown.

    Notes
    -----
    A random subset of equal cost takes the benchmarks in random order, each if it still fits.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 5))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5, 3] * noise, columns=list("abcde"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = eevee.MLPScorer(table, eevee.shuffle_splits(table), epochs=20)
    >>> rating = rate(scorer, ["e"])
    >>> rating.percentile_of_size, rating.swap.into
    (10.0, 'a')
    """
    table = scorer.table
    names = table.subset(subset)
    by_split = scorer.split_losses([names, table.target_benchmarks], advance=advance)
    loss, everything = by_split.mean(axis=1).tolist()
    spaces: tuple[Space, Space] = (
        Goal(k=len(names)).space(table),
        Goal(budget=Budget(table.cost_of(names))).space(table),
    )
    drawn = [
        space.draws(np.random.default_rng(child_seed(seed, i)), n_random)
        for i, space in enumerate(spaces)
    ]
    of_size, of_cost = (scorer.losses(subsets, advance=advance) for subsets in drawn)
    different = [len(set(subsets)) for subsets in drawn]
    swaps, possible = _swaps(names, table.benchmark_names, child_seed(seed, 2))
    swapped = scorer.losses([after for _, _, after in swaps], advance=advance)
    cheap = [
        i for i, (_, _, after) in enumerate(swaps) if _cost(scorer, after) <= _cost(scorer, names)
    ]
    return Rating(
        subset=names,
        cost=table.cost_of(names),
        loss=loss,
        spread=float(by_split[0].std()),
        mean_predictor=float(scorer.mean_predictor().mean()),
        everything=everything,
        percentile_of_size=_percentile(loss, of_size),
        percentile_of_cost=_percentile(loss, of_cost),
        random_of_size=tuple(of_size.tolist()),
        random_of_cost=tuple(of_cost.tolist()),
        different_of_size=different[0],
        different_of_cost=different[1],
        swap=_best_swap(scorer, names, swaps, swapped, range(len(swaps)), n_rescore),
        cheap_swap=_best_swap(scorer, names, swaps, swapped, cheap, n_rescore),
        swaps_tried=len(swaps),
        swaps_possible=possible,
    )


def _percentile(loss: float, others: FloatArray) -> float | None:
    """Share of `others` above `loss`, in %, ties counting half; None where nothing compares."""
    others = others[~np.isnan(others)]
    if np.isnan(loss) or not len(others):
        return None
    return float(100 * ((others > loss).mean() + 0.5 * (others == loss).mean()))


_SwapTo = tuple[str, str, Subset]


def _all_swaps(subset: Subset, names: Subset) -> Iterator[_SwapTo]:
    for out in subset:
        kept = [name for name in subset if name != out]
        for into in names:
            if into not in subset:
                yield out, into, tuple(sorted([*kept, into]))


def _swaps(subset: Subset, names: Subset, seed: int) -> tuple[list[_SwapTo], int]:
    """All single swaps, or a random sample of them where they are very many."""
    possible = len(subset) * (len(names) - len(subset))
    if possible <= MAX_SWAPS:
        return list(_all_swaps(subset, names)), possible
    order = np.random.default_rng(seed).permutation(possible)[:MAX_SWAPS]
    chosen = set(order.tolist())
    every = enumerate(islice(_all_swaps(subset, names), possible))
    return [swap for i, swap in every if i in chosen], possible


def _best_swap(
    scorer: Scorer,
    subset: Subset,
    swaps: list[_SwapTo],
    losses: FloatArray,
    allowed: Iterable[int],
    n_rescore: int,
) -> Swap | None:
    """Score the most promising swaps again and return the best of them."""

    def order(i: int, loss: float) -> tuple[float, float, Subset]:
        return round6(loss), _cost(scorer, swaps[i][2]), swaps[i][2]

    known = [i for i in allowed if not np.isnan(losses[i])]
    ranked = sorted(known, key=lambda i: order(i, float(losses[i])))[:RESCORED_SWAPS]
    if not ranked:
        return None
    tried = [subset, *(swaps[i][2] for i in ranked)]
    again = scorer.rescore(tried, 2 * n_rescore) if n_rescore else None
    if again is None:
        best, gain = ranked[0], None
    else:
        choosing, reporting = again[:, :n_rescore].mean(axis=1), again[:, n_rescore:].mean(axis=1)
        place = min(range(len(ranked)), key=lambda i: order(ranked[i], float(choosing[1 + i])))
        best, gain = ranked[place], float(reporting[0] - reporting[1 + place])
    out, into, after = swaps[best]
    return Swap(out, into, float(losses[best]), _cost(scorer, after), gain)


def _cost(scorer: Scorer, subset: Subset) -> float:
    return scorer.table.cost_of(subset)
