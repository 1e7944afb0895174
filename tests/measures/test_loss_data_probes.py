from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from eevee.base.errors import EeveeError
from eevee.measures.loss_data_mlp import MLPProbe, _Network
from eevee.measures.loss_data_probes import Draw, loss_data_curve
from tests.measures.conftest import made

DATA = made(120, 4, 3, apart=2)


def draw_of(seed: int, number: int, n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng([seed, number]).permutation(n)
    return order[n // 10 :], order[: n // 10]


def test_losses_are_those_of_scikit_learn_on_samples_that_were_not_fitted_on():
    curve = loss_data_curve(DATA.features, DATA.labels, sizes=[60, 12], n_seeds=3, seed=4)
    assert curve.sizes.tolist() == [12, 60]
    assert curve.n_classes == 3
    for j in range(3):
        rest, held = draw_of(4, j)
        scaler = StandardScaler().fit(DATA.features[rest])
        x, test = scaler.transform(DATA.features[rest]), scaler.transform(DATA.features[held])
        for i, n in enumerate((12, 60)):
            model = LogisticRegression(max_iter=1000).fit(x[:n], DATA.labels[rest][:n])
            probs = (n * model.predict_proba(test) + 1 / 3) / (n + 1)
            expected = -np.log(probs[np.arange(12), DATA.labels[held]]).mean()
            assert curve.losses[i, j] == pytest.approx(expected, abs=1e-9)
    shares = np.bincount(DATA.labels) / 120
    assert curve.label_entropy == pytest.approx(-(shares * np.log(shares)).sum())


def test_a_size_is_what_it_is_without_the_others():
    many = loss_data_curve(DATA.features, DATA.labels, GaussianNB(), sizes=[9, 30, 80], n_seeds=4)
    one = loss_data_curve(DATA.features, DATA.labels, GaussianNB(), sizes=[30], n_seeds=2)
    assert one.losses[0].tolist() == many.losses[1, :2].tolist()


def test_classes_that_were_not_met_cost_a_finite_loss():
    labels = np.repeat([0, 1, 2], 40)  # sorted, as files often are
    curve = loss_data_curve(DATA.features, labels, sizes=[1, 2, 5], n_seeds=6)
    assert np.isfinite(curve.losses).all()
    alone = loss_data_curve(DATA.features, labels, sizes=[1], n_seeds=1)
    rest, held = draw_of(0, 0)
    hit = (labels[held] == labels[rest[0]]).mean()
    expected = -hit * math.log((1 + 1 / 3) / 2) - (1 - hit) * math.log(1 / 6)
    assert alone.losses[0, 0] == pytest.approx(expected)
    with pytest.raises(EeveeError, match="smoothing"):
        loss_data_curve(DATA.features, labels, sizes=[2], smoothing=0)


def test_held_out_samples_do_not_reach_the_fit():
    changed = DATA.features.copy()
    _, held = draw_of(0, 0)
    changed[held] *= 1000
    sizes, probe = [40], KNeighborsClassifier(3)

    class Seen(KNeighborsClassifier):
        rows: list[np.ndarray] = []  # noqa: RUF012

        def fit(self, rows: Any, labels: Any) -> Any:
            Seen.rows.append(rows)
            return super().fit(rows, labels)

    for features in (DATA.features, changed):
        loss_data_curve(features, DATA.labels, Seen(3), sizes=sizes, n_seeds=1)
    np.testing.assert_array_equal(*Seen.rows)
    before = DATA.features.copy()
    loss_data_curve(DATA.features, DATA.labels, probe, sizes=sizes)
    np.testing.assert_array_equal(DATA.features, before)


def test_default_sizes_are_log_spaced_up_to_all():
    curve = loss_data_curve(DATA.features, DATA.labels, GaussianNB(), n_seeds=1)
    assert curve.sizes[0] == 10
    assert curve.sizes[-1] == 108
    assert len(curve.sizes) == 10


def test_a_probe_that_draws_is_seeded_and_the_global_state_is_left_alone():
    def curve(probe: Any) -> np.ndarray:
        return loss_data_curve(DATA.features, DATA.labels, probe, sizes=[20], n_seeds=2).losses

    forest = RandomForestClassifier(3)
    pipe = make_pipeline(StandardScaler(), RandomForestClassifier(3))
    np.random.seed(1)  # noqa: NPY002  # what a probe without a seed would draw from
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    first = [curve(forest), curve(pipe)]
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # type: ignore[index]  # noqa: NPY002
    np.testing.assert_array_equal(first, [curve(forest), curve(pipe)])
    assert forest.random_state is None
    own = [curve(RandomForestClassifier(3, random_state=seed)) for seed in (1, 2)]
    assert not np.array_equal(*own)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sizes": [200]}, "1..108"),
        ({"sizes": [10.5]}, "whole"),
        ({"sizes": [np.nan]}, "whole"),
        ({"sizes": [10, 10]}, "different"),
        ({"sizes": 10}, "sizes"),
        ({"n_seeds": 2.5}, "n_seeds"),
        ({"seed": -1}, "seed"),
        ({"smoothing": np.nan}, "smoothing"),
        ({"probe": MLPProbe}, "not a class"),
        ({"probe": MLPProbe(hidden=(2.5,))}, "above 0"),
        ({"probe": MLPProbe(hidden=4)}, "tuple"),  # type: ignore[arg-type]
        ({"probe": MLPProbe(n_steps=2.5)}, "above 0"),  # type: ignore[arg-type]
        ({"probe": MLPProbe(learning_rate=np.nan)}, "learning_rate"),
        ({"sizes": [0, 5]}, "1..108"),
        ({"sizes": []}, "1..108"),
        ({"n_seeds": 0}, "n_seeds"),
        ({"validation": 1.0}, "validation"),
        ({"smoothing": -1}, "smoothing"),
        ({"probe": RidgeClassifier()}, "predict_proba"),
        ({"probe": KNeighborsClassifier(50), "sizes": [20]}, "failed with 20 samples"),
        ({"probe": MLPProbe(hidden=(0,))}, "above 0"),
        ({"probe": MLPProbe(device="quantum")}, "cannot be used"),
    ],
)
def test_what_cannot_be_fitted_is_refused(options: dict[str, Any], words: str):
    with pytest.raises(EeveeError, match=words):
        loss_data_curve(DATA.features, DATA.labels, **options)


def by_torch(probe: MLPProbe, draw: Draw, size: int, n_classes: int) -> float:
    """The same network by itself: torch's layers and loss, and Adam as it is written down."""
    network = _Network(draw, size, probe.batch_size)
    widths = [draw.train.shape[1], *probe.hidden, n_classes]
    layers: list[torch.nn.Module] = []
    for weights, bias in network.start(widths):
        layer = torch.nn.Linear(*weights.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.as_tensor(weights.T))
            layer.bias.copy_(torch.as_tensor(bias[0]))
        layers += [layer, torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    moments = [(torch.zeros_like(one), torch.zeros_like(one)) for one in model.parameters()]
    rows, labels = torch.as_tensor(draw.train).float(), torch.as_tensor(draw.train_labels)
    for t, at in zip(range(1, probe.n_steps + 1), network.batches(), strict=False):
        loss = torch.nn.functional.cross_entropy(model(rows[at]), labels[at])
        slopes = torch.autograd.grad(loss, list(model.parameters()))
        with torch.no_grad():
            for one, slope, (m, v) in zip(model.parameters(), slopes, moments, strict=True):
                m.copy_(0.9 * m + 0.1 * slope)
                v.copy_(0.999 * v + 0.001 * slope**2)
                move = (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
                one.sub_(probe.learning_rate * move)
    with torch.no_grad():
        logits = model(torch.as_tensor(draw.validation).float())
        return float(
            torch.nn.functional.cross_entropy(logits, torch.as_tensor(draw.validation_labels))
        )


def draws(n_seeds: int) -> list[Draw]:
    found = []
    for j in range(n_seeds):
        rest, held = draw_of(0, j)
        x, y = DATA.features, DATA.labels.astype(np.int64)
        found.append(Draw(x[rest], x[held], y[rest], y[held], 100 + j))
    return found


def test_networks_trained_at_once_are_those_trained_one_by_one():
    probe = MLPProbe(hidden=(12, 7), learning_rate=0.01, n_steps=25, batch_size=16)
    found = probe.losses(draws(2), [3, 16, 70], 3)
    for i, size in enumerate((3, 16, 70)):
        for j, draw in enumerate(draws(2)):
            assert found[i, j] == pytest.approx(by_torch(probe, draw, size, 3), rel=1e-4)
    alone = probe.losses(draws(2)[1:], [16], 3)
    assert alone[0, 0] == pytest.approx(found[1, 1], rel=1e-5)


def test_weights_start_within_one_over_the_root_of_the_inputs():
    layers = _Network(draws(1)[0], 50, 16).start([400, 30, 3])
    for (weights, biases), n_in in zip(layers, (400, 30), strict=True):
        assert np.abs(weights).max() <= n_in**-0.5
        assert weights.std() == pytest.approx((3 * n_in) ** -0.5, rel=0.15)
        assert np.abs(biases).max() <= n_in**-0.5


def test_batches_of_an_epoch_hold_no_sample_twice():
    network = _Network(draws(1)[0], 50, 16)
    stream = network.batches()
    epoch = np.concatenate([next(stream) for _ in range(3)])
    assert len(set(epoch)) == 48
    assert _Network(draws(1)[0], 5, 16).batch == 5


def test_the_global_random_state_of_torch_is_left_alone():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    probe = MLPProbe(hidden=(4,), n_steps=2)
    curve = loss_data_curve(DATA.features, DATA.labels, probe, sizes=[5, 20], n_seeds=2)
    assert torch.equal(before, torch.get_rng_state())
    again = loss_data_curve(DATA.features, DATA.labels, probe, sizes=[5, 20], n_seeds=2)
    np.testing.assert_array_equal(curve.losses, again.losses)
