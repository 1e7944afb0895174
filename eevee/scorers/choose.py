"""Which scorer: one by name, or the one that predicts the models of this table best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from eevee.base.arrays import FloatArray, Subset
from eevee.base.errors import EeveeError
from eevee.scorers.base import Advance, EarlierNames, Scorer
from eevee.scorers.factor.scorer import FactorScorer
from eevee.scorers.loss import Targets
from eevee.scorers.mlp.epochs import random_index_sets
from eevee.scorers.mlp.scorer import MLPScorer
from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

Name = Literal["mlp", "ridge", "factor"]
CANDIDATES: tuple[Name, ...] = get_args(Name)
"""In the order in which ties are broken."""
N_SUBSETS = 64
"""Random subsets that the candidates are compared on, over all sizes."""


@dataclass(frozen=True, eq=False)
class Choice:
    """A scorer that was chosen, and why.

    Attributes
    ----------
    name : str
        Of the scorer: "mlp", "ridge" or "factor".
    scorer : Scorer
    losses : dict of str to float
        Geometric mean of each candidate's held-out losses over the random subsets.
    reason : str
    """

    name: str
    scorer: Scorer
    losses: dict[str, float]
    reason: str


class ChosenScorer(EarlierNames):
    """The scorer of a choice, which `describe` tells about. Else it is that scorer.

    Parameters
    ----------
    choice : Choice
    """

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.table = choice.scorer.table
        self.splits = choice.scorer.splits
        self.targets: Targets = choice.scorer.targets
        self.objective = choice.scorer.objective
        self.weights = choice.scorer.weights

    def losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        """Loss of each subset, (n_subsets,)."""
        return self.choice.scorer.losses(subsets, advance=advance)

    def split_losses(
        self, subsets: Sequence[Iterable[str]], *, advance: Advance | None = None
    ) -> FloatArray:
        """Loss of each subset in each split, (n_subsets, n_splits)."""
        return self.choice.scorer.split_losses(subsets, advance=advance)

    def rescore(self, subsets: Sequence[Iterable[str]], n_init: int) -> FloatArray | None:
        """Losses under fresh initialisations, where there are any."""
        return self.choice.scorer.rescore(subsets, n_init)

    def mean_predictor(self) -> FloatArray:
        """Loss in each split of predicting each column's training mean."""
        return self.choice.scorer.mean_predictor()

    def with_targets(self, targets: Targets) -> ChosenScorer:
        """Return the same scorer, not chosen again, for the other kind of target."""
        other = self.choice.scorer.with_targets(targets)
        return ChosenScorer(replace(self.choice, scorer=other))

    def describe(self) -> dict[str, Any]:
        """Return the configuration and the choice, as plain JSON-able values."""
        losses = {name: float(f"{loss:.6g}") for name, loss in self.choice.losses.items()}
        auto = {"losses": losses, "reason": self.choice.reason}
        return {**self.choice.scorer.describe(), "auto": auto}


def make_scorer(
    kind: Name | Literal["auto"],
    table: ResultsTable,
    splits: Splits,
    *,
    targets: Targets = "all",
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    choose_on: Splits | None = None,
    **options: Any,
) -> Scorer:
    """Make a scorer by name.

    Parameters
    ----------
    kind : {"mlp", "ridge", "factor", "auto"}
        "auto" chooses one of the other three, see `choose_scorer`.
    table : ResultsTable
    splits : Splits
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
    seed : int
    choose_on : Splits, optional
        What "auto" compares the candidates on; `splits` by default.
    **options
        Of the scorer, such as ``epochs=20``; with "auto" those of the MLP.

    Returns
    -------
    Scorer
        With "auto" a `ChosenScorer`, whose description holds the losses and the reason.

    Raises
    ------
    EeveeError
        If there is no such scorer or an option is out of range.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> make_scorer("ridge", table, eevee.shuffle_splits(table)).describe()["name"]
    'ridge'
    """
    if kind == "auto":
        choice = choose_scorer(
            table,
            splits,
            targets=targets,
            weights=weights,
            seed=seed,
            choose_on=choose_on,
            **options,
        )
        return ChosenScorer(choice)
    if kind == "mlp":
        return MLPScorer(table, splits, targets=targets, weights=weights, seed=seed, **options)
    if kind == "ridge":
        return RidgeScorer(table, splits, targets=targets, weights=weights, **options)
    if kind == "factor":
        return FactorScorer(table, splits, targets=targets, weights=weights, seed=seed, **options)
    raise EeveeError(f"a scorer is one of {', '.join(CANDIDATES)} and auto, not {kind!r}")


def choose_scorer(
    table: ResultsTable,
    splits: Splits,
    *,
    targets: Targets = "all",
    weights: Mapping[str, float] | None = None,
    seed: int = 0,
    candidates: Sequence[Name] = CANDIDATES,
    choose_on: Splits | None = None,
    **options: Any,
) -> Choice:
    """Choose the scorer that predicts held-out models of this table best.

    Candidates score the same random subsets. Of those within the noise of the lowest loss, the one
    named first is taken.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
        Of the scorer that is returned.
    targets : {"all", "unseen"}
    weights : mapping of benchmark to weight, optional
    seed : int
        Of the random subsets and of the scorers.
    candidates : sequence of {"mlp", "ridge", "factor"}
        In the order in which ties are broken.
    choose_on : Splits, optional
        What the candidates are compared on; `splits` by default. Splits of their own keep this
        choice out of the search loss.
    **options
        Of the MLP, such as ``epochs=20``.

    Returns
    -------
    Choice

    Raises
    ------
    EeveeError
        If there is no candidate, or none of such a name.

    Notes
    -----
    ``docs/methods.md``, section "Choosing a scorer", defines the comparison and its noise (Nadeau
    and Bengio 2003).

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 8)) + 0.1 * rng.normal(size=(40, 8))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcdefgh")))
    >>> found = choose_scorer(table, eevee.shuffle_splits(table), candidates=["ridge", "factor"])
    >>> found.name, sorted(found.losses)
    ('ridge', ['factor', 'ridge'])
    """
    if not candidates:
        raise EeveeError(f"name candidates to choose from: {', '.join(CANDIDATES)}")
    judged = choose_on or splits

    def make(name: Name, on: Splits) -> Scorer:
        own = options if name == "mlp" else {}
        return make_scorer(name, table, on, targets=targets, weights=weights, seed=seed, **own)

    subsets = _random_subsets(table, seed)
    losses = np.stack([make(name, judged).split_losses(subsets) for name in candidates])
    winner, means, reason = _choose(candidates, losses, judged)
    sizes = ", ".join(str(size) for size in sorted(set(map(len, subsets))))
    about = f"held-out loss of {len(subsets)} random subsets of {sizes} benchmarks"
    return Choice(winner, make(winner, splits), means, f"{about} (geometric mean): {reason}")


def _random_subsets(table: ResultsTable, seed: int) -> list[Subset]:
    """Distinct random subsets, about as many of each size."""
    names = table.benchmark_names
    half = max(1, len(names) // 2)
    sizes = sorted({size for size in (2, 4, 8) if size < half} | {half})
    rng = np.random.default_rng([seed, *sizes])
    return [
        table.subset(names[i] for i in chosen)
        for size in sizes
        for chosen in random_index_sets(len(names), size, N_SUBSETS // len(sizes), rng)
    ]


def _choose(
    names: Sequence[Name], losses: FloatArray, splits: Splits
) -> tuple[Name, dict[str, float], str]:
    """Name, mean losses and reason, from losses (n_candidates, n_subsets, n_splits)."""
    logs = _mean_log(losses)
    best = int(np.argmin(logs))
    gaps = [logs[i] - logs[best] for i in range(len(names))]
    noise = [_noise(losses[i], losses[best], splits) for i in range(len(names))]
    chosen = next(i for i in range(len(names)) if i == best or gaps[i] <= noise[i])
    means: dict[str, float] = {
        name: float(np.exp(log)) for name, log in zip(names, logs, strict=True)
    }
    shown = ", ".join(f"{name} {loss:.4g}" for name, loss in means.items())
    return names[chosen], means, f"{shown}; {_why(names, chosen, best, gaps, noise)}"


def _why(
    names: Sequence[Name], chosen: int, best: int, gaps: list[float], noise: list[float]
) -> str:
    if chosen != best:
        return (
            f"{names[best]} is lowest, but {names[chosen]} is only {_percent(gaps[chosen])} above "
            f"it, within the noise ({_percent(noise[chosen])}), and comes first"
        )
    others = [i for i in range(len(names)) if i != best]
    if not others:
        return f"{names[best]} is the only candidate"
    next_best = min(others, key=lambda i: gaps[i])
    return (
        f"{names[best]} is lowest, {names[next_best]} is {_percent(gaps[next_best])} above it "
        f"(noise {_percent(noise[next_best])})"
    )


def _percent(log: float) -> str:
    """Say a difference of logs in percent.

    Examples
    --------
    >>> _percent(0.1)
    '10.5 %'
    """
    return f"{100 * np.expm1(log):.1f} %" if np.isfinite(log) else "unknown"


def _mean_log(losses: FloatArray) -> FloatArray:
    """Mean over subsets of the log of the mean over splits, (...,)."""
    means = losses.mean(axis=-1)
    return np.asarray(np.log(np.maximum(means, np.finfo(np.float64).tiny)).mean(axis=-1))


def _noise(losses: FloatArray, best: FloatArray, splits: Splits) -> float:
    """Standard error of the difference of two candidates' mean logs, (n_subsets, n_splits) each."""
    n = splits.n_splits
    if n == 1:
        return np.inf
    left_out = np.array(
        [
            _mean_log(np.delete(losses, i, axis=1)) - _mean_log(np.delete(best, i, axis=1))
            for i in range(n)
        ]
    )
    share = float(np.mean(splits.test.sum(axis=1) / splits.fit.sum(axis=1)))
    variance = (n - 1) * float(left_out.var()) * (1 + n * share)
    return float(np.sqrt(variance))
