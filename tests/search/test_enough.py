from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import eevee
from eevee.base.errors import EeveeError
from eevee.search.enough import reach_in_words, size_curve, sizes_that_reach, smallest_size
from eevee.search.sweep import sweep


def table() -> eevee.ResultsTable:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(20, 1)) + rng.normal(size=(20, 4)), columns=list("abcd"))
    return eevee.ResultsTable.from_scores(frame.rename(index="m{}".format))


def test_the_smallest_size_of_a_sweep_is_the_first_that_reaches_the_loss():
    scores = table()
    curve = sweep(eevee.RidgeScorer(scores, eevee.shuffle_splits(scores)), [4, 2, 1, 3]).curve
    best = curve.set_index("k")["best_all"]
    for k in (1, 2, 3, 4):
        found = smallest_size(curve, float(best[k]))
        assert found.value == min(size for size in best.index if best[size] <= best[k])
        assert (found.unit, found.bound) == ("benchmarks", "exact")
    none = smallest_size(curve, 0.0)
    assert (none.value, none.bound, none.observed) == (4, "lower", False)
    unseen = curve.set_index("k")["best_unseen"].dropna()
    assert size_curve(curve, "unseen").sizes.tolist() == sorted(unseen.index) == [1, 2, 3]
    found = sizes_that_reach(curve, float(unseen.min()))
    assert found["unseen"].value == unseen.idxmin()


def test_words_say_where_the_loss_is_above_again_and_where_no_size_reaches_it():
    curve = pd.DataFrame(
        {"k": [1, 2, 3], "best_all": [0.5, 0.3, 0.2], "best_unseen": [0.6, 0.8, np.nan]}
    )
    assert reach_in_words(curve, 0.7) == [
        "Search loss of at most 0.7 (targets all): from k = 1",
        "Search loss of at most 0.7 (targets unseen): from k = 1, but not at k = 2",
    ]
    assert reach_in_words(curve, 0.1)[1].endswith("at no size up to 2")


def test_a_curve_read_from_a_file_is_the_same(tmp_path):
    curve = pd.DataFrame({"k": [1, 2], "best_all": [0.5, 0.25], "best_unseen": [0.6, np.nan]})
    curve.to_csv(tmp_path / "curve.csv", index=False)
    read = pd.read_csv(tmp_path / "curve.csv", dtype=str)
    assert smallest_size(read, 0.3) == smallest_size(curve, 0.3)


def test_what_is_no_curve_is_refused():
    with pytest.raises(EeveeError, match="no column 'best_all'"):
        smallest_size(pd.DataFrame({"k": [1]}), 0.1)
    with pytest.raises(EeveeError, match="no size has a loss"):
        smallest_size(pd.DataFrame({"k": [1], "best_all": [np.nan]}), 0.1)
    assert list(sizes_that_reach(pd.DataFrame({"k": [1], "best_all": [1.0]}), 0.1)) == ["all"]
    with pytest.raises(EeveeError, match="no losses"):
        sizes_that_reach(pd.DataFrame({"k": [1]}), 0.1)
    with pytest.raises(EeveeError, match="epsilon"):
        smallest_size(pd.DataFrame({"k": [1], "best_all": [1.0]}), -0.1)


def test_the_verb_says_the_smallest_size(tmp_path):
    from typer.testing import CliRunner

    from eevee.cli.app import app

    table().scores.to_csv(tmp_path / "scores.csv")
    line = ["sweep", str(tmp_path / "scores.csv"), "--sizes", "1:3", "--scorer", "ridge"]
    line += ["--search", "greedy", "--n-splits", "2"]
    curve = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)["curve"]
    level = curve[1]["best_all"]
    shown = CliRunner().invoke(app, [*line, "--epsilon", str(level)])
    assert f"Search loss of at most {level:g} (targets all): from k = 2" in shown.stdout
    found = json.loads(CliRunner().invoke(app, [*line, "--json", "--epsilon", "0"]).stdout)
    assert found["smallest_size"] == {"all": None, "unseen": None}
    for wrong in ("-1", "nan", "inf"):
        assert CliRunner().invoke(app, [*line, "--epsilon", wrong]).exit_code == 2
