from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from eevee.base.errors import EeveeError
from eevee.measures.loss_data import LossDataCurve, log_sizes, portion_sizes
from eevee.measures.loss_data_frames import curve_notes, curves_of_frame, loss_data_table
from tests.measures.task_fixture import reference


def plain(sizes: list[int], losses: list[float], epsilon: float, k: int, rule: str) -> float:
    """The sum over each sample: which model codes it, by the rule."""
    total = 0.0
    for sample in range(1, sizes[-1] + 1):
        after = next(i for i, size in enumerate(sizes) if sample <= size)
        left = losses[after - 1] if after else math.log(k)
        left, right = max(left - epsilon, 0), max(losses[after] - epsilon, 0)
        total += {"left": left, "right": right, "trapezoid": (left + right) / 2}[rule]
    return total


SIZES = [3, 7, 20, 55]
CURVES = st.lists(st.floats(0, 3), min_size=4, max_size=4)


@settings(max_examples=20)
@given(losses=CURVES, epsilon=st.floats(0, 2), rule=st.sampled_from(["left", "right", "trapezoid"]))
def test_areas_are_sums_over_samples(losses: list[float], epsilon: float, rule: Any):
    curve = LossDataCurve.of(SIZES, losses, n_classes=4)
    for i, n in enumerate(SIZES):
        expected = plain(SIZES[: i + 1], losses, epsilon, 4, rule)
        found = curve.sdl(epsilon, n, rule)
        assert found.value == pytest.approx(expected, abs=1e-9)
        assert found.observed == (losses[i] <= epsilon) == (found.bound == "exact")
        assert found.certified == (losses[i] <= epsilon / 2)
        assert curve.mdl(n, rule).value == pytest.approx(plain(SIZES[: i + 1], losses, 0, 4, rule))


@settings(max_examples=20)
@given(losses=CURVES)
def test_sdl_at_zero_is_mdl_and_sdl_falls_convexly_with_epsilon(losses: list[float]):
    curve = LossDataCurve.of(SIZES, losses, n_classes=4)
    for rule in ("left", "right", "trapezoid"):
        assert curve.sdl(0, rule=rule).value == curve.mdl(rule=rule).value  # type: ignore[arg-type]
        values = np.array([curve.sdl(e, rule=rule).value for e in np.linspace(0, 3, 13)])  # type: ignore[arg-type]
        assert (np.diff(values) <= 1e-9).all()
        assert (np.diff(values, 2) >= -1e-9).all()
    complexities = [curve.esc(e) for e in (2.0, 1.0, 0.5, 0.1)]
    values = [math.inf if one.bound == "lower" else one.value for one in complexities]
    assert values == sorted(values)


@settings(max_examples=20)
@given(losses=CURVES)
def test_right_and_left_edges_are_a_bracket_of_a_curve_that_never_rises(losses: list[float]):
    falling = sorted((min(one, math.log(4)) for one in losses), reverse=True)
    curve = LossDataCurve.of(SIZES, falling, n_classes=4)
    assert not len(curve.rises)
    for middle, left in (
        (curve.sdl(0.3, rule="trapezoid"), curve.sdl(0.3)),
        (curve.mdl(rule="trapezoid"), curve.mdl()),
    ):
        assert middle.low - 1e-9 <= middle.value <= middle.high + 1e-9
        assert middle.high == (pytest.approx(left.value) if middle.observed else math.inf)
    assert curve.sdl(0.3).low == pytest.approx(curve.sdl(0.3, rule="right").value)


def test_a_complexity_that_was_not_seen_is_a_bound_and_no_number():
    curve = LossDataCurve.of([10, 100], [0.5, 0.21], n_classes=2)
    seen, unseen = curve.esc(0.45), curve.esc(0.2)
    assert (seen.value, seen.bound, seen.observed, seen.certified) == (100, "exact", True, True)
    assert (seen.low, seen.high, seen.certified_n, seen.unit) == (10, 100, 100, "samples")
    assert (unseen.value, unseen.bound, unseen.observed) == (100, "lower", False)
    assert (unseen.low, unseen.high, unseen.certified_n) == (100, math.inf, None)
    assert str(unseen) == "> 100"
    assert str(seen) == "100"
    assert not curve.esc(0.4).certified
    assert curve.esc(0.5).low == 0
    assert curve.esc(0.5, 10).high == 10


def test_bits_are_nats_over_log_two_and_samples_stay():
    curve = LossDataCurve.of([10, 100], [[0.5, 0.7], [0.2, 0.3]], n_classes=2, label_entropy=0.69)
    for one in (curve.va(), curve.mdl(), curve.sdl(0.1), curve.mi()):
        bits = one.in_bits()
        assert bits.value == pytest.approx(one.value / math.log(2))
        assert bits.stderr == pytest.approx(one.stderr / math.log(2))
        assert bits.unit == one.unit.replace("nats", "bits")
    assert curve.esc(0.1).in_bits() == curve.esc(0.1)
    compression = 100 * math.log2(2) / curve.mdl().in_bits().value
    assert compression == pytest.approx(100 * math.log(2) / curve.mdl().value)


def test_the_bound_of_information_is_entropy_less_loss_and_not_negative():
    curve = LossDataCurve.of([1, 2], [2.0, 0.2], label_entropy=math.log(2))
    assert curve.mi().value == pytest.approx(math.log(2) - 0.2)
    assert (curve.mi().bound, curve.mi().higher_is_better) == ("lower", True)
    assert curve.mi(1).value == 0


def test_standard_errors_are_those_of_seeds():
    losses = np.random.default_rng(0).random((3, 8))
    curve = LossDataCurve.of([1, 5, 9], losses, n_classes=2)
    own = [LossDataCurve.of([1, 5, 9], one, n_classes=2).mdl().value for one in losses.T]
    assert curve.mdl().value == pytest.approx(np.mean(own))
    assert curve.mdl().stderr == pytest.approx(np.std(own, ddof=1) / np.sqrt(8))
    assert curve.va().stderr == pytest.approx(curve.stderr[-1])
    assert math.isnan(LossDataCurve.of([1], [0.5], n_classes=2).mdl().stderr)


def test_curves_that_rise_say_so_and_can_be_made_to_fall():
    curve = LossDataCurve.of([1, 2, 3, 4], [0.5, 0.2, 0.4, 0.1], n_classes=2, name="odd")
    assert curve.rises.tolist() == [3]
    assert curve.crossings(0.3) == 2
    assert len(curve_notes(curve, [0.3])) == 2
    assert curve_notes(curve, [0.05]) == [
        "odd: the loss rises at 3 samples; SDL and eSC assume that it never does"
    ]
    expected = IsotonicRegression(increasing=False).fit_transform([1, 2, 3, 4], curve.mean)
    np.testing.assert_allclose(curve.falling().mean, expected)
    assert not len(curve.falling().rises)
    assert loss_data_table([curve], epsilons=[0.3]).notes == tuple(curve_notes(curve, [0.3]))


def test_a_loss_above_the_uniform_code_is_a_rise_of_which_the_sums_are_no_bracket():
    curve = LossDataCurve.of([10, 20], [2.0, 0.1], n_classes=2)
    assert curve.rises.tolist() == [10]
    assert curve.mdl().low == pytest.approx(10 * 2.0 + 10 * 0.1)
    assert curve.mdl().high > curve.mdl().low
    worse = LossDataCurve.of([10, 11], [2.0, 0.1], n_classes=2)
    assert worse.mdl().high < worse.mdl().low
    assert curve.falling().mean.tolist() == pytest.approx([math.log(2), 0.1])
    assert not len(curve.falling().rises)
    assert not len(LossDataCurve.of([10, 20], [2.0, 0.1]).rises)


def test_sizes_are_evenly_spaced_in_their_logarithm():
    assert log_sizes(10, 50000, 20)[::19] == [10, 50000]
    steps = np.diff(np.log(log_sizes(100, 100000, 7)))
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-2)
    assert log_sizes(1, 4, 30) == [1, 2, 3, 4]
    assert log_sizes(3, 90, 1) == [90]
    assert portion_sizes(100000)[:3] == [100, 200, 400]
    wrong: tuple[tuple[Any, ...], ...] = ((20, 10), (10, math.inf), (10, 20, 2.5), (0, 5))
    for given_sizes in wrong:
        with pytest.raises(EeveeError, match="sizes"):
            log_sizes(*given_sizes)
    for n, portions in ((0, [0.5]), (10, [2.0]), (10, [math.nan])):
        with pytest.raises(EeveeError, match="portions"):
            portion_sizes(n, portions)


@pytest.mark.parametrize(
    ("sizes", "losses", "options", "words"),
    [
        ([], [], {}, "one or more"),
        ([0, 1], [1.0, 1.0], {}, "above 0"),
        ([1.5, 2], [1.0, 1.0], {}, "whole"),
        ([1, 1], [1.0, 2.0], {}, "twice"),
        ([1, 2], [1.0], {}, "2 sizes"),
        ([1, 2], [1.0, np.nan], {}, "finite"),
        ([1, 2], [1.0, -0.1], {}, "below 0"),
        ([1, 2], [1.0, 0.5], {"n_classes": 1}, "n_classes"),
        ([1, 2], [1.0, 0.5], {"n_classes": math.nan}, "n_classes"),
        ([1, 2], [1.0, 0.5], {"n_classes": 2.5}, "n_classes"),
        ([1, 2], [1.0, 0.5], {"n_classes": 2, "label_entropy": 1.0}, "in nats"),  # a bit
        ([1, 2], [[1.0], [0.5, 0.3]], {}, "different lengths"),
        ([[1], [2, 3]], [1.0, 0.5], {}, "different lengths"),
        ([1, 2], [1.0, 0.5], {"label_entropy": -1}, "label_entropy"),
    ],
)
def test_what_is_no_curve_is_refused(sizes: Any, losses: Any, options: Any, words: str):
    with pytest.raises(EeveeError, match=words):
        LossDataCurve.of(sizes, losses, name="a", **options)


def test_what_cannot_be_read_off_is_refused():
    curve = LossDataCurve.of([2, 4], [0.5, 0.4])
    asked: list[Callable[[], object]] = [
        lambda: curve.va(3),
        curve.mdl,
        curve.mi,
        lambda: curve.sdl(-0.1, rule="right"),
        lambda: curve.mdl(rule="middle"),  # type: ignore[arg-type]
        lambda: curve.esc(math.nan),
        lambda: curve.esc("low"),  # type: ignore[arg-type]
        lambda: curve.crossings(math.nan),
        lambda: loss_data_table([]),
        lambda: loss_data_table([curve, curve], rule="right"),
        lambda: loss_data_table([curve], unit="bytes"),  # type: ignore[arg-type]
        lambda: curves_of_frame(pd.DataFrame({"seed": [1]})),
        lambda: curves_of_frame(
            pd.DataFrame({"seed": [1, 1], "samples": [1, 1], "val_loss": [0.1, 0.2]})
        ),
        lambda: curves_of_frame(
            pd.DataFrame({"seed": [1, 2], "samples": [1, 2], "val_loss": [0.1, 0.2]})
        ),
    ]
    row = {"name": "a", "seed": 0, "samples": 10, "val_loss": 0.5}
    for column, cell in (("name", None), ("seed", math.nan), ("samples", None), ("val_loss", "x")):
        frame = pd.DataFrame([row, {**row, "seed": 1, column: cell}])
        asked.append(lambda frame=frame: curves_of_frame(frame))  # type: ignore[misc]
    asked.append(lambda: curves_of_frame(pd.DataFrame([row]).iloc[:0]))
    for one in asked:
        with pytest.raises(EeveeError):
            one()
    assert curve.mdl(rule="right").value == pytest.approx(1.8)


def test_a_curve_in_any_order_is_the_same_and_its_input_is_not_changed():
    sizes, losses = np.array([4, 1, 2]), np.array([0.1, 0.6, 0.3])
    curve = LossDataCurve.of(sizes, losses, n_classes=2)
    assert curve.sizes.tolist() == [1, 2, 4]
    assert curve.mean.tolist() == [0.6, 0.3, 0.1]
    assert sizes.tolist() == [4, 1, 2]
    assert losses.tolist() == [0.1, 0.6, 0.3]


def fixture_curves() -> tuple[list[LossDataCurve], dict[str, Any]]:
    arrays, numbers = reference("loss_data")
    frame = pd.DataFrame(arrays)
    return curves_of_frame(frame, n_classes=numbers["num_classes_for_uniform_block"]), numbers


def test_the_table_of_the_released_code_is_reproduced_by_its_rule():
    curves, numbers = fixture_curves()
    ns, epsilons = numbers["ns"], numbers["epsilons"]
    shown = loss_data_table(curves, ns=ns, epsilons=epsilons, rule="right").shown
    for key, expected in numbers["ref"].items():
        name, n = key.split("|n=")
        column = shown[name, int(n)]
        assert float(column["Val loss"]) == pytest.approx(expected["Val loss"], abs=0.005)
        for row, text in expected.items():
            if row != "Val loss":
                assert column[row.replace("=1.0", "=1")] == text


def test_both_rules_and_both_flags_agree_with_exact_numbers():
    curves, numbers = fixture_curves()
    for curve in curves:
        exact = numbers["exact"][curve.name]
        np.testing.assert_allclose(curve.mean, exact["mean_val_loss"], atol=1e-9)
        for level, expected in exact["by_eps"].items():
            epsilon = float(level)
            for n in map(int, exact["n"]):
                left, right = (curve.sdl(epsilon, n, rule) for rule in ("left", "right"))  # type: ignore[arg-type]
                at = str(n)
                assert right.value == pytest.approx(expected["right"][at], abs=1e-9)
                assert left.value == pytest.approx(
                    expected["left_uniform_first_block"][at], abs=1e-9
                )
                assert left.observed != expected["flag_code_(val_loss>eps)"][at]
                assert left.certified != expected["flag_alg1_lower_bound_(L>eps/2)"][at]
            complexity = curve.esc(epsilon)
            first = complexity.value if complexity.observed else None
            assert first == expected["esc_first_n_le_eps"]
            assert complexity.certified_n == expected["esc_alg2_first_n_le_eps/2"]


def parity(d: int = 10) -> np.ndarray:
    """Losses of the paper's section 3.1 with n = 0, 1 ... samples: a chain over ranks."""
    ranks = np.eye(d + 1)[0]
    ranks_to_loss = math.log(2) * (1 - 2.0 ** (np.arange(d + 1) - d))
    losses = []
    for _ in range(200):
        losses.append(float(ranks @ ranks_to_loss))
        rise = 1 - 2.0 ** (np.arange(d + 1) - d)
        ranks = ranks * (1 - rise) + np.concatenate([[0], (ranks * rise)[:-1]])
    return np.array(losses)


def test_the_parity_example_end_to_end():
    losses, noisy = parity(), -0.1 * math.log(0.1) - 0.9 * math.log(0.9)
    n = np.arange(1, len(losses))
    raw = LossDataCurve.of(n, losses[1:], n_classes=2, name="raw")
    labels = LossDataCurve.of(n, np.full(len(n), noisy), n_classes=2, name="noisy")
    assert next(int(i) for i in n if raw.va(int(i)).value < labels.va(int(i)).value) == 10
    mdl = [(raw.mdl(int(i), "right").value, labels.mdl(int(i), "right").value) for i in n]
    assert next(int(i) for i, (a, b) in zip(n, mdl, strict=True) if a < b) == 20
    surplus = raw.sdl(0.1, rule="right")
    assert surplus.value == pytest.approx(4.97289, abs=1e-5)
    assert (surplus.bound, surplus.observed, surplus.certified) == ("exact", True, True)
    assert raw.esc(0.1).value == 12
    for i in (10, 50, 199):
        endless = labels.sdl(0.1, i, "right")
        assert endless.value == pytest.approx(i * (noisy - 0.1))
        assert (endless.bound, endless.observed) == ("lower", False)
    assert labels.esc(0.1).bound == "lower"
    _, numbers = reference("parity")
    np.testing.assert_allclose(losses[:50], numbers["L_raw_n0.."][:50], atol=1e-9)
    assert surplus.value == pytest.approx(numbers["sdl_raw_eps0.1"], abs=1e-9)
    assert raw.sdl(0, rule="right").value == pytest.approx(
        numbers["sdl_raw_eps0(sum n>=1)"], abs=1e-9
    )
    assert noisy == pytest.approx(numbers["L_noisy_const"], abs=1e-9)
