"""How far searches agree that go by different objectives."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from eevee.assessment.result import Assessment
from eevee.stats.overlap import jaccard, kuncheva


def objective_agreement(found: Assessment) -> pd.DataFrame:
    """Compare what searches by different objectives chose on the same models.

    Parameters
    ----------
    found : Assessment
        From `eevee.assess` with ``objectives``.

    Returns
    -------
    DataFrame, one row per pair of searches
        ``first, second``: their names in `found`; ``jaccard, kuncheva``: means over outer splits,
        in each of which both searched on the same models (0 for Kuncheva's index is what random
        subsets reach); ``same``: share of the splits in which both chose the same. Empty for one
        objective.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(30, 1)) + 0.5 * rng.normal(size=(30, 5))
    >>> table = eevee.ResultsTable.from_scores(pd.DataFrame(scores, columns=list("abcde")))
    >>> options = {"scorer": "ridge", "n_repeats": 1, "n_random": 2, "beside": ()}
    >>> found = eevee.assess(table, 2, objectives=["kendall"], **options)
    >>> objective_agreement(found)[["first", "second"]].to_numpy().tolist()
    [['evolution', 'evolution (kendall)']]
    """
    chosen = {
        name: found.folds.loc[found.folds["method"] == name, "benchmarks"].tolist()
        for name in found.settings.get("objectives", ())
    }
    n = found.settings.get("n_benchmarks", 0)
    rows = []
    for first, second in combinations(chosen, 2):
        pairs = list(zip(chosen[first], chosen[second], strict=True))
        beyond = float(np.mean([kuncheva(a, b, n) for a, b in pairs]))
        alike = float(np.mean([jaccard(a, b) for a, b in pairs]))
        same = float(np.mean([set(a) == set(b) for a, b in pairs]))
        rows.append((first, second, alike, beyond, same))
    return pd.DataFrame(rows, columns=["first", "second", "jaccard", "kuncheva", "same"])
