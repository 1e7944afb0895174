from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import eevee
from eevee.search.checkpoint import Checkpoints
from eevee.search.control import RunControl
from eevee.search.evolution.evolve import evolve
from eevee.search.evolution.generations import Evolution
from eevee.search.goal import Goal
from eevee.search.greedy import CHUNK, swapped
from tests.search.function_scorer import FunctionScorer, noise, smooth, table_with

QUICK = Evolution(population=60, winners=10, children=5, generations=6, patience=None)
GOALS = [{"k": 4}, {"budget": 5.0}]


def search(
    kept: Checkpoints | None = None,
    *,
    loss=smooth,
    stop_after: int | None = None,
    stop_when=lambda: False,
    **options,
):
    scorer = FunctionScorer(table_with(16), loss, again=noise)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return stop_when() or (stop_after is not None and asked > stop_after)

    options = {"k": 4, "evolution": QUICK, "seed": 3} | options
    return evolve(scorer, exhaustive=False, control=RunControl(kept, stop), **options), scorer


def same(one: eevee.SearchResult, other: eevee.SearchResult) -> bool:
    frames = ("ranked", "evaluated", "logbook")
    return one.settings == other.settings and all(
        getattr(one, name).to_csv() == getattr(other, name).to_csv() for name in frames
    )


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("selection", ["best", "tournament"])
@pytest.mark.parametrize("stop_after", [0, 1, 3, 6, 7, 8, 20])
def test_a_search_that_was_stopped_goes_on_as_if_it_had_not_been(
    tmp_path: Path, goal: dict, selection: str, stop_after: int
) -> None:
    evolution = replace(QUICK, selection=selection, rival=selection == "best")
    options = {"k": None, **goal, "evolution": evolution}
    whole, _ = search(**options)
    kept = Checkpoints(tmp_path)
    part, _ = search(kept, stop_after=stop_after, **options)
    assert len(part.evaluated) <= len(whole.evaluated)
    again, scorer = search(kept, **options)
    assert same(again, whole)
    if not evolution.rival or not part.settings.get("interrupted"):
        assert len(scorer.asked) <= len(whole.evaluated) - len(part.evaluated) + 16


def test_a_stopped_search_says_so_and_ranks_what_it_has(tmp_path: Path) -> None:
    part, _ = search(stop_after=2)
    assert part.settings["interrupted"] is True
    assert part.ranked["rescored_mean"].isna().all()
    assert part.best_row["loss"] == part.evaluated["loss"].min()


@pytest.mark.parametrize("goal", GOALS)
def test_a_stop_while_greedy_search_runs_loses_nothing_and_greedy_runs_no_more_than_it_must(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, goal: dict
) -> None:
    from eevee.search import greedy

    options = {"k": None, **goal, "evolution": replace(QUICK, generations=2, polish=False)}
    whole, _ = search(**options)
    climbs, climb = [], greedy.Steps.climb

    def once(steps: greedy.Steps, subset: tuple, **more) -> tuple:
        climbs.append(subset)
        return climb(steps, subset, **more)

    monkeypatch.setattr(greedy.Steps, "climb", once)
    kept = Checkpoints(tmp_path)
    part, _ = search(kept, stop_when=lambda: bool(climbs), **options)
    assert part.settings["interrupted"]
    assert len(climbs) == 1
    assert same(search(kept, **options)[0], whole)
    assert len(climbs) == 2
    again, _ = search(kept, stop_after=0, **options)  # it is done: nothing is left to stop
    assert same(again, whole)
    assert len(climbs) == 2


def test_a_stop_is_heard_inside_a_step_of_the_greedy_search(tmp_path: Path) -> None:
    """A step of a wide table takes long: not all of its subsets are scored first."""
    scorer = FunctionScorer(table_with(250), smooth)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 2

    assert swapped(scorer, Goal(2).space(scorer.table), RunControl(stop=stop)) is None
    assert len(scorer.asked) == 2 * CHUNK < 250


@pytest.mark.slow
def test_a_network_scorer_says_the_same_of_its_epochs_after_a_resumed_search(
    tmp_path: Path,
) -> None:
    from tests.conftest import made_table
    from tests.scorers.tables import few_splits

    table = made_table(n_models=16, n_benchmarks=9)
    tiny = Evolution(population=12, winners=3, children=2, generations=1, polish=False)
    told = []
    for _ in range(2):
        scorer = eevee.MLPScorer(table, few_splits(table, n_splits=2), epochs="auto")
        evolve(
            scorer,
            5,
            evolution=tiny,
            exhaustive=False,
            n_rescore=0,
            control=RunControl(Checkpoints(tmp_path)),
        )
        told.append(scorer.describe())
    assert told[0] == told[1]
    assert len(told[0]["epochs_by_size"]) > 1


def test_only_the_newest_state_of_a_search_is_kept_and_it_goes_in_the_end(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path / "kept")
    search(kept)
    search(kept, label="other")
    assert len(list(kept.folder.iterdir())) == 4
    kept.remove()
    assert not kept.folder.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 5}, r"of another run: search\.k was 4, and is 5 now"),
        ({"seed": 4}, r"search\.seed was 3, and is 4 now"),
        ({"evolution": replace(QUICK, children=6)}, r"search\.children was 5, and is 6 now"),
        ({"include": [("b00", "b01", "b02", "b03")]}, r"search\.include was \[\], and is \[\["),
        ({"loss": noise}, "does not agree with this machine"),
    ],
)
def test_another_search_is_refused_and_the_message_says_what_differs(
    tmp_path: Path, change: dict, message: str
) -> None:
    kept = Checkpoints(tmp_path)
    search(kept, stop_after=2)
    with pytest.raises(eevee.EeveeError, match=message):
        search(kept, **change)


def test_another_table_or_other_splits_or_another_version_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_with(16)
    options = {
        "k": 4,
        "exhaustive": False,
        "evolution": QUICK,
        "checkpoints": Checkpoints(tmp_path),
    }
    splits = eevee.shuffle_splits(table, n_splits=2)
    evolve(eevee.RidgeScorer(table, splits), **options)
    scores = table.scores.copy()
    scores.iloc[3, 5] += 1e-6
    other = eevee.ResultsTable.from_scores(scores, benchmarks=table.benchmarks, cost_unit="h")
    with pytest.raises(eevee.EeveeError, match="the table has changed"):
        evolve(eevee.RidgeScorer(other, splits), **options)
    with pytest.raises(eevee.EeveeError, match="the splits have changed"):
        evolve(eevee.RidgeScorer(table, eevee.shuffle_splits(table, n_splits=2, seed=1)), **options)
    monkeypatch.setattr("eevee.search.checkpoint.__version__", "9.9")
    with pytest.raises(eevee.EeveeError, match=r"version was .*, and is \"9.9\" now"):
        evolve(eevee.RidgeScorer(table, splits), **options)


@pytest.mark.parametrize("part", ["json", "npz"])
@pytest.mark.parametrize("damage", [b"", b"{}", b"\x80\x04N.", b"PK\x03\x04"])
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, part: str, damage: bytes) -> None:
    kept = Checkpoints(tmp_path)
    search(kept, stop_after=2)
    (path,) = tmp_path.glob(f"*.{part}")
    path.write_bytes(damage)
    with pytest.raises(eevee.EeveeError, match=r"remove the folder .* to start again"):
        search(kept)


def test_a_checkpoint_cannot_name_a_file_elsewhere_or_hold_a_pickle(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path / "kept")
    search(kept, stop_after=2)
    (path,) = kept.folder.glob("*.json")
    content = json.loads(path.read_text())
    np.savez(tmp_path / "out.npz", members=np.array([object()]))
    path.write_text(json.dumps({**content, "arrays": "../out.npz"}))
    with pytest.raises(eevee.EeveeError, match="is damaged"):
        search(kept)
    np.savez(kept.folder / "in.npz", members=np.array([object()], dtype=object))
    path.write_text(json.dumps({**content, "arrays": "in.npz"}))
    with pytest.raises(eevee.EeveeError, match="is damaged"):
        search(kept)


def test_every_flipped_bit_of_a_checkpoint_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    """A state with one bit flipped resumes with the same bytes, or not at all."""
    scorer = FunctionScorer(table_with(16), smooth, again=noise)
    kept = Checkpoints(tmp_path)
    search(kept, stop_after=2)
    rng = np.random.default_rng(0)
    refused = 0
    (path,) = tmp_path.glob("*.json")
    about = json.loads(path.read_text())["about"]
    label, settings = about["label"], about["search"]
    whole = kept.of(label, scorer, settings).load()
    for part in ("json", "npz"):
        (path,) = tmp_path.glob(f"*.{part}")
        content = path.read_bytes()
        for place in rng.integers(0, len(content), size=150):
            flipped = bytearray(content)
            flipped[place] ^= 1 << rng.integers(0, 8)
            path.write_bytes(flipped)
            try:
                again = kept.of(label, scorer, settings).load()
            except eevee.EeveeError:
                refused += 1
            else:
                assert again is not None
                assert vars(again) == vars(whole)
        path.write_bytes(content)
    assert refused > 250


def test_a_deeply_nested_checkpoint_is_refused(tmp_path: Path) -> None:
    kept = Checkpoints(tmp_path)
    search(kept, stop_after=2)
    (path,) = tmp_path.glob("*.json")
    path.write_text("[" * 100_000)
    with pytest.raises(eevee.EeveeError, match="is damaged"):
        search(kept)
