"""The tier file, `eevee.tiers/1`: what a tier set is, how it is written and how it is read.

Tools that only run the benchmarks of a tier read it too, so this module needs nothing but the
standard library and PyYAML. A file comes from anywhere: the reader trusts nothing in it.
"""

from __future__ import annotations

import importlib.resources
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import yaml

from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.files import replacing
from eevee.base.parsing import (
    is_json,
    json_mapping,
    mapping,
    number,
    one_of,
    or_none,
    plain,
    read_checked,
    record,
    refuse,
    sha256,
    text,
    tuple_of,
    whole,
)
from eevee.tiers.yaml_text import Dumper

SCHEMA = "eevee.tiers/1"
"""The name and version of the format; the value of the key `schema` in every file."""
_DIVERSITY = ("mean", "low", "high")
_OPTIONAL = ("proxies",)
"""Keys that are left out where there are none."""


@dataclass(frozen=True)
class TierBenchmark:
    """A benchmark of a tier: its columns in the results table, its cost and its task."""

    name: str
    columns: tuple[str, ...]
    cost: float
    task: str | None = None


@dataclass(frozen=True)
class SearchLoss:
    """The loss that the search minimised: biased downward.

    Attributes
    ----------
    mean, spread : float
        Mean and standard deviation over splits.
    targets : {"all", "unseen"}
    rescored_mean : float or None
        With `n_init` initialisations that the search did not use; None for scorers without.
    n_init : int or None
    """

    mean: float
    spread: float
    targets: Literal["all", "unseen"]
    rescored_mean: float | None = None
    n_init: int | None = None


@dataclass(frozen=True)
class AssessedLoss:
    """The loss on models that the search never saw; of a procedure, not of a subset.

    Attributes
    ----------
    mean, low, high : float
        Estimate and interval.
    of : str
        The procedure, in words.
    outer_splits, train_models : int
        Number of outer splits, and of models that train in each.
    """

    mean: float
    low: float
    high: float
    of: str
    outer_splits: int
    train_models: int


@dataclass(frozen=True)
class Tier:
    """A named subset chosen under a budget (None: no budget, a fixed size)."""

    name: str
    budget: float | None
    cost: float
    benchmarks: tuple[TierBenchmark, ...]
    search_loss: SearchLoss
    assessed_loss: AssessedLoss | None = None

    @property
    def benchmark_names(self) -> tuple[str, ...]:
        """Names of the benchmarks, in file order."""
        return tuple(benchmark.name for benchmark in self.benchmarks)


@dataclass(frozen=True)
class TableInfo:
    """Which results table a tier set was chosen on, its size without proxies, and their names."""

    name: str
    sha256: str
    models: int
    benchmarks: int
    proxies: tuple[str, ...] = ()


@dataclass(frozen=True)
class TierSet:
    """Tiers and where they came from: the content of a tier file.

    Attributes
    ----------
    created_with : str
        Program and version.
    cost_unit : str
        Unit of every cost and budget.
    table : TableInfo
    scorer, search : mapping
        Settings; anything that JSON can hold.
    seed : int
    tiers : tuple of Tier

    Examples
    --------
    >>> loss = SearchLoss(mean=0.21, spread=0.03, targets="all")
    >>> small = Tier("small", 2.0, 1.5, (TierBenchmark("food101", ("food101.acc",), 1.5),), loss)
    >>> table = TableInfo("scores.csv", "", models=20, benchmarks=31)
    >>> tiers = TierSet("eevee 1.0", "GPU-hours", table, {"kind": "ridge"}, {}, 0, (small,))
    >>> tiers.names, tiers["small"].benchmark_names
    (('small',), ('food101',))
    >>> tiers["smal"]
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: no tier 'smal' (did you mean 'small'?); there are: small
    """

    created_with: str
    cost_unit: str
    table: TableInfo
    scorer: Mapping[str, Any]
    search: Mapping[str, Any]
    seed: int
    tiers: tuple[Tier, ...]

    def diversity(self, name: str) -> tuple[float, float, float]:
        """Return that of a tier and its interval (`eevee.stats.diversity`), NaN where not said."""
        said = self.search.get("diversity")
        own = said.get(name) if isinstance(said, Mapping) else None
        ends = (own.get(end) if isinstance(own, Mapping) else None for end in _DIVERSITY)
        mean, low, high = (float(one) if isinstance(one, int | float) else math.nan for one in ends)
        return mean, low, high

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tiers, in file order."""
        return tuple(tier.name for tier in self.tiers)

    def __getitem__(self, name: str) -> Tier:
        for tier in self.tiers:
            if tier.name == name:
                return tier
        known = ", ".join(self.names)
        raise EeveeError(f"no tier {name!r}{did_you_mean(name, self.names)}; there are: {known}")

    def __iter__(self) -> Iterator[Tier]:
        return iter(self.tiers)

    def __len__(self) -> int:
        return len(self.tiers)


class HoldsTiers(Protocol):
    """What holds a tier set, such as `eevee.tiers.result.TiersResult`."""

    @property
    def tier_set(self) -> TierSet:
        """The tier set."""
        ...


def tier_set_of(tiers: TierSet | HoldsTiers) -> TierSet:
    """Return a tier set, or that of a result."""
    return tiers if isinstance(tiers, TierSet) else tiers.tier_set


def tiers_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a tier file.

    It cannot say everything that `load_tiers` checks (distinct names, cost within budget).

    Examples
    --------
    >>> tiers_schema()["properties"]["schema"]
    {'const': 'eevee.tiers/1'}
    """
    file = importlib.resources.files("eevee") / "schemas" / "tiers-1.schema.json"
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


# --- writing -----------------------------------------------------------------------------------


def tiers_to_yaml(tiers: TierSet | HoldsTiers) -> str:
    """Return the YAML text of a tier file; the same tiers always give the same text.

    Losses have 6 significant digits, costs and budgets 12.

    Raises
    ------
    EeveeError
        If `load_tiers` would not read the text.
    """
    return yaml.dump(
        _plain_file(tiers),
        Dumper=Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )


def tiers_to_json(tiers: TierSet | HoldsTiers) -> str:
    """Return the JSON text of a tier file; as `tiers_to_yaml`."""
    return json.dumps(_plain_file(tiers), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def dump_tiers(tiers: TierSet | HoldsTiers, path: str | os.PathLike[str]) -> None:
    """Write a tier file, YAML or JSON by suffix; never leaves half a file.

    Parameters
    ----------
    tiers : TierSet, or the result of `eevee.build_tiers`
    path : path
        Ends in ``.yaml``, ``.yml`` or ``.json``. An existing file is replaced.

    Raises
    ------
    EeveeError
        If the suffix is another, the file cannot be written, or `load_tiers` would not read it.

    Examples
    --------
    >>> import tempfile
    >>> table, loss = TableInfo("scores.csv", "0" * 64, 20, 3), SearchLoss(0.2, 0.1, "all")
    >>> small = Tier("small", 1.0, 1.0, (TierBenchmark("a", ("a",), 1.0),), loss)
    >>> tiers = TierSet("eevee", "GPU-hours", table, {}, {}, seed=0, tiers=(small,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dump_tiers(tiers, f"{folder}/tiers.yaml")
    ...     load_tiers(f"{folder}/tiers.yaml") == tiers
    True
    """
    path = Path(path)
    content = tiers_to_json(tiers) if is_json(path) else tiers_to_yaml(tiers)
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode("utf-8"))


def _plain_file(given: TierSet | HoldsTiers) -> dict[str, Any]:
    """Pass through the reader's checks, which also round: what is written can be read."""
    own = plain(tier_set_of(given), omit_empty=_OPTIONAL)
    checked = _file({"schema": SCHEMA, **own}, "")
    return {"schema": SCHEMA, **plain(checked, omit_empty=_OPTIONAL)}


# --- reading -----------------------------------------------------------------------------------


def load_tiers(path: str | os.PathLike[str]) -> TierSet:
    """Read a tier file, YAML or JSON by suffix.

    Raises
    ------
    EeveeError
        If the file is not a tier file of this version; the message is one line and names the
        file and the place in it, as in ``tiers[1].benchmarks[0].cost``.

    Examples
    --------
    >>> try:
    ...     load_tiers("nosuch.yaml")
    ... except EeveeError as error:
    ...     print(error)
    nosuch.yaml: cannot be read: No such file or directory
    """
    return read_checked(Path(path), _file)


_cost = number(12, at_least=0)  # 0: already paid for
_loss = number(6, at_least=0)
_bound = number(6)

_benchmark = record(
    TierBenchmark,
    {
        "name": text,
        "columns": tuple_of(text, name=str),
        "cost": _cost,
        "task": or_none(text),
    },
)
_search_loss = record(
    SearchLoss,
    {
        "mean": _loss,
        "spread": _loss,
        "targets": one_of("all", "unseen"),
        "rescored_mean": or_none(_loss),
        "n_init": or_none(whole(1)),
    },
)
_assessed_loss = record(
    AssessedLoss,
    {
        "mean": _loss,
        "low": _bound,
        "high": _bound,
        "of": text,
        "outer_splits": whole(1),
        "train_models": whole(1),
    },
)
_any_tier = record(
    Tier,
    {
        "name": text,
        "budget": or_none(number(12, above=0)),
        "cost": _cost,
        "benchmarks": tuple_of(_benchmark, name=lambda benchmark: benchmark.name),
        "search_loss": _search_loss,
        "assessed_loss": or_none(_assessed_loss),
    },
)


def _tier(value: object, at: str) -> Tier:
    tier = _any_tier(value, at)
    if tier.budget is not None and tier.cost > tier.budget:
        raise EeveeError(f"{at}.cost: {tier.cost:g} is more than the budget, {tier.budget:g}")
    return tier


_table = record(
    TableInfo,
    {
        "name": text,
        "sha256": sha256,
        "models": whole(1),
        "benchmarks": whole(1),
        "proxies": tuple_of(text, name=str),
    },
    optional=_OPTIONAL,
)
_tier_set = record(
    TierSet,
    {
        "created_with": text,
        "cost_unit": text,
        "table": _table,
        "scorer": json_mapping,
        "search": json_mapping,
        "seed": whole(0),
        "tiers": tuple_of(_tier, name=lambda tier: tier.name),
    },
)


def _file(value: object, at: str) -> TierSet:
    """A whole file; the version first, since it decides which keys there are."""
    members = dict(mapping(value, at))
    if "schema" not in members:
        raise EeveeError(f"no tier file: it has no key 'schema' with the value {SCHEMA!r}")
    version = members.pop("schema")
    if version != SCHEMA:
        raise refuse("schema", f"{SCHEMA!r}, the version that this EEVEE reads", version)
    return _tier_set(members, at)
