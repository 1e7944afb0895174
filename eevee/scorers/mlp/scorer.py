"""`MLPScorer`: the paper's meta-model, all subsets and splits trained at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
import torch

from eevee.base.arrays import BoolArray, FloatArray, Subset
from eevee.base.errors import EeveeError
from eevee.base.threads import map_chunks
from eevee.scorers.base import Advance, BaseScorer
from eevee.scorers.loss import LossRule, Targets, standardise
from eevee.scorers.mlp import networks as batched
from eevee.scorers.mlp.devices import find_device, full_precision
from eevee.scorers.mlp.epochs import (
    CALIBRATION_SUBSETS,
    MAX_EPOCHS,
    PAPER_EPOCHS,
    EpochSchedule,
    best_epoch,
    random_index_sets,
)
from eevee.scorers.mlp.initial import keyed_uniform
from eevee.scorers.mlp.networks import InitialWeights, Training
from eevee.scorers.mlp.stage import Stage, predictions_of
from eevee.splits.splits import Splits
from eevee.tables.averages import loss_weights
from eevee.tables.results_table import ResultsTable

CHUNK_BYTES = 16 * 2**20
"""Working set of one chunk on a CPU: larger ones fall out of the cache (measured)."""
MOST_EPOCHS = 100_000
"""More than this is a slip, and would never end."""
Judge = Callable[[Sequence[Subset], FloatArray], FloatArray]
"""From predictions of the judged rows, padding included, to one row for each subset."""


class MLPScorer(BaseScorer):
    """Held-out loss of a small neural network that sees only the subset.

    Linear(inputs, hidden) -> ReLU -> Linear(hidden, columns), full-batch AdamW (paper, section 3,
    Algorithm 1). All subsets x splits train together as one batched tensor program.

    Parameters
    ----------
    table : ResultsTable
    splits : Splits
    targets : {"all", "unseen"}
        Predict every score column (paper, eq. 1) or only those of the other benchmarks.
    weights : mapping of benchmark to weight, optional
        Replace the equal weights of tasks and benchmarks.
    epochs : int or "auto"
        20 is the paper's. "auto" measures one epoch count per subset size on the validation
        models, then trains on training and validation models together.
    hidden, learning_rate, weight_decay
        The paper's 100, 0.01, 0.01 by default.
    n_init : int
        Average the predictions of this many initialisations.
    seed : int
        Of the initial weights and of the calibration of "auto".
    device : str
        "auto" is CUDA where there is one.
    chunk_size : int, optional
        Subsets trained at once; by default as many as fit the cache (CPU) or memory (CUDA).
    n_threads : int, optional
        Chunks trained side by side on a CPU; torch's own setting by default.

    Raises
    ------
    EeveeError
        If an option is out of range or a split holds nothing to predict.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eevee
    >>> skill = np.random.default_rng(0).normal(size=(20, 1))
    >>> noise = np.random.default_rng(1).normal(size=(20, 4))
    >>> frame = pd.DataFrame(skill + [0.1, 0.5, 0.5, 0.5] * noise, columns=list("abcd"))
    >>> table = eevee.ResultsTable.from_scores(frame)
    >>> scorer = MLPScorer(table, eevee.shuffle_splits(table), epochs=20)
    >>> a, b = scorer.losses([("a",), ("b",)])
    >>> bool(a < b)
    True
    """

    has_initialisations = True

    def __init__(
        self,
        table: ResultsTable,
        splits: Splits,
        *,
        targets: Targets = "all",
        weights: Mapping[str, float] | None = None,
        epochs: int | Literal["auto"] = "auto",
        hidden: int = 100,
        learning_rate: float = 0.01,
        weight_decay: float = 0.01,
        n_init: int = 1,
        seed: int = 0,
        device: str = "auto",
        chunk_size: int | None = None,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(table, splits, targets=targets, weights=weights)
        self.epochs = epochs
        self.training = Training(hidden, learning_rate, weight_decay)
        self.n_init = n_init
        self.seed = seed
        self.device = find_device(device)
        self.chunk_size = chunk_size
        self.n_threads = n_threads
        _check_options(self)
        self._stage = Stage(table, splits, self._data, self._rule, self.device)
        largest = table.n_benchmarks - (targets == "unseen" and table.n_benchmarks > 1)
        self._schedule = EpochSchedule(largest, self._calibrate)
        self._initial: dict[int, InitialWeights] = {}

    def with_targets(self, targets: Targets) -> MLPScorer:
        """Return the same scorer for the other kind of target."""
        return MLPScorer(
            self.table,
            self.splits,
            targets=targets,
            weights=self.weights,
            epochs=self.epochs,
            hidden=self.training.hidden,
            learning_rate=self.training.learning_rate,
            weight_decay=self.training.weight_decay,
            n_init=self.n_init,
            seed=self.seed,
            device=str(self.device),
            chunk_size=self.chunk_size,
            n_threads=self.n_threads,
        )

    def describe(self) -> dict[str, Any]:
        """Return the configuration, as plain JSON-able values."""
        return {
            "name": "mlp",
            "targets": self.targets,
            "epochs": self.epochs,
            "epochs_by_size": {str(k): n for k, n in self.calibrated_epochs.items()},
            "hidden": self.training.hidden,
            "learning_rate": self.training.learning_rate,
            "weight_decay": self.training.weight_decay,
            "n_init": self.n_init,
            "seed": self.seed,
            "n_splits": self.splits.n_splits,
            "weights": None if self.weights is None else dict(sorted(self.weights.items())),
        }

    @property
    def calibrated_epochs(self) -> dict[int, int]:
        """Epochs that `epochs="auto"` has measured so far, by subset size."""
        return dict(sorted(self._schedule.measured.items()))

    def epochs_for(self, size: int) -> int:
        """Epochs for which a subset of `size` benchmarks trains."""
        return self._schedule(size) if self.epochs == "auto" else self.epochs

    def predict_targets(self, subsets: Sequence[Iterable[str]], *, init: int = 0) -> FloatArray:
        """Predict the test models of each split, in units above the fitting models' mean.

        The mean over `n_init` networks; as in `eevee.scorers.base.BaseScorer`.
        """
        checked = [self.table.subset(subset) for subset in subsets]
        inits = range(init * self.n_init, (init + 1) * self.n_init)
        return self._train_and_judge(checked, inits, self._stage.targets)

    def rescore(self, subsets: Sequence[Iterable[str]], n_init: int) -> FloatArray:
        """Losses under initialisations that `losses` does not use.

        All subsets share their initial weights in `losses`, and a search can exploit them;
        these losses are free of that.

        Parameters
        ----------
        subsets : sequence of iterables of benchmark names
        n_init : int
            Each of them averages the predictions of `self.n_init` networks, as `losses` does.

        Returns
        -------
        array, shape (n_subsets, n_init)
        """
        checked = [self.table.subset(subset) for subset in subsets]
        fresh = [
            self._train_and_judge(
                checked, range(i * self.n_init, (i + 1) * self.n_init), self._stage.losses
            )
            for i in range(1, n_init + 1)
        ]
        return np.stack([losses.mean(axis=1) for losses in fresh], axis=1)

    def _losses(self, subsets: list[Subset], advance: Advance | None) -> FloatArray:
        return self._train_and_judge(subsets, range(self.n_init), self._stage.losses, advance)

    def _train_and_judge(
        self, subsets: list[Subset], inits: range, judge: Judge, advance: Advance | None = None
    ) -> FloatArray:
        """What `judge` makes of the mean prediction over `inits`, (n_subsets, ...)."""
        found: list[FloatArray] = [np.empty(0)] * len(subsets)
        starts = [self._initial_weights(init) for init in inits]
        for (epochs, n_inputs), members in self._groups(subsets).items():
            work = partial(self._judge_chunk, starts=starts, epochs=epochs, judge=judge)
            chunks = self._chunks(self._stage, [subsets[i] for i in members], n_inputs)
            places = iter(members)
            with full_precision(self.device):
                for part in map_chunks(work, chunks, n_threads=self._threads):
                    for row in part:
                        found[next(places)] = row
                    if advance is not None:
                        advance(len(part))
        return np.stack(found)

    def _groups(self, subsets: list[Subset]) -> dict[tuple[int, int], list[int]]:
        """Positions of the subsets that share epochs and shape, and so can share a batch."""
        groups: dict[tuple[int, int], list[int]] = defaultdict(list)
        for i, subset in enumerate(subsets):
            groups[self.epochs_for(len(subset)), self._stage.n_inputs(subset)].append(i)
        return groups

    def _chunks(self, stage: Stage, subsets: list[Subset], n_inputs: int) -> list[list[Subset]]:
        """Cut subsets of one shape into chunks, each for one thread."""
        size = self.chunk_size or max(1, self._chunk_budget // self._subset_bytes(stage, n_inputs))
        return [subsets[start : start + size] for start in range(0, len(subsets), size)]

    def _judge_chunk(
        self, subsets: list[Subset], *, starts: list[InitialWeights], epochs: int, judge: Judge
    ) -> FloatArray:
        stage = self._stage
        batch = stage.batch(subsets)
        total: FloatArray | float = 0.0
        for start in starts:
            layers = batched.train(batch, stage.fit, start, self.training, epochs)
            total = total + predictions_of(batch, stage.judged, layers)
        return judge(subsets, np.asarray(total / len(starts)))

    def _calibrate(self, size: int) -> int:
        """Best epoch for random subsets of `size` benchmarks, judged on validation models."""
        stage, kept = self._calibration
        if stage is None:
            return PAPER_EPOCHS
        names = self.table.benchmark_names
        rng = np.random.default_rng([self.seed, size])
        drawn = random_index_sets(len(names), size, CALIBRATION_SUBSETS, rng)
        subsets = [tuple(names[i] for i in chosen) for chosen in drawn]
        start = self._initial_weights(0).take_splits(kept)
        work = partial(self._validation_curves, stage=stage, start=start)
        curves: list[FloatArray] = []
        for n_inputs in sorted({stage.n_inputs(subset) for subset in subsets}):
            same = [subset for subset in subsets if stage.n_inputs(subset) == n_inputs]
            chunks = self._chunks(stage, same, n_inputs)
            with full_precision(self.device):
                curves += map_chunks(work, chunks, n_threads=self._threads)
        return best_epoch(np.concatenate(curves, axis=1))

    def _validation_curves(
        self, subsets: list[Subset], *, stage: Stage, start: InitialWeights
    ) -> FloatArray:
        """Validation losses after each epoch, (MAX_EPOCHS, n_subsets, n_splits)."""
        batch = stage.batch(subsets)
        curve: list[FloatArray] = []

        def judge(layers: batched.Layers) -> None:
            curve.append(stage.losses(subsets, predictions_of(batch, stage.judged, layers)))

        batched.train(batch, stage.fit, start, self.training, MAX_EPOCHS, judge)
        return np.stack(curve)

    @cached_property
    def _calibration(self) -> tuple[Stage | None, BoolArray]:
        """Fit on training models, judge on validation models; and which splits can."""
        splits, table = self.splits, self.table
        data = standardise(table, splits.train)
        tested = (splits.validation[:, :, None] & data.observed[None]).any(axis=1)
        present = loss_weights(table, self.weights).of(data.usable & table.is_target & tested)
        kept: BoolArray = present.sum(axis=1) > 0
        if not kept.any():
            return None, kept
        inner = Splits(
            train=splits.train[kept],
            validation=np.zeros_like(splits.train[kept]),
            test=splits.validation[kept],
        )
        data = standardise(table, inner.fit)
        rule = LossRule(table, inner, data, self.targets, self.weights)
        return Stage(table, inner, data, rule, self.device), kept

    def _initial_weights(self, init: int) -> InitialWeights:
        if init not in self._initial:
            names = np.array(self.table.scores.columns, dtype=object)
            stage = self._stage
            first, flags, second = (
                keyed_uniform(
                    (self.seed, init, layer), chosen, self.splits.n_splits, self.training.hidden
                )
                for layer, chosen in (
                    ("input", names),
                    ("flag", names[stage.flagged]),
                    ("output", names[stage.outputs]),
                )
            )
            inputs = np.concatenate([first, flags], axis=1)
            self._initial[init] = batched.initial_weights(inputs, second, self.device)
        return self._initial[init]

    def _subset_bytes(self, stage: Stage, n_inputs: int) -> int:
        return stage.network_bytes(n_inputs, self.training.hidden)

    @property
    def _chunk_budget(self) -> int:
        """Bytes that one chunk may work in."""
        if self.device.type == "cuda":
            return torch.cuda.mem_get_info(self.device)[0] // 4
        return CHUNK_BYTES

    @property
    def _threads(self) -> int | None:
        return 1 if self.device.type == "cuda" else self.n_threads


def _check_options(scorer: MLPScorer) -> None:
    """Check once, where the options come in."""
    epochs = scorer.epochs
    if epochs != "auto" and not (isinstance(epochs, int) and 1 <= epochs <= MOST_EPOCHS):
        raise EeveeError(f"epochs must be 'auto' or from 1 to {MOST_EPOCHS}, got {epochs!r}")
    at_least_one = {
        "hidden": scorer.training.hidden,
        "n_init": scorer.n_init,
        "chunk_size": scorer.chunk_size,
        "n_threads": scorer.n_threads,
    }
    for name, value in at_least_one.items():
        if value is not None and value < 1:
            raise EeveeError(f"{name} must be at least 1, got {value}")
    if scorer.seed < 0:
        raise EeveeError(f"seed must not be negative, got {scorer.seed}")
    if not 0 < scorer.training.learning_rate < np.inf:
        raise EeveeError(f"learning_rate must be positive, got {scorer.training.learning_rate}")
    if not 0 <= scorer.training.weight_decay < np.inf:
        raise EeveeError(f"weight_decay must not be negative: {scorer.training.weight_decay}")
