"""Costs measured on several machines as costs of one: speeds from what was run on two of them.

The logarithm of a cost is taken to be that of the work, one number per model and benchmark, less
that of the speed of the hardware. Both are fitted by least squares; what is known of speeds comes
from pairs of model and benchmark that were run on several machines. Machines that no such pair
connects with the reference have no speed: their costs are left out, and named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from eevee.base.arrays import BoolArray, FloatArray, IntArray, round_cost
from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.files import replacing
from eevee.readers.aliases import find_alias, plain
from eevee.readers.cells import is_missing
from eevee.readers.cost_files import read_costs
from eevee.readers.cost_rows import CostRows
from eevee.readers.gpus import gpu_place
from eevee.readers.grid import Grid
from eevee.readers.measured import Options
from eevee.readers.sidecars import sidecar_grid


@dataclass(frozen=True)
class Machine:
    """One kind of hardware in a ledger.

    Attributes
    ----------
    costs : int
        How many were measured on it.
    shared : int
        Pairs of model and benchmark that were measured on it and on others of the reference's.
    speed : float or None
        An hour on it does the work of so many on the reference; None if nothing connects them.
    spread : float
        Factor by which its shared costs are typically off from what speed and work say (1: never).
    """

    costs: int
    shared: int
    speed: float | None
    spread: float


@dataclass(frozen=True)
class Ledger:
    """Costs of one machine.

    Attributes
    ----------
    costs : DataFrame
        Columns model (unless costs are per benchmark), benchmark, cost, hardware, measured_on.
    reference : str
    machines : mapping of hardware to Machine
    unknown : tuple of str
        Benchmarks all of whose costs were left out.
    notes : tuple of str
        What was guessed about the sources.
    """

    costs: pd.DataFrame
    reference: str
    machines: Mapping[str, Machine]
    unknown: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def write_csv(self, path: Path) -> None:
        """Write the costs, which every verb and this one read."""
        with replacing(path) as temporary:
            self.costs.to_csv(temporary, index=False, lineterminator="\n")


def merge_costs(paths: Sequence[str | Path], *, reference: str | None = None) -> Ledger:
    """Read cost files and convert all costs to those of one machine.

    A cost that was measured on the reference stays as it is; several of one pair count with their
    geometric mean.

    Parameters
    ----------
    paths : sequence of paths
        Cost files as `eevee.read_table` takes them. Their column ``hardware`` (or ``gpu``) says
        what a cost was measured on; where there is none, each file is a machine of its own.
    reference : str, optional
        The hardware whose costs are wanted; by default that of the first cost.

    Raises
    ------
    EeveeError
        If a file cannot be read, costs of benchmarks meet costs of models on benchmarks, or the
        reference is not there.
    """
    sources = [(str(path), _read(Path(path))) for path in paths]
    kinds = {rows.per_cell for _, rows in sources}
    if len(kinds) > 1:
        per_model, other = (
            next(n for n, rows in sources if rows.per_cell is k) for k in (True, False)
        )
        raise EeveeError(
            f"{other}: has costs per benchmark, {per_model} per model: they cannot be compared; "
            "give files of one kind"
        )
    paid = pd.DataFrame(
        [
            (row.model or "", row.benchmark, row.cost, _hardware(row.gpu, name))
            for name, rows in sources
            for row in rows.rows
            if not math.isnan(row.cost)
        ],
        columns=["model", "benchmark", "cost", "hardware"],
    )
    if paid.empty:
        raise EeveeError(f"{sources[0][0]}: there is no cost in any file")
    names = _one_spelling(paid)
    chosen = _reference(names, reference)
    notes = tuple(
        f"{name}: column {rows.guessed!r} holds the costs, by its name"
        for name, rows in sources
        if rows.guessed is not None
    )
    return _merged(paid, chosen, per_model=kinds == {True}, notes=notes)


def _read(path: Path) -> CostRows:
    grid = sidecar_grid(path, "costs")
    gpu = gpu_place(grid, None)
    options = Options(gpu_column=None if gpu is None else grid.header[gpu])
    return read_costs(path, _benchmarks(grid, gpu), options, by_gpu=gpu is not None)


def _benchmarks(grid: Grid, gpu: int | None) -> list[str]:
    """Benchmarks of a file: its rows where a header says so, else its columns."""
    key = find_alias(grid, "benchmark")
    if key is None and any(plain(name) == "cost" for name in grid.header):
        key = 1 if gpu == 0 else 0
    return list(grid.header[1:]) if key is None else grid.column(key)


def _hardware(said: str, source: str) -> str:
    return source if is_missing(said) else said


def _one_spelling(paid: pd.DataFrame) -> list[str]:
    """Call hardware that differs in case alone by its first name; return the names."""
    first: dict[str, str] = {}
    paid["hardware"] = [first.setdefault(name.casefold(), name) for name in paid["hardware"]]
    return list(first.values())


def _reference(names: Sequence[str], wanted: str | None) -> str:
    if wanted is None:
        return names[0]
    for name in names:
        if name.casefold() == wanted.casefold():
            return name
    raise EeveeError(
        f"no cost was measured on {wanted!r}{did_you_mean(wanted, names)}; there are: "
        f"{', '.join(names)}"
    )


def _merged(
    paid: pd.DataFrame, reference: str, *, per_model: bool, notes: tuple[str, ...]
) -> Ledger:
    pairs = paid.groupby(["model", "benchmark"], sort=False).ngroup()
    cell: IntArray = np.array(pairs, dtype=np.int64)
    names = {name: h for h, name in enumerate(dict.fromkeys(paid["hardware"]))}
    machine: IntArray = np.array([names[name] for name in paid["hardware"]], dtype=np.int64)
    home = names[reference]
    counts = _counts(cell, machine)
    near = _connected(counts, home)
    logs = np.log(paid["cost"].to_numpy(dtype=np.float64))
    speeds = _log_speeds(logs, cell, machine, near, home)
    kept = paid.assign(cell=cell, machine=machine, work=logs + speeds[machine])[near[machine]]
    kept["off"] = kept["work"] - kept.groupby("cell")["work"].transform("mean")
    n_machines = (counts[:, near] > 0).sum(axis=1)
    kept["shared"] = n_machines[kept["cell"]] > 1
    machines = {
        name: _machine(kept[kept["machine"] == h], int(counts[:, h].sum()), speeds[h], near[h])
        for name, h in names.items()
    }
    costs = _of_one_machine(kept, home).assign(hardware=reference)
    known = set(costs["benchmark"])
    unknown = tuple(dict.fromkeys(b for b in paid["benchmark"] if b not in known))
    order = ["model", "benchmark", "cost", "hardware", "measured_on"]
    return Ledger(costs[order if per_model else order[1:]], reference, machines, unknown, notes)


def _machine(on_it: pd.DataFrame, costs: int, log_speed: float, near: bool) -> Machine:
    shared = on_it[on_it["shared"]]
    spread = math.nan if shared.empty else float(np.exp(np.sqrt((shared["off"] ** 2).mean())))
    speed = round_cost(math.exp(log_speed)) if near else None
    return Machine(costs, int(shared["cell"].nunique()), speed, spread)


def _of_one_machine(kept: pd.DataFrame, home: int) -> pd.DataFrame:
    """Return a cost per pair: those of the reference as measured, the others converted."""
    measured = kept[kept["machine"] == home]
    converted = kept[~kept["cell"].isin(measured["cell"])]
    costs = (
        pd.concat([measured, converted])
        .sort_index()
        .groupby("cell", sort=False)
        .agg(
            model=("model", "first"),
            benchmark=("benchmark", "first"),
            cost=("work", "mean"),
            measured_on=("hardware", lambda names: " and ".join(dict.fromkeys(names))),
        )
    )
    costs["cost"] = [round_cost(math.exp(value)) for value in costs["cost"]]
    return costs.reset_index(drop=True)


def _counts(cell: IntArray, machine: IntArray) -> FloatArray:
    """Return how often each pair (row) was measured on each machine (column)."""
    counts = np.zeros((cell.max() + 1, machine.max() + 1))
    np.add.at(counts, (cell, machine), 1)
    return counts


def _connected(counts: FloatArray, home: int) -> BoolArray:
    """Tell which machines a chain of shared pairs connects with one."""
    from scipy.sparse.csgraph import connected_components

    both = (counts > 0).astype(float)
    _, group = connected_components(both.T @ both, directed=False)
    near: BoolArray = group == group[home]
    return near


def _log_speeds(
    logs: FloatArray, cell: IntArray, machine: IntArray, near: BoolArray, home: int
) -> FloatArray:
    """Fit the logarithms of speeds by least squares; 0 for the reference, and where unknown.

    The work of each pair is eliminated: what is left is a number per machine, with the Laplacian
    of the graph that shared pairs make as its matrix.
    """
    n = len(near)
    counts = _counts(cell, machine)
    per_cell = counts.sum(axis=1)
    mean = np.bincount(cell, weights=logs) / per_cell
    laplacian = np.diag(counts.sum(axis=0)) - counts.T @ (counts / per_cell[:, None])
    slower = np.bincount(machine, weights=logs - mean[cell], minlength=n)
    free = np.flatnonzero(near & (np.arange(n) != home))
    speeds = np.zeros(n)
    speeds[free] = -np.linalg.solve(laplacian[np.ix_(free, free)], slower[free])
    return speeds
