"""HELM runs: a folder per run with `stats.json`, `run_spec.json` and 100 other statistics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eevee.readers.harness.files import Files
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.harness.values import items, members, number, text
from eevee.tables.results_table import Note

NAME = "helm"
WHAT = "runs of HELM: stats.json and run_spec.json"

_STATS = "stats.json"
_SPEC = "run_spec.json"
_SCHEMA = "schema.json"
_SPLITS = ("test", "valid")
_BY_SCENARIO = {
    "mmlu": "exact_match", "commonsense": "exact_match", "truthful_qa": "exact_match",
    "narrative_qa": "f1_score", "natural_qa": "f1_score", "quac": "f1_score",
    "msmarco": "RR@10", "summarization_xsum": "rouge_2", "summarization_cnndm": "rouge_2",
    "gsm": "final_number_exact_match", "math": "math_equiv_chain_of_thought", "wmt_14": "bleu_4",
}  # fmt: skip
"""Main metrics as in HELM's classic and lite schemas, by scenario."""
_MAIN = (
    "quasi_exact_match", "final_number_exact_match", "exact_match", "prefix_exact_match",
    "quasi_prefix_exact_match", "f1_score", "math_equiv_chain_of_thought", "math_equiv",
    "ifeval_strict_accuracy", "chain_of_thought_correctness", "wildbench_score_rescaled",
    "omni_math_accuracy", "safety_score", "NDCG@10", "RR@10", "rouge_2", "rouge_l", "bleu_4",
    "code_eval_acc", "test_avg", "classification_macro_f1", "bits_per_byte",
)  # fmt: skip
"""Main metrics of the others: the first that a run has."""
_LOWER = frozenset({"bits_per_byte", "logprob_per_byte", "perplexity", "inference_runtime"})
_IRRELEVANT = frozenset({"model", "model_deployment", "groups"})


def fits(files: Files) -> bool:
    """Tell whether there is a run."""
    return any(
        path.name == _STATS and path.with_name(_SPEC).is_file() and _stats(files, path)
        for path in files.sample(_STATS)
    )


def read(files: Files) -> Harvest:
    """Read the main metric of every run, on its main split, without perturbations."""
    mains = _mains(files)
    rows: list[Row] = []
    chosen: dict[str, dict[str, None]] = {}
    lacking: list[str] = []
    for path in files.named(_STATS):
        spec = members(files.maybe_json(path.with_name(_SPEC)))
        if path.name != _STATS or not spec:
            continue
        stats = [one for one in _stats(files, path) if not members(one, "name").get("perturbation")]
        found = _main(stats, spec, mains)
        if found is None:
            lacking.append(files.where(path))
            continue
        row = _row(found, stats, spec, files.where(path))
        chosen.setdefault(row.metric, {})[row.benchmark] = None
        rows.append(row)
    notes = [
        Note("guessed", "file", files.name, f"main metric {metric} for {len(names)} scenarios")
        for metric, names in chosen.items()
    ]
    if lacking:
        why = f"{len(lacking)} runs have no main metric that is known ({lacking[0]}, ...)"
        notes.append(Note("dropped", "file", files.name, why))
    return Harvest(tuple(rows), tuple(notes))


def _stats(files: Files, path: Path) -> list[dict[str, Any]]:
    return [one for one in items(files.maybe_json(path)) if members(one, "name")]


def _mains(files: Files) -> dict[str, tuple[str, str]]:
    """Return main metric and split per run group, from the schema that helm-summarize writes."""
    mains = {}
    for path in files.named(_SCHEMA):
        for group in items(members(files.maybe_json(path)).get("run_groups")):
            told = members(group, "environment")
            if text(told.get("main_name")):
                split = text(told.get("main_split")) or _SPLITS[0]
                mains[text(members(group).get("name"))] = text(told["main_name"]), split
    return mains


def _main(
    stats: Iterable[dict[str, Any]], spec: Mapping[str, Any], mains: Mapping[str, tuple[str, str]]
) -> dict[str, Any] | None:
    """Return the main statistic of a run: as its groups in the schema say, else by a list."""
    by_name: dict[tuple[str, str], dict[str, Any]] = {}
    for one in stats:
        if not members(one, "name").get("sub_split") and not math.isnan(_mean(one)):
            by_name.setdefault(_key(one), one)
    told = [mains[text(group)] for group in items(spec.get("groups")) if text(group) in mains]
    usual = _BY_SCENARIO.get(_parsed(text(spec.get("name")))[0])
    names = _MAIN if usual is None else (usual, *_MAIN)
    guesses = [(name, split) for split in _SPLITS for name in names]
    return next((by_name[key] for key in [*told, *guesses] if key in by_name), None)


def _key(stat: Mapping[str, Any]) -> tuple[str, str]:
    name = members(stat, "name")
    return text(name.get("name")), text(name.get("split"))


def _mean(stat: Mapping[str, Any]) -> float:
    return number(stat.get("mean")) if number(stat.get("count")) > 0 else math.nan


def _row(
    found: Mapping[str, Any], stats: Iterable[dict[str, Any]], spec: Mapping[str, Any], where: str
) -> Row:
    metric, _ = _key(found)
    scenario, arguments = _parsed(text(spec.get("name")))
    apart = [f"{key}={value}" for key, value in arguments.items() if key not in _IRRELEVANT]
    adapter = members(spec, "adapter_spec")
    return Row(
        model=text(adapter.get("model")) or arguments.get("model", "").replace("_", "/", 1),
        benchmark=scenario + (":" if apart else "") + ",".join(apart),
        metric=metric,
        score=_mean(found),
        direction="lower" if metric in _LOWER else "higher",
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
