"""Every Eval Ever: `data/<benchmark>/<developer>/<model>/<uuid>.json`, in one public schema."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import better, items, members, number, text
from eevee.tables.column_names import is_aggregate
from eevee.tables.results_table import Note

NAME = "every-eval-ever"
WHAT = "records of Every Eval Ever: JSON with schema_version and evaluation_results"


def fits(files: Files) -> bool:
    """Tell whether there is a record."""
    return any(_is_record(files.maybe_json(path)) for path in files.sample(".json"))


def read(files: Files) -> Harvest:
    """Read all results of all records, those first that were retrieved first."""
    found: list[tuple[str, list[Row]]] = []
    for path in files.named(".json"):
        content = files.maybe_json(path)
        if _is_record(content):
            record = members(content)
            retrieved = text(record.get("retrieved_timestamp"))
            found.append((retrieved, list(_rows(record, files.where(path)))))
    found.sort(key=lambda one: one[0])
    rows = [row for _, some in found for row in some]
    means = {row.benchmark for row in rows if is_aggregate(row.benchmark.rpartition("/")[2])}
    why = "is an aggregate of other results, by its name"
    notes = [Note("dropped", "benchmark", name, why) for name in sorted(means)]
    return Harvest(tuple(row for row in rows if row.benchmark not in means), tuple(notes))


def _is_record(content: object) -> bool:
    found = members(content)
    return (
        "schema_version" in found
        and isinstance(found.get("evaluation_results"), list)
        and isinstance(found.get("model_info"), dict)
    )


def _rows(record: Mapping[str, Any], where: str) -> Iterator[Row]:
    about = members(record, "model_info")
    library = members(record, "eval_library")
    source = members(record, "source_metadata")
    own = text(source.get("evaluator_relationship")) == "first_party"
    for result in map(members, items(record["evaluation_results"])):
        config, details = members(result, "metric_config"), members(result, "score_details")
        score = number(details.get("score"))
        if math.isnan(score):
            continue
        lower = config.get("lower_is_better")
        yield Row(
            model=text(about.get("id")) or text(about.get("name")),
            benchmark=_benchmark(result),
            metric=_metric(config),
            score=score,
            direction=better(not lower) if isinstance(lower, bool) else None,
            stderr=_stderr(members(details, "uncertainty")),
            harness=" ".join(filter(None, (text(library.get(k)) for k in ("name", "version")))),
            where=where,
            lesser="are reported by the models' developers" if own else "",
        )


def _metric(config: Mapping[str, Any]) -> str:
    """Name the metric; before schema 0.3 a description does, if it is one word."""
    named = text(config.get("metric_name")) or text(config.get("metric_id"))
    described = text(config.get("evaluation_description"))
    return named or (described if len(described.split()) == 1 else "")


def _benchmark(result: Mapping[str, Any]) -> str:
    """Name data set and evaluation, once if they are named alike."""
    name = text(result.get("evaluation_name"))
    dataset = text(members(result, "source_data").get("dataset_name"))
    alike = not dataset or not name or dataset.casefold() == name.casefold()
    return (name or dataset) if alike else f"{dataset}/{name}"


def _stderr(uncertainty: Mapping[str, Any]) -> float:
    told = uncertainty.get("standard_error")
    return number(members(told).get("value")) if isinstance(told, dict) else number(told)
