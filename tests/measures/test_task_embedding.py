"""Task2Vec: Fisher information by finite differences, its estimates, and distances."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
import torch
from scipy.spatial import distance as scipy_distance
from torch import nn

from eevee.base.errors import EeveeError
from eevee.measures import fisher, task_embedding
from eevee.measures.fisher import HeadFit, balanced_batches, drawn, exact, of_batches
from eevee.measures.task_distances import KINDS, task2vec_distances
from eevee.measures.task_embedding import _adam, task2vec
from tests.measures.conftest import FIXTURES

SHORT = HeadFit(epochs=1, draws=640)


def probe(seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    made = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.Tanh(), nn.Linear(6, 4))
    made(torch.randn(50, 3))
    return made.double().eval()


def inputs(n: int = 20, seed: int = 0) -> torch.Tensor:
    return torch.as_tensor(np.random.default_rng(seed).normal(size=(n, 3)))


def weights_of(network: nn.Module, *names: str) -> dict[str, torch.Tensor]:
    return {name: one.detach() for name, one in network.named_parameters() if name in names}


def test_exact_fisher_is_that_of_finite_differences():
    network, rows = probe(), inputs(7)
    weights = weights_of(network, "0.weight", "1.weight")
    found = exact(network, weights, rows)

    def logs() -> np.ndarray:
        with torch.no_grad():
            return network(rows).log_softmax(-1).numpy()

    probs, step = np.exp(logs()), 1e-5
    for name, part in zip(weights, found, strict=True):
        flat = dict(network.named_parameters())[name].data.view(-1)
        for i in range(len(flat)):
            before = flat[i].item()
            flat[i] = before + step
            up = logs()
            flat[i] = before - step
            slope = (up - logs()) / (2 * step)
            flat[i] = before
            expected = (probs * slope**2).sum(axis=1).mean()
            assert part.view(-1)[i].item() == pytest.approx(expected, rel=1e-5, abs=1e-12)


def test_a_module_that_cannot_be_vectorised_has_the_same_information():
    class Branching(nn.Module):
        def forward(self, rows: torch.Tensor) -> torch.Tensor:
            return rows if rows.sum().item() > 0 else 2 * rows  # `item` ends vmap

    plain = probe()
    branching = nn.Sequential(*plain[:3], Branching(), plain[3])
    rows = inputs(5)
    found = exact(branching, weights_of(branching, "0.weight"), rows)[0]
    parts = []
    for row in rows:
        hidden = plain[:3](row[None])
        fixed = nn.Sequential(*plain[:3], nn.Identity() if hidden.sum() > 0 else Twice(), plain[3])
        parts.append(exact(fixed, weights_of(fixed, "0.weight"), row[None])[0])
    torch.testing.assert_close(found, torch.stack(parts).mean(dim=0))


class Twice(nn.Module):
    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return 2 * rows


def test_drawn_classes_give_the_exact_information_in_the_limit():
    network, rows = probe(), inputs(10)
    weights = weights_of(network, "0.weight")
    known = exact(network, weights, rows)[0]
    generator = torch.Generator().manual_seed(0)
    found = drawn(network, weights, rows, 20_000, generator)[0]
    torch.testing.assert_close(found, known, rtol=0.05, atol=1e-6)
    few = drawn(network, weights, rows, 1, generator)[0]
    assert (few - known).abs().max() > 0.1 * known.max()


def test_squares_of_batch_means_are_smaller_by_the_size_of_the_batch():
    network, rows = probe(), inputs(12)
    weights = weights_of(network, "0.weight")
    codes = np.arange(12) % 4
    settings = HeadFit(draws=8000, batch_size=8)
    generator = torch.Generator().manual_seed(0)
    found = of_batches(network, weights, rows, codes, settings, generator)[0]
    ratio = (found.sum() / exact(network, weights, rows)[0].sum()).item()
    assert ratio == pytest.approx(1 / 8, rel=0.1)


def test_the_fixture_of_a_small_network_is_reproduced():
    path = FIXTURES / "diversity.json"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the project")
    known = json.loads(path.read_text())
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
        given = {name: torch.as_tensor(arrays[name]) for name in arrays}
    for activation in (nn.ReLU(), nn.Tanh()):
        network = nn.Sequential(nn.Linear(5, 7), activation, nn.Linear(7, 3)).double()
        for layer, number in ((network[0], 1), (network[2], 2)):
            layer.weight.data, layer.bias.data = given[f"W{number}"], given[f"b{number}"]
        found = exact(network, weights_of(network, "0.weight"), given["X"])[0].numpy()
        if np.allclose(found, known["exact_fisher_diag_W1"], rtol=1e-9):
            break
    np.testing.assert_allclose(found, known["exact_fisher_diag_W1"], rtol=1e-9)
    np.testing.assert_allclose(
        found.mean(axis=1), known["exact_filterwise_embedding_W1"], rtol=1e-9
    )


@pytest.fixture(scope="module")
def task() -> tuple[np.ndarray, np.ndarray]:
    rows = np.random.default_rng(1).normal(size=(24, 3))
    return rows, np.arange(24) % 3


def test_an_embedding_averages_over_each_filter_with_a_head_fitted_to_the_task(task: Any):
    rows, labels = task
    network = probe()
    found = task2vec(network, rows, labels, fit=SHORT)
    assert found.shape == (12,)  # six filters, and six scales of the norm layer
    assert (found > 0).all()
    named = task2vec(network, torch.as_tensor(rows).float(), labels + 7, head="3", fit=SHORT)
    np.testing.assert_allclose(named, found, rtol=1e-4)
    other = task2vec(network, rows, (rows[:, 0] > 0).astype(int), fit=SHORT)
    assert not np.allclose(other, found, rtol=0.1)


def test_the_head_learns_the_task():
    """With well separated classes and a long fit the network is sure, and knows little more."""
    rng = np.random.default_rng(0)
    labels = np.arange(30) % 2
    rows = rng.normal(size=(30, 3)) * 0.1 + 3 * (labels[:, None] - 0.5)
    fits = [HeadFit(epochs=1, draws=64), HeadFit(epochs=3, learning_rate=0.3, weight_decay=0)]
    before, after = (task2vec(probe(), rows, labels, fit=fit).sum() for fit in fits)
    assert after < 0.1 * before


@pytest.mark.slow
def test_the_head_is_fitted_as_by_the_optimizer_of_torch():
    generator = torch.Generator().manual_seed(0)
    rows = inputs(40)
    codes = np.random.default_rng(0).integers(0, 3, 40)
    settings = HeadFit(epochs=1, draws=6400, learning_rate=0.01, weight_decay=0.1)
    batches = list(balanced_batches(codes, settings, generator))
    values = torch.randn(3, 4, dtype=torch.float64)
    head = nn.Linear(3, 3, dtype=torch.float64)
    head.weight.data, head.bias.data = values[:, :3].clone(), values[:, 3].clone()
    _adam(values, rows, torch.eye(3, dtype=torch.float64)[codes], iter(batches), settings)
    optimizer = torch.optim.Adam(head.parameters(), 0.01, weight_decay=0.1)
    for batch in batches:
        optimizer.zero_grad()
        nn.functional.cross_entropy(head(rows[batch]), torch.as_tensor(codes)[batch]).backward()
        optimizer.step()
    torch.testing.assert_close(values[:, :3], head.weight.data)
    torch.testing.assert_close(values[:, 3], head.bias.data)


def test_the_network_stays_as_it_is_and_the_seed_is_all_that_counts(task: Any):
    rows, labels = task
    network = probe()
    kept = copy.deepcopy(network.state_dict())
    first = task2vec(network, rows, labels, method="montecarlo", fit=SHORT, seed=3)
    torch.manual_seed(99)
    second = task2vec(network, rows, labels, method="montecarlo", fit=SHORT, seed=3)
    assert np.array_equal(first, second)
    assert not np.array_equal(
        first, task2vec(network, rows, labels, method="montecarlo", fit=SHORT)
    )
    assert all(torch.equal(one, kept[name]) for name, one in network.state_dict().items())


def test_convolutions_have_an_entry_per_channel():
    torch.manual_seed(0)
    network = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 9))
    rows = np.random.default_rng(0).normal(size=(8, 1, 6, 6))
    exactly = task2vec(network, rows, np.arange(8) % 2, fit=SHORT)
    assert exactly.shape == (4,)
    released = task2vec(network, rows, np.arange(8) % 2, fit=SHORT, method="reference")
    assert 0 < released.sum() < exactly.sum() / 8


def test_bad_input_of_an_embedding_is_an_error(task: Any):
    rows, labels = task
    batched = nn.Sequential(
        nn.Linear(3, 2), nn.BatchNorm1d(2, track_running_stats=False), nn.Linear(2, 2)
    )
    assert task2vec(batched, rows, labels, fit=SHORT, method="reference").shape == (4,)
    for change, said in (
        ({"network": "resnet"}, "torch module"),
        ({"inputs": rows[:, :2]}, "the network failed on the inputs: mat1"),
        ({"inputs": rows.astype(str)}, "must be numbers"),
        ({"inputs": 1.0}, "inputs of shape"),
        ({"inputs": [[1.0], [1.0, 2.0]]}, "different lengths"),
        ({"fit": HeadFit(epochs=1, draws=640, learning_rate=1e308)}, "not finite"),
        ({"method": "montecarlo", "n_draws": 1.5}, "n_draws must be"),
        ({"labels": labels[:5]}, "5 labels"),
        ({"labels": labels * 0}, "1 classes"),
        ({"labels": labels * 0.5}, "whole numbers or text"),
        ({"head": "0x"}, "is no linear layer"),
        ({"head": "1"}, "is no linear layer"),
        ({"method": "mc"}, "method must be"),
        ({"method": "montecarlo", "n_draws": 0}, "n_draws must be"),
        ({"network": nn.Sequential(nn.Tanh())}, "no linear layer"),
        ({"network": nn.Sequential(nn.Flatten(), nn.Linear(3, 2))}, "no weights but"),
        ({"inputs": rows * np.inf}, "not finite"),
        ({"network": batched}, "'1' normalises by the batch"),
    ):
        given = {"network": probe(), "inputs": rows, "labels": labels, "fit": SHORT, **change}
        network, values, codes = given.pop("network"), given.pop("inputs"), given.pop("labels")
        with pytest.raises(EeveeError, match=said):
            task2vec(network, values, codes, **given)


def test_settings_of_a_fit_without_a_whole_batch_are_refused():
    for given, said in (
        ({"draws": 10}, "no batch of 64"),
        ({"epochs": 0}, "counts"),
        ({"batch_size": 2.5}, "counts"),
        ({"learning_rate": np.nan}, "learning_rate"),
        ({"weight_decay": -1}, "weight_decay"),
    ):
        with pytest.raises(EeveeError, match=said):
            HeadFit(**given)


def test_parts_of_the_inputs_make_no_difference(monkeypatch: pytest.MonkeyPatch, task: Any):
    rows, labels = task
    whole = task2vec(probe(), rows, labels, fit=SHORT)
    monkeypatch.setattr(task_embedding, "_ROWS", 5)
    monkeypatch.setattr(fisher, "_MOST_NUMBERS", 1000)
    assert 1 < fisher._rows_at_once(probe(), weights_of(probe(), "0.weight"), inputs()) < 20
    np.testing.assert_allclose(task2vec(probe(), rows, labels, fit=SHORT), whole, rtol=1e-9)


def test_what_modules_return_counts_for_how_many_rows_are_taken_at_once():
    network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3)).double()
    n_classes, values = fisher.numbers_of(network, torch.zeros(1, 1, 6, 6).double())
    assert n_classes == 3
    assert values == 32 + 32 + 32 + 3 + 3  # each layer, and the whole


def embeddings(n: int = 5, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).gamma(0.5, size=(n, 40))


def test_distances_lie_between_0_and_1_are_symmetric_and_0_of_a_task_to_itself():
    table = embeddings()
    table[3] = table[0]
    found = task2vec_distances(table)
    assert found.min() >= 0
    assert found.max() <= 1
    assert np.array_equal(found, found.T)
    assert found[0, 3] == pytest.approx(0, abs=1e-12)
    apart = task2vec_distances(np.eye(4))
    np.testing.assert_allclose(apart, 1 - np.eye(4), atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_common_scale_changes_nothing_even_where_information_is_tiny(kind: str):
    table = embeddings() + (1e-3 if kind not in ("cosine", "entropy") else 0)
    for scale in (1e-9, 1e9):
        np.testing.assert_allclose(
            task2vec_distances(table * scale, kind), task2vec_distances(table, kind), rtol=1e-7
        )
    if kind in ("cosine", "entropy"):
        released = [task2vec_distances(one, kind, convention="reference") for one in
                    (table, table * 1e-9)]  # fmt: skip
        assert np.abs(released[1] / np.where(released[0], released[0], 1)).max() < 10
        assert not np.allclose(released[0], released[1], rtol=0.01)


def test_filters_without_information_count_for_nothing():
    table = embeddings()
    more = np.column_stack([table, np.zeros((5, 10))])
    np.testing.assert_allclose(task2vec_distances(more), task2vec_distances(table), rtol=1e-6)
    shrunk = 40 / 50 * task2vec_distances(table, "entropy")  # a mean over all filters
    np.testing.assert_allclose(task2vec_distances(more, "entropy"), shrunk, rtol=1e-6)


def test_cosine_is_of_shares_and_plain_cosine_of_the_embeddings():
    table = embeddings()
    one, other = table[0], table[1]
    shares = scipy_distance.cosine(one / (one + other), other / (one + other))
    assert task2vec_distances(table)[0, 1] == pytest.approx(shares, rel=1e-6)
    plain = scipy_distance.cosine(one, other)
    assert task2vec_distances(table, "plain_cosine")[0, 1] == pytest.approx(plain, rel=1e-10)


def test_all_seven_distances_of_the_released_code_are_reproduced():
    path = FIXTURES / "diversity.json"
    if not path.exists():
        pytest.skip(f"needs {path}, which is not part of the project")
    known = json.loads(path.read_text())
    with np.load(path.with_suffix(".npz"), allow_pickle=False) as arrays:
        table, scale = arrays["hessian"], arrays["scale"]
    assert len(known["ref_pdist"]) == 7
    for kind, expected in known["ref_pdist"].items():
        found = task2vec_distances(table, kind, convention="reference", scale=scale)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=kind)
    plain = task2vec_distances(table, "plain_cosine")[np.triu_indices(8, 1)].mean()
    assert plain == pytest.approx(known["plain_cosine_of_fim(not task2vec)"], rel=1e-9)


def test_bad_input_of_distances_is_an_error():
    table = embeddings()
    empty = table.copy()
    empty[2] = 0
    for wrong, said in (
        (table[0], "tasks x filters"),
        (-table, "0 or more"),
        (table * np.nan, "finite"),
        (empty, "task 3 is zero in all filters"),
    ):
        with pytest.raises(EeveeError, match=said):
            task2vec_distances(wrong)
    for factor in (1e-200, 1e200):
        with pytest.raises(EeveeError, match="rescale"):
            task2vec_distances(table * factor)
    faint = table * np.array([[1e-60], [1], [1e60], [1], [1]])
    assert np.isfinite(task2vec_distances(faint)).all()
    faint[0, 0] = 1e-300
    assert np.isfinite(task2vec_distances(faint)).all()
    with pytest.raises(EeveeError, match="lengths"):
        task2vec_distances([[1.0], [1.0, 2.0]])
    with pytest.raises(EeveeError, match="same information"):
        task2vec_distances(np.ones((3, 5)), "correlation")
    for kind, scale in (
        ("normalized_cosine", np.ones((2, 40))),
        ("normalized_cosine", np.eye(5, 40)),
        ("cosine", np.ones((2, 40))),
    ):
        with pytest.raises(EeveeError, match="scale"):
            task2vec_distances(table + 1, kind, scale=scale)
    with pytest.raises(EeveeError, match="did you mean 'cosine'"):
        task2vec_distances(table, "cosin")
    with pytest.raises(EeveeError, match="convention must be"):
        task2vec_distances(table, convention="code")  # type: ignore[arg-type]
    table[1, 4] = 0
    with pytest.raises(EeveeError, match="task 2 has no information in filter 5"):
        task2vec_distances(table, "kl")
