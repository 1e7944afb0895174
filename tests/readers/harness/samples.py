"""A small source in each format: five models, three benchmarks, all scores different."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

MODELS = ("ada", "bel", "cid", "dee", "eva")
BENCHMARKS = ("arc", "gsm", "wiki")
VALUES = {
    (m, b): round(0.17 + 0.13 * i + 0.07 * ((i * 3 + j * 2) % 5) + 0.011 * j, 4)
    for i, m in enumerate(MODELS)
    for j, b in enumerate(BENCHMARKS)
}
Content = dict[str, Any]
"""What to write, by name below the source: bytes and text as they are, anything else as JSON."""


def _of(model: str) -> dict[str, float]:
    return {b: VALUES[model, b] for b in BENCHMARKS}


def _csv(header: str, rows: list[list[Any]]) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows), ""])


def _canonical() -> Content:
    header = (
        "model,benchmark,metric,score,stderr,direction,seed,cost_seconds,harness,version,source"
    )
    rows = [
        [m, b, "acc", v, 0.01, "higher", "", 3, "x 1", "v1", "f"] for (m, b), v in VALUES.items()
    ]
    return {"all.csv": _csv(header, rows)}


def _lm_eval() -> Content:
    return {
        f"org__{m}/results_{i}.json": {
            "results": {b: {"acc,none": v, "acc_stderr,none": 0.1} for b, v in _of(m).items()}
            | {"grp": {"acc,none": 0.5}},
            "groups": {"grp": {"acc,none": 0.5}},
            "group_subtasks": {"grp": ["arc", "gsm"]},
            "config": {"model_args": f"pretrained={m}", "limit": None},
            "versions": dict.fromkeys(BENCHMARKS, 1),
            "n-shot": dict.fromkeys(BENCHMARKS, 5),
            "higher_is_better": {b: {"acc": True} for b in BENCHMARKS},
            "date": float(i),
        }
        for i, m in enumerate(MODELS)
    }


def _mteb() -> Content:
    found: Content = {}
    for m in MODELS:
        found[f"{m}/rev1/model_meta.json"] = {"name": m, "revision": "rev1", "n_parameters": 5}
        for b, v in _of(m).items():
            found[f"{m}/rev1/{b}.json"] = {
                "task_name": b,
                "dataset_revision": "d1",
                "mteb_version": "2.0.0",
                "evaluation_time": 2.5,
                "scores": {"test": [{"hf_subset": "default", "main_score": v}]},
            }
    return found


def _helm() -> Content:
    found: Content = {}
    for (m, b), v in VALUES.items():
        folder = f"runs/v1/{b}:model={m}"
        name = {"name": "exact_match", "split": "test"}
        found[f"{folder}/stats.json"] = [{"name": name, "count": 1, "mean": v}]
        spec = {"name": f"{b}:model={m}", "adapter_spec": {"model": m}, "groups": [b]}
        found[f"{folder}/run_spec.json"] = spec
    return found


def _helm_table() -> Content:
    header = [{"value": "Model"}, *({"value": b, "lower_is_better": False} for b in BENCHMARKS)]
    rows = [[{"value": m}, *({"value": v} for v in _of(m).values())] for m in MODELS]
    return {"groups/core.json": {"title": "Accuracy", "header": header, "rows": rows}}


def _open_clip() -> Content:
    rows = [[m, "laion", 10 + i, 5, *_of(m).values()] for i, m in enumerate(MODELS)]
    return {"r.csv": _csv("name,pretrained,params (M),FLOPs (B),arc,gsm,wiki", rows)}


def _clip() -> Content:
    rows = [[v, b, m, "laion", "zeroshot_classification"] for (m, b), v in VALUES.items()]
    return {"r.csv": _csv("acc1,dataset,model,pretrained,task", rows)}


def _opencompass() -> Content:
    rows = [[b, "a1", "accuracy", "gen", *(VALUES[m, b] for m in MODELS)] for b in BENCHMARKS]
    rows.insert(0, ["--- Exam ---", *["-"] * 8])
    return {"summary/summary_1.csv": _csv(f"dataset,version,metric,mode,{','.join(MODELS)}", rows)}


def _log(model: str, benchmark: str) -> Content:
    metrics = {"accuracy": {"value": VALUES[model, benchmark]}, "stderr": {"value": 0.1}}
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": benchmark, "model": model, "created": "2025-01-01T00:00:00+00:00"},
        "results": {"total_samples": 9, "completed_samples": 9, "scores": [{"metrics": metrics}]},
        "stats": {
            "started_at": "2025-01-01T00:00:00+00:00",
            "completed_at": "2025-01-01T00:01:00+00:00",
        },
    }


def _inspect() -> Content:
    found: Content = {f"{m}_{b}.json": _log(m, b) for m, b in VALUES if m != "eva"}
    for b in BENCHMARKS:
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo("header.json"), json.dumps(_log("eva", b)))
        found[f"eva_{b}.eval"] = raw.getvalue()
    return found


def _lighteval() -> Content:
    return {
        f"results/{m}/results_1.json": {
            "config_general": {"model_name": m, "total_evaluation_time_secondes": "9.5"},
            "results": {f"{b}|0": {"em": v, "em_stderr": 0.1} for b, v in _of(m).items()}
            | {"all": {"em": 0.5}},
            "versions": {f"{b}|0": 1 for b in BENCHMARKS},
            "config_tasks": {b: {"metrics": [{"metric_name": "em", "higher_is_better": True}]}
                             for b in BENCHMARKS},
        }
        for m in MODELS
    }  # fmt: skip


def _wandb() -> Content:
    rows = [[m, "finished", 30, 1, 0.1, *_of(m).values()] for m in MODELS]
    return {"export.csv": _csv("Name,State,Runtime,seed,lr,eval/arc,eval/gsm,eval/wiki", rows)}


def _vlmevalkit() -> Content:
    found: Content = {
        f"{m}/{m}_{b}_acc.csv": f"split,Overall\nnone,{v}\n"
        for (m, b), v in VALUES.items()
        if m != "eva"
    }
    entries = {
        b: {"primary_metric": "Overall", "metrics": {"Overall": v}} for b, v in _of("eva").items()
    }
    found["eva/T20250101_G1/status.json"] = {"model_name": "eva", "datasets": entries}
    return found


def _records() -> Content:
    return {
        f"data/{m}/1.json": {
            "schema_version": "0.3.0",
            "retrieved_timestamp": "1.0",
            "source_metadata": {"evaluator_relationship": "third_party"},
            "eval_library": {"name": "x", "version": "1"},
            "model_info": {"id": m},
            "evaluation_results": [
                {
                    "evaluation_name": b,
                    "metric_config": {"lower_is_better": False, "metric_name": "acc"},
                    "score_details": {
                        "score": v,
                        "uncertainty": {"standard_error": {"value": 0.1}},
                    },
                }
                for b, v in _of(m).items()
            ],
        }
        for m in MODELS
    }


SAMPLES: dict[str, Content] = {
    "eevee": _canonical(),
    "lm-eval": _lm_eval(),
    "mteb": _mteb(),
    "helm": _helm(),
    "helm-table": _helm_table(),
    "open-clip": _open_clip(),
    "clip-benchmark": _clip(),
    "opencompass": _opencompass(),
    "inspect": _inspect(),
    "lighteval": _lighteval(),
    "wandb": _wandb(),
    "vlmevalkit": _vlmevalkit(),
    "every-eval-ever": _records(),
}


def raw(content: Any) -> bytes:
    """Return what a file holds."""
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode("utf-8", "replace")


def lay_out(root: Path, sample: Content, encode: Callable[[Any], bytes] = raw) -> Path:
    """Write a source below a folder."""
    for name, content in sample.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(content))
    return root


def places(content: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return where something stands in JSON."""
    yield above
    if isinstance(content, dict):
        for key, inner in content.items():
            yield from places(inner, (*above, key))
    elif isinstance(content, list):
        for i, inner in enumerate(content):
            yield from places(inner, (*above, i))
