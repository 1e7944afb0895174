"""`learning_curve`: whole searches on fewer models; how many does one need?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from eevee.assessment.assess import searched_before
from eevee.assessment.folds import MEAN_PREDICTOR
from eevee.assessment.learning_result import LearningCurve, summarise_curve
from eevee.assessment.result import RANDOM_SUBSETS, Assessment, summarise
from eevee.assessment.study import RANDOM, Study, StudySettings
from eevee.base.arrays import Subset
from eevee.base.errors import EeveeError, Stopped
from eevee.base.keywords import shares_keywords
from eevee.base.seeds import child_seed
from eevee.scorers.base import Scorer
from eevee.search.control import takes_control
from eevee.splits.splits import Splits
from eevee.tables.results_table import ResultsTable

N_RANDOM = 20
"""Random subsets, the same ones for every number of models."""
DRAWS = 200
"""Which child of the seed the draws of models get."""
FEWEST = 5
"""Models that splits can be made of with two to test and three to train and validate."""
SMALLEST, STEPS = 8, 5


@takes_control
@shares_keywords(StudySettings, Study)
def learning_curve(
    table: ResultsTable | Study,
    k: int | None = None,
    *,
    sizes: Sequence[int] | None = None,
    known: Assessment | None = None,
    **settings: Unpack[StudySettings],
) -> LearningCurve:
    """Estimate the held-out loss of a whole search on fewer models: how many does one need?

    In each outer split of `eevee.assess`, n of the models that are not held out are drawn; the
    whole search runs on these alone, and a meta-model that is fitted on these alone is judged on
    the held-out models. A smaller draw lies within a larger one; each split has a draw of its own.

    Parameters
    ----------
    table : ResultsTable or Study
    k : int, optional
    sizes : sequence of int, optional
        Numbers of models, at least two of them; at most what an outer split leaves. By default
        `default_sizes`.
    known : Assessment, optional
        From `eevee.assess` of the same study: what it found with all models of a split is not
        searched for again.
    **settings
        As `eevee.assessment.Study` says. With all models of a split, losses and subsets are those
        of `eevee.assess` with the same seed.

    Returns
    -------
    LearningCurve

    Raises
    ------
    EeveeError
        As `eevee.assess`; if a size is out of range; or if the table has too few models for two
        sizes.
    Stopped
        If `control` stopped it before all was done.

    Notes
    -----
    *Differences* between numbers of models, and to random subsets, are paired over outer splits,
    with Nadeau and Bengio's correction. Its ratio of test to training models stands for how far
    splits repeat one another, which smaller draws only make less; so it is that of all models of
    a split for every size.

    *Random subsets* are the same for every number of models: their loss falls by the fit of the
    meta-model alone, and what a search has beyond them is its choice.

    *Sparse tables.* A column with too few scores among the models drawn is not predicted, and
    has no part in that loss.

    Perlich, Provost and Simonoff (2003), "Tree induction vs. logistic regression: a learning-curve
    analysis"; Viering and Loog (2023), "The shape of learning curves: a review".

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(40, 1)) + 0.5 * rng.normal(size=(40, 5))
    >>> table = ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    >>> found = learning_curve(table, 2, scorer="ridge", sizes=[8, 16, 32], n_repeats=1)
    >>> found.sizes["n_models"].tolist()
    [8, 16, 32]
    >>> bool(found.sizes["loss"].iloc[0] > found.sizes["loss"].iloc[-1])
    True
    """
    study = Study.of(table, k, **settings)
    study.check_goal()
    rng = np.random.default_rng(child_seed(study.seed, RANDOM))
    random = study.goal.space(study.table).draws(rng, N_RANDOM)[:N_RANDOM]
    _ = study.labels  # an unknown attribute fails here, before any search
    runs = Runs(study, random, searched_before(known, study))
    asked = _checked(sizes, runs.largest, study.table)
    found, left_out = _run_all(runs, asked, given=sizes is not None)
    about = study.about | {
        "n_random": len(random),
        "left_out": left_out,
        "scorer": found[max(found)].settings["scorer"],
    }
    return summarise_curve(found, study.table.n_models, about)


def default_sizes(largest: int) -> tuple[int, ...]:
    """Return up to five numbers of models: all, half, and smaller ones down to 8.

    Tables too small for that get steps of a factor of 1.4, down to 5.

    Examples
    --------
    >>> [default_sizes(n) for n in (10, 13, 16, 58, 1245)]
    [(5, 7, 10), (5, 6, 9, 13), (6, 8, 11, 16), (8, 12, 19, 29, 58), (8, 34, 146, 622, 1245)]
    """
    steps = largest / np.sqrt(2) ** np.arange(STEPS)
    if steps[-1] > SMALLEST + 3:
        steps = np.array([largest, *np.geomspace(largest / 2, SMALLEST, STEPS - 1)])
    return tuple(sorted({round(float(n)) for n in steps if round(float(n)) >= FEWEST}))


def nested_splits(outer: Splits, n_models: int, seed: int) -> Splits:
    """Draw some of the models that each split fits on; the others of them are on no side.

    Training and validation models keep their shares. With one seed a smaller draw lies within a
    larger one.

    Examples
    --------
    >>> from eevee.splits.splits import fold_splits
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": np.arange(20.0)})
    >>> outer = fold_splits(ResultsTable.from_scores(frame), n_folds=2, n_repeats=1)
    >>> small, large = (nested_splits(outer, n, seed=0).fit for n in (5, 8))
    >>> small.sum(axis=1).tolist(), bool((small <= large).all())
    ([5, 5], True)
    """
    train, validation = np.zeros_like(outer.train), np.zeros_like(outer.validation)
    for number, (trains, validates) in enumerate(zip(outer.train, outer.validation, strict=True)):
        rng = np.random.default_rng(child_seed(seed, number))
        first, second = (rng.permutation(np.flatnonzero(mask)) for mask in (trains, validates))
        n = min(n_models, len(first) + len(second))
        share = len(second) / (len(first) + len(second))
        n_second = max(round(n * share), min(1, len(second)))
        train[number, first[: n - n_second]] = True
        validation[number, second[:n_second]] = True
    return Splits(train=train, validation=validation, test=outer.test)


@dataclass(frozen=True)
class Runs:
    """What every number of models has in common."""

    study: Study
    random: Sequence[Subset]
    known: Sequence[Subset] | None

    @property
    def largest(self) -> int:
        """Models that an outer split leaves."""
        return int(self.study.rounds.splits.fit.sum(axis=1).max())

    def at(self, n_models: int) -> Assessment:
        """Search and judge with a given number of models in every outer split."""
        study = self.study
        search = study.procedure.title
        random = {f"{RANDOM_SUBSETS} {i}": one for i, one in enumerate(self.random)}

        def find(scorer: Scorer, number: int, seed: int) -> dict[str, Subset]:
            if self.known is not None and n_models == self.largest:
                return {search: self.known[number], **random}
            found = study.procedure.run(
                scorer,
                **study.goal.arguments,
                seed=seed,
                label=f"{n_models} models, fold {number + 1}",
                control=study.control,
            )
            return {search: found.best, **random}

        members = {
            search: [search],
            RANDOM_SUBSETS: list(random),
            MEAN_PREDICTOR: [MEAN_PREDICTOR],
        }
        outer = study.rounds.splits
        drawn = nested_splits(outer, n_models, child_seed(study.seed, DRAWS))
        n_pool = float(outer.fit.sum(axis=1).mean())
        return summarise(study.judge(find, members, splits=drawn, n_pool=n_pool), {})


def _checked(sizes: Sequence[int] | None, largest: int, table: ResultsTable) -> tuple[int, ...]:
    if sizes is None:
        sizes = default_sizes(largest)
        if len(sizes) < 2:
            raise EeveeError(
                f"{table.n_models} models are too few for a learning curve: an outer split leaves "
                f"{largest}, and it takes {FEWEST} and more"
            )
    for size in sizes:
        if not FEWEST <= size <= largest:
            raise EeveeError(
                f"sizes must lie between {FEWEST} and the {largest} models that an outer split "
                f"leaves, got {size}"
            )
    if len(set(sizes)) < 2:
        raise EeveeError("a learning curve needs at least two sizes")
    return tuple(sorted(set(sizes)))


def _run_all(
    runs: Runs, sizes: Sequence[int], *, given: bool
) -> tuple[dict[int, Assessment], dict[str, str] | None]:
    """Run the largest first: what fails there is the user's to fix; below, models are too few."""
    found: dict[int, Assessment] = {}
    for size in reversed(sizes):
        try:
            found = {size: runs.at(size), **found}
        except Stopped:
            raise
        except EeveeError as error:
            if given or not found:
                raise
            return found, {"sizes": f"{size} and fewer", "why": str(error)}
    return found, None
