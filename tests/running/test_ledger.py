"""The ledger: speeds against a least-squares fit with one column per pair and per machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eevee.base.errors import EeveeError
from eevee.readers import read_table
from eevee.running.ledger import merge_costs

Costs = list[tuple[str, str, float]]


def write(folder: Path, hardware: str, costs: Costs, name: str | None = None) -> Path:
    frame = pd.DataFrame(costs, columns=["model", "benchmark", "cost"])
    if hardware:
        frame["hardware"] = hardware
    path = folder / f"{name or hardware}.csv"
    frame.to_csv(path, index=False)
    return path


def drawn(seed: int, *, machines: int = 4, cells: int = 12) -> dict[str, Costs]:
    """Costs of random pairs on random machines, all connected by the first pair of neighbours."""
    rng = np.random.default_rng(seed)
    found: dict[str, Costs] = {f"h{h}": [] for h in range(machines)}
    for c in range(cells):
        for h in range(machines):
            if rng.random() < 0.4 or c in (h, h - 1):
                found[f"h{h}"].append((f"m{c % 3}", f"b{c}", float(np.exp(rng.normal() + h))))
    return found


def least_squares(found: dict[str, Costs]) -> dict[str, float]:
    """Speeds, that of h0 being 1: log cost = work of the pair - log speed of the machine."""
    rows = [(h, (m, b), np.log(cost)) for h, costs in found.items() for m, b, cost in costs]
    pairs = sorted({pair for _, pair, _ in rows})
    names = sorted(found)
    design = np.zeros((len(rows), len(pairs) + len(names) - 1))
    for i, (h, pair, _) in enumerate(rows):
        design[i, pairs.index(pair)] = 1
        if h != names[0]:
            design[i, len(pairs) + names.index(h) - 1] = -1
    solution, *_ = np.linalg.lstsq(design, np.array([log for _, _, log in rows]), rcond=None)
    return {names[0]: 1.0} | {
        name: float(np.exp(solution[len(pairs) + i])) for i, name in enumerate(names[1:])
    }


@pytest.mark.parametrize("seed", range(6))
def test_speeds_are_those_of_the_least_squares_fit(tmp_path: Path, seed: int):
    found = drawn(seed)
    merged = merge_costs([write(tmp_path, h, costs) for h, costs in found.items()])
    expected = least_squares(found)
    speeds = {name: one.speed for name, one in merged.machines.items()}
    assert speeds == pytest.approx(expected, rel=1e-9)
    # Costs: as measured on the reference, else the geometric mean of those converted.
    for row in merged.costs.itertuples():
        converted = {
            h: cost * expected[h]
            for h, costs in found.items()
            for m, b, cost in costs
            if (m, b) == (row.model, row.benchmark)
        }
        right = converted.get("h0", np.exp(np.mean(np.log(list(converted.values())))))
        assert row.cost == pytest.approx(right, rel=1e-9)
        assert row.measured_on == ("h0" if "h0" in converted else " and ".join(converted))


def test_neither_order_nor_reference_changes_what_is_known(tmp_path: Path):
    found = drawn(3)
    paths = [write(tmp_path, h, costs) for h, costs in found.items()]
    first = merge_costs(paths, reference="h2")
    again = merge_costs(paths[::-1], reference="H2")  # case does not count
    key = ["model", "benchmark"]
    pd.testing.assert_frame_equal(
        first.costs.set_index(key)[["cost"]].sort_index(),
        again.costs.set_index(key)[["cost"]].sort_index(),
    )
    ratio = {h: one.speed / least_squares(found)[h] for h, one in first.machines.items()}
    assert list(ratio.values()) == pytest.approx([ratio["h0"]] * 4)


def test_exact_costs_have_their_exact_speed_and_no_spread(tmp_path: Path):
    slow = write(tmp_path, "slow", [("m", "a", 10), ("m", "b", 20), ("m", "c", 30)])
    fast = write(tmp_path, "fast", [("m", "a", 5), ("m", "b", 10), ("n", "d", 7)])
    merged = merge_costs([slow, fast])
    one = merged.machines["fast"]
    assert (one.costs, one.shared, one.speed) == (3, 2, pytest.approx(2))
    assert one.spread == pytest.approx(1)
    assert dict(zip(merged.costs["benchmark"], merged.costs["cost"], strict=True)) == {
        "a": 10, "b": 20, "c": 30, "d": 14,
    }  # fmt: skip


def test_the_spread_is_the_factor_by_which_costs_are_off(tmp_path: Path):
    one = write(tmp_path, "x", [("m", "a", 1), ("m", "b", 1)])
    other = write(tmp_path, "y", [("m", "a", 4), ("m", "b", 1)])
    merged = merge_costs([one, other])
    assert merged.machines["y"].speed == pytest.approx(0.5)  # the ratios are 4 and 1
    assert merged.machines["y"].spread == pytest.approx(2**0.5)


def test_what_nothing_connects_is_named_and_left_out(tmp_path: Path):
    paths = [
        write(tmp_path, "x", [("m", "a", 1), ("m", "b", 2)]),
        write(tmp_path, "y", [("m", "b", 4), ("m", "c", 8)]),
        write(tmp_path, "z", [("m", "d", 1), ("n", "b", 3)]),
        write(tmp_path, "w", [("m", "d", 2), ("m", "a ", 2)]),
    ]
    merged = merge_costs(paths[:3])
    assert merged.machines["z"].speed is None
    assert merged.unknown == ("d",)
    assert set(zip(merged.costs["model"], merged.costs["benchmark"], strict=True)) == {
        ("m", "a"), ("m", "b"), ("m", "c"),
    }  # fmt: skip
    # Another machine connects it.
    assert merge_costs(paths).machines["z"].speed is not None
    assert merge_costs(paths).unknown == ()


def test_a_file_without_hardware_is_a_machine_of_its_own(tmp_path: Path):
    (tmp_path / "r").mkdir()
    paths = [
        write(tmp_path, "", [("m", "a", 1), ("m", "b", 2)], "costs"),
        write(tmp_path / "r", "", [("m", "a", 3)], "costs"),
    ]
    merged = merge_costs(paths)
    assert {name: one.speed for name, one in merged.machines.items()} == pytest.approx(
        {str(paths[0]): 1, str(paths[1]): 1 / 3}
    )


def test_tables_of_models_and_benchmarks_and_costs_per_benchmark_are_read_too(tmp_path: Path):
    wide = tmp_path / "wide.csv"
    wide.write_text("model,a,b\nm,1,2\nn,3,\n")
    long = write(tmp_path, "y", [("n", "a", 6), ("n", "b", 8)])
    merged = merge_costs([wide, long])
    assert merged.costs["cost"].tolist() == [1, 2, 3, 4]
    per_benchmark = tmp_path / "b.csv"
    per_benchmark.write_text("benchmark,cost\na,1\nb,2\n")
    assert list(merge_costs([per_benchmark]).costs["cost"]) == [1, 2]
    with pytest.raises(EeveeError, match=r"b.csv: has costs per benchmark, .*wide.csv per model"):
        merge_costs([wide, per_benchmark])


def test_what_is_merged_is_read_as_it_is_and_can_be_merged_again(tmp_path: Path):
    found = drawn(1)
    merged = merge_costs([write(tmp_path, h, costs) for h, costs in found.items()])
    merged.write_csv(tmp_path / "all.csv")
    again = merge_costs([tmp_path / "all.csv"])
    assert again.reference == "h0"
    assert again.costs["cost"].tolist() == merged.costs["cost"].tolist()
    names = list(dict.fromkeys(merged.costs["benchmark"]))
    scores = pd.DataFrame(np.random.default_rng(0).random((4, len(names))), columns=names)
    scores.insert(0, "model", ["m0", "m1", "m2", "m3"])
    table = read_table(scores, costs=tmp_path / "all.csv")
    expected = merged.costs.groupby("benchmark")["cost"].median()
    assert table.benchmarks["cost"].to_dict() == pytest.approx(expected.to_dict())


def test_an_unknown_reference_and_empty_files_are_refused(tmp_path: Path):
    path = write(tmp_path, "A100", [("m", "a", 1)])
    with pytest.raises(EeveeError, match=r"no cost was measured on 'A10O'.*A100"):
        merge_costs([path], reference="A10O")
    with pytest.raises(EeveeError, match=r"no\.csv"):
        merge_costs([tmp_path / "no.csv"])
    (tmp_path / "e.csv").write_text("model,benchmark,cost\nm,a,\n")
    with pytest.raises(EeveeError, match="no cost"):
        merge_costs([tmp_path / "e.csv"])
