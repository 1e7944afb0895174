"""The tier files and mappings in data/ belong to the tables beside them, and to each other."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import eevee
from eevee.exporters.exporting import export
from eevee.exporters.mapping import load_mapping
from tests.cli.conftest import ROOT

SHIPPED = {"bbh": "lm-eval", "helm": "helm", "vtab": "clip-benchmark"}


@pytest.mark.parametrize("name", SHIPPED)
def test_tiers_are_of_the_table_and_nested(name: str) -> None:
    tiers = eevee.load_tiers(ROOT / "data" / name / "tiers.yaml")
    table = eevee.read_table(ROOT / "data" / name / "scores.csv")
    assert tiers.table.sha256 == table.provenance.sha256
    sets = [set(tier.benchmark_names) for tier in tiers]
    assert all(one < next_ for one, next_ in pairwise(sets))
    assert sets[-1] <= set(table.benchmarks.index)


@pytest.mark.parametrize(("name", "to"), SHIPPED.items())
def test_the_mapping_names_every_benchmark_of_the_table(name: str, to: str, tmp_path: Path) -> None:
    path = ROOT / "data" / "mappings" / f"{to}.yaml"
    table = eevee.read_table(ROOT / "data" / name / "scores.csv")
    assert set(load_mapping(path).tasks) == set(table.benchmarks.index)
    tiers = eevee.load_tiers(ROOT / "data" / name / "tiers.yaml")
    assert "did you mean" not in "".join(export(tiers, to=to, out=tmp_path, mapping=path).notes)
