"""HELM runs: a folder per run with `stats.json`, `run_spec.json` and 100 other statistics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.helm_mains import MAINS
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import items, members, number, text
from eevee.tables.results_table import Note

NAME = "helm"
WHAT = "runs of HELM: stats.json and run_spec.json"

_STATS = "stats.json"
_SPEC = "run_spec.json"
_SCHEMA = "schema.json"
_SPLITS = ("test", "valid")
_USUAL = (
    "exact_match", "quasi_exact_match", "quasi_prefix_exact_match", "prefix_exact_match",
    "exact_match_indicator", "final_number_exact_match", "f1_score", "math_equiv_chain_of_thought",
    "math_equiv", "ifeval_strict_accuracy", "chain_of_thought_correctness", "bbq_accuracy",
    "wildbench_score_rescaled", "omni_math_accuracy", "safety_score", "NDCG@10", "RR@10", "rouge_2",
    "rouge_l", "rougeL", "bleu_4", "pass", "code_eval_acc", "test_avg", "classification_macro_f1",
    "accuracy", "wer_score", "bits_per_byte",
)  # fmt: skip
"""Main metrics of other runs: the first that a run has."""
_LOWER = frozenset({
    "bits_per_byte", "error_rate", "toxic_frac", "expected_max_toxicity",
    "max_toxicity_probability",
    "perplexity", "absolute_value_difference", "wer", "mer", "wer_score", "mer_score", "cer_score",
    "chinese_wer_score", "chinese_mer_score", "chinese_cer_score", "fid",
    "kernel_inception_distance", "expected_lpips_score", "ece_10_bin",
    "decodingtrust_privacy_leakage_rate",
})  # fmt: skip
_HIGHER = frozenset({metric for metric, _ in MAINS.values()} | set(_USUAL)) - _LOWER
_IRRELEVANT = frozenset({
    "model", "model_deployment", "groups", "stop", "global_prefix", "global_suffix",
    "data_augmentation",
})  # fmt: skip
"""Arguments that adapt a run to its model, or add perturbed instances, which do not count."""

Main = tuple[str, str]


@dataclass(frozen=True)
class _Schema:
    """What the schema of a release says: main metric and split per group, and directions."""

    mains: Mapping[str, Main]
    directions: Mapping[str, str]


def fits(files: Files) -> bool:
    """Tell whether there is a run."""
    return any(
        path.name == _STATS and path.with_name(_SPEC).is_file() and _stats(files, path)
        for path in files.sample(_STATS)
    )


def read(files: Files) -> Harvest:
    """Read the main metric of every run, on its main split, without perturbations."""
    schema = _schema(files)
    rows: list[Row] = []
    chosen: dict[str, dict[str, None]] = {}
    lacking: list[str] = []
    for path in files.named(_STATS):
        spec = members(files.maybe_json(path.with_name(_SPEC)))
        if path.name != _STATS or not spec:
            continue
        stats = [one for one in _stats(files, path) if not members(one, "name").get("perturbation")]
        found = _main(stats, spec, schema.mains)
        if found is None:
            lacking.append(files.where(path))
            continue
        row = _row(found, stats, spec, schema, files.where(path))
        chosen.setdefault(row.metric, {})[row.benchmark] = None
        rows.append(row)
    notes = [
        Note("guessed", "file", files.name, f"has {metric} as the main metric of {_some(names)}")
        for metric, names in chosen.items()
    ]
    if lacking:
        why = f"holds {len(lacking)} runs without a main metric that is known ({lacking[0]}, ...)"
        notes.append(Note("dropped", "file", files.name, why))
    return Harvest(tuple(rows), tuple(notes))


def _stats(files: Files, path: Path) -> list[dict[str, Any]]:
    return [one for one in items(files.maybe_json(path)) if members(one, "name")]


def _some(names: Iterable[str]) -> str:
    known = list(names)
    return ", ".join(known[:3]) + (f" and {len(known) - 3} more" if len(known) > 3 else "")


def _schema(files: Files) -> _Schema:
    """Read the schema that helm-summarize writes; empty if there is none."""
    mains: dict[str, Main] = {}
    directions: dict[str, str] = {}
    for path in files.named(_SCHEMA):
        content = members(files.maybe_json(path))
        for group in map(members, items(content.get("run_groups"))):
            told = members(group, "environment")
            if text(told.get("main_name")):
                split = text(told.get("main_split")) or _SPLITS[0]
                mains[text(group.get("name"))] = text(told["main_name"]), split
        for metric in map(members, items(content.get("metrics"))):
            lower = metric.get("lower_is_better")
            if isinstance(lower, bool):
                directions[text(metric.get("name"))] = "lower" if lower else "higher"
    return _Schema(mains, directions)


def _main(
    stats: Iterable[dict[str, Any]], spec: Mapping[str, Any], mains: Mapping[str, Main]
) -> dict[str, Any] | None:
    """Return the main statistic of a run: as a schema says of its groups, else by a list."""
    by_name: dict[Main, dict[str, Any]] = {}
    for one in stats:
        if not members(one, "name").get("sub_split") and not math.isnan(_mean(one)):
            by_name.setdefault(_key(one), one)
    groups = [text(group) for group in items(spec.get("groups"))]
    told = [known[group] for known in (mains, MAINS) for group in groups if group in known]
    other = [(name, split) for name, known in told for split in _SPLITS if split != known]
    usual = [(name, split) for split in _SPLITS for name in _USUAL]
    return next((by_name[key] for key in [*told, *other, *usual] if key in by_name), None)


def _key(stat: Mapping[str, Any]) -> tuple[str, str]:
    name = members(stat, "name")
    return text(name.get("name")), text(name.get("split"))


def _mean(stat: Mapping[str, Any]) -> float:
    return number(stat.get("mean")) if number(stat.get("count")) > 0 else math.nan


def _row(
    found: Mapping[str, Any],
    stats: Iterable[dict[str, Any]],
    spec: Mapping[str, Any],
    schema: _Schema,
    where: str,
) -> Row:
    metric, _ = _key(found)
    known = "lower" if metric in _LOWER else "higher" if metric in _HIGHER else None
    scenario, arguments = _parsed(text(spec.get("name")))
    apart = [f"{key}={value}" for key, value in arguments.items() if key not in _IRRELEVANT]
    adapter = members(spec, "adapter_spec")
    return Row(
        model=text(adapter.get("model")) or arguments.get("model", "").replace("_", "/", 1),
        benchmark=scenario + (":" if apart else "") + ",".join(apart),
        metric=metric,
        score=_mean(found),
        direction=schema.directions.get(metric, known),
        cost=_seconds(stats),
        harness="helm",
        where=where,
    )


def _parsed(name: str) -> tuple[str, dict[str, str]]:
    """Take the name of a run apart: ``scenario:argument=value,...``.

    Examples
    --------
    >>> _parsed("mmlu:subject=philosophy,model=openai_gpt-4")
    ('mmlu', {'subject': 'philosophy', 'model': 'openai_gpt-4'})
    """
    scenario, _, rest = name.partition(":")
    arguments: dict[str, str] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if equals:
            arguments[key] = value
        elif arguments:
            last = next(reversed(arguments))
            arguments[last] += f",{part}"
    return scenario, arguments


def _seconds(stats: Iterable[dict[str, Any]]) -> float:
    """Return the time of all requests: its mean per instance times their number, all splits."""
    by_name: dict[tuple[str, str], float] = {}
    for one in stats:
        if not members(one, "name").get("sub_split"):
            by_name.setdefault(_key(one), _mean(one))
    lasted = [
        mean * by_name.get(("num_instances", split), math.nan)
        for (name, split), mean in by_name.items()
        if name == "inference_runtime" and split
    ]
    total = sum(one for one in lasted if not math.isnan(one))
    return total if total > 0 else math.nan
