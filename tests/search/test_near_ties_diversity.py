"""Near ties that are settled by diversity."""

import numpy as np
import pandas as pd

from eevee.scorers.ridge.scorer import RidgeScorer
from eevee.search.near_ties import noise, settle, settled_words
from eevee.search.procedure import Procedure
from eevee.splits.splits import shuffle_splits
from eevee.tables.results_table import ResultsTable


def test_the_most_diverse_within_a_standard_error_is_proposed_if_asked() -> None:
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.normal(size=(40, 1)) + 0.8 * rng.normal(size=(40, 7)))
    table = ResultsTable.from_scores(scores.rename(str, axis=1))
    scorer = RidgeScorer(table, shuffle_splits(table))
    plain = Procedure(near_ties="loss").run(scorer, k=3, seed=0)
    found = settle(scorer, plain, "diversity")
    near = plain.evaluated[plain.evaluated["loss"] <= plain.best_row["loss"] + noise(scorer, plain)]
    apart = 1 - table.scores.corr(method="spearman").abs()

    def diverse(subset: tuple[str, ...]) -> float:
        names = list(subset)
        return float(apart.loc[names, names].to_numpy()[np.triu_indices(3, 1)].mean())

    assert len(near) > 1
    assert found.best == max(near["benchmarks"], key=diverse)
    assert found.settings["near_ties"] == "diversity"
    assert settle(scorer, plain, "auto") is plain
    if found.best != plain.best:
        assert "most diverse columns" in str(settled_words(found))
