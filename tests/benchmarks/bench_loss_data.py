"""Networks of a loss-data curve trained at once and one by one.

`python -m tests.benchmarks.bench_loss_data`

Ten sizes and five seeds on scikit-learn's digits, two hidden layers: torch's own layers, loss and
Adam, a network at a time, beside `MLPProbe`; seconds per step of all 50 networks, in turn
in one process on one thread, and how far the losses lie apart after as many steps. Then the curve
of logistic regression, and its table.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from sklearn.datasets import load_digits

from eevee.measures.loss_data import log_sizes
from eevee.measures.loss_data_frames import loss_data_table
from eevee.measures.loss_data_mlp import MLPProbe, _Network
from eevee.measures.loss_data_probes import Draw, _draw, loss_data_curve
from eevee.measures.sample import Sample

N_SEEDS, REPEATS = 5, 3
WIDTHS = (((32, 32), 20), ((128, 128), 10), ((512, 512), 4))


def alone(probe: MLPProbe, draw: Draw, size: int, n_classes: int) -> float:
    network = _Network(draw, size, probe.batch_size)
    layers: list[torch.nn.Module] = []
    for weights, bias in network.start([draw.train.shape[1], *probe.hidden, n_classes]):
        layer = torch.nn.Linear(*weights.shape)
        with torch.no_grad():
            layer.weight.copy_(torch.as_tensor(weights.T))
            layer.bias.copy_(torch.as_tensor(bias[0]))
        layers += [layer, torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    adam = torch.optim.Adam(model.parameters(), lr=probe.learning_rate)
    rows, labels = torch.as_tensor(draw.train).float(), torch.as_tensor(draw.train_labels)
    for _, at in zip(range(probe.n_steps), network.batches(), strict=False):
        adam.zero_grad()
        torch.nn.functional.cross_entropy(model(rows[at]), labels[at]).backward()
        adam.step()
    with torch.no_grad():
        logits = model(torch.as_tensor(draw.validation).float())
        wanted = torch.as_tensor(draw.validation_labels)
        return float(torch.nn.functional.cross_entropy(logits, wanted))


def main() -> None:
    torch.set_num_threads(1)
    images, digits = load_digits(return_X_y=True)
    sample = Sample.of(digits, features=images)
    draws = [_draw(sample, 0.1, True, 0, i) for i in range(N_SEEDS)]
    sizes = log_sizes(10, len(draws[0].train))
    torch.optim.Adam([torch.zeros(1)])  # what is imported at first use
    for hidden, steps in WIDTHS:
        probe = MLPProbe(hidden=hidden, learning_rate=1e-3, n_steps=steps)
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            ours = probe.losses(draws, sizes, 10)
            middle = time.perf_counter()
            plain = [[alone(probe, draw, size, 10) for draw in draws] for size in sizes]
            times.append((middle - start, time.perf_counter() - middle))
        own, other = np.median(times, axis=0) / steps
        ratios = np.array(times)[:, 1] / np.array(times)[:, 0]
        off = np.abs(ours / np.array(plain) - 1).max()
        print(
            f"{hidden}: {own:.4f} s per step of 50, one by one {other:.4f} s, times "
            f"{np.median(ratios):.1f} ({ratios.min():.1f} to {ratios.max():.1f}); off by {off:.1g}"
        )
    start = time.perf_counter()
    curve = loss_data_curve(images, digits, n_seeds=N_SEEDS, name="pixels")
    middle = time.perf_counter()
    loss_data_table([curve])
    print(
        f"logistic regression: {middle - start:.1f} s; its table "
        f"{time.perf_counter() - middle:.4f} s"
    )


if __name__ == "__main__":
    main()
