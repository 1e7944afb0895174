"""Task priors and loss-data curves through the catalog and files of features."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from eevee.base.errors import EeveeError
from eevee.measures import Sample, find_measures, measure_files
from eevee.measures.loss_data_probes import loss_data_curve
from eevee.measures.task_kernels import feature_kernel, group_kernel
from eevee.measures.task_priors import task_prior_moments
from tests.measures.conftest import made

DATA = made(40, 3, 2, apart=1.5)


def sample() -> Sample:
    return Sample.of(DATA.labels, features=DATA.features)


def test_the_prior_of_a_file_is_that_of_its_labels():
    mean, variance = find_measures("task-prior-mean,task-prior-variance")
    expected = task_prior_moments(group_kernel(DATA.labels), feature_kernel(DATA.features))
    assert mean.value(sample()) == pytest.approx(expected.mean)
    assert variance.value(sample()) == pytest.approx(expected.variance)


def test_the_prior_can_be_another_model_of_the_same_samples(tmp_path: Path):
    path, prior, other = (tmp_path / f"{name}.npz" for name in ("m__t", "p__t", "q__t"))
    features = np.random.default_rng(0).normal(size=(40, 3))
    np.savez(path, features=DATA.features, labels=DATA.labels)
    np.savez(prior, features=features, labels=DATA.labels)
    (mean,) = find_measures("task-prior-mean")
    found = measure_files([path], [mean], n_groups=4, prior=prior).scores[0].measure
    expected = task_prior_moments(feature_kernel(features), feature_kernel(DATA.features))
    assert found.value == pytest.approx(expected.mean)
    assert found.stderr > 0
    for labels, rows in ((DATA.labels[::-1], features), (DATA.labels[:9], features[:9])):
        np.savez(other, features=rows, labels=labels)
        with pytest.raises(EeveeError, match="same samples"):
            measure_files([path], [mean], prior=other)
    for rows, words in (
        (features * np.nan, r"q__t\.npz: features: row 1, column 1 is nan"),
        (np.float64(3), r"q__t\.npz: features: expected rows x columns"),
        (features[:9], "same samples"),
        (np.ones((40, 2)), r"q__t\.npz: features: all columns are constant"),
    ):
        np.savez(other, features=rows, labels=DATA.labels)
        with pytest.raises(EeveeError, match=words):
            measure_files([path], [mean], prior=other)
    np.savez(other, source_probs=np.full((40, 2), 0.5), labels=DATA.labels)
    with pytest.raises(EeveeError, match="holds no features"):
        measure_files([path], [mean], prior=other)


def test_a_prior_without_effect_is_refused_and_its_null_is_left_out(tmp_path: Path):
    path, prior = (tmp_path / f"{name}.npz" for name in ("m__t", "p__t"))
    np.savez(path, features=DATA.features, labels=DATA.labels)
    features = np.random.default_rng(0).normal(size=(40, 3))
    np.savez(prior, features=features, labels=DATA.labels)
    with pytest.raises(EeveeError, match="no measure uses a prior"):
        measure_files([path], find_measures("logme,probe-loss"), prior=prior)
    names = find_measures("task-prior-mean,logme")
    found = measure_files([path], names, n_groups=0, n_permutations=3, prior=prior)
    assert [one.null is None for one in found.scores] == [True, False]
    assert "task-prior-mean: no null: under a prior of features" in found.notes[0]
    of_labels = measure_files([path], names, n_groups=0, n_permutations=3)
    assert of_labels.scores[0].null is not None
    assert of_labels.scores[0].null.sd > 0


def test_numbers_of_curves_are_those_of_logistic_regression_by_either_rule():
    curve = loss_data_curve(DATA.features, DATA.labels, seed=3)
    expected = {"va": curve.va(), "mi": curve.mi(), "mdl": curve.mdl(), "sdl-e0.6": curve.sdl(0.6)}
    expected["esc-e0.6"] = curve.esc(0.6)
    shared = sample()
    for one in find_measures(list(expected), seed=3):
        own, found = expected[one.name], one.measure(shared, n_groups=5)
        assert found.value == own.value
        assert found.unit == own.unit
        assert found.bound == own.bound
        assert found.higher_is_better == own.higher_is_better
        np.testing.assert_equal(found.stderr, own.stderr)
    assert math.isnan(one.measure(shared).stderr)
    (right,) = find_measures("mdl", convention="reference", seed=3)
    assert right.value(shared) == curve.mdl(rule="right").value


def test_what_is_not_reached_is_no_number_but_a_note(tmp_path: Path):
    path = tmp_path / "m__t.npz"
    np.savez(path, features=DATA.features, labels=DATA.labels)
    found = measure_files([path], find_measures("va,esc-e0.001"), n_groups=0)
    assert [one.name for one in found.scores] == ["va"]
    assert any("esc-e0.001 left out: no loss of at most 0.001 nats" in one for one in found.notes)
    with pytest.raises(EeveeError, match="at least"):
        measure_files([path], find_measures("sdl-e0.001"), n_groups=0)


@pytest.mark.parametrize("name", ["sdl-e0", "sdl-e1.2.3", "esc-e.", "mdl-e1", "sdl-"])
def test_settings_that_are_none_are_refused(name: str):
    with pytest.raises(EeveeError):
        find_measures(name)
