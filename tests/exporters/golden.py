"""Two nested tiers in each format; `python -m tests.exporters.golden` writes the files anew."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from eevee.exporters.exporting import export
from eevee.exporters.mapping import TaskMapping
from eevee.exporters.registry import NAMES
from tests.exporters.conftest import tiers_of

GOLDEN = Path(__file__).parent / "golden"
TIERS = tiers_of(small=["GSM8K", "ARC"], base=["GSM8K", "ARC", "MMLU"])

_COMMAND = "python eval.py --task {task} --shots {shots}"
MAPPINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "lm-eval": (
        {
            "GSM8K": {"task": "gsm8k", "num_fewshot": 5},
            "ARC": ["arc_easy", "arc_challenge"],
            "MMLU": {"task": "mmlu", "group": True, "num_fewshot": 0},
        },
        {"aggregate": ["acc", {"metric": "exact_match", "weight_by_size": True}]},
    ),
    "helm": (
        {
            "GSM8K": "gsm:model=openai/gpt2",
            "ARC": "commonsense:dataset=arc,method=multiple_choice_joint",
            "MMLU": ["mmlu:subject=econometrics", "mmlu:subject=virology"],
        },
        {"model": "text_code"},
    ),
    "mteb": (
        {
            "GSM8K": {"task": "STS12", "eval_splits": ["test"]},
            "ARC": "Banking77Classification",
            "MMLU": {"task": "STS22.v2", "languages": ["eng", "deu"]},
        },
        {},
    ),
    "hydra": (
        {
            "GSM8K": {"task": "gsm8k", "shots": 5, "prompt": "${x} \\${y} it's\n$(z)"},
            "ARC": "arc",
            "MMLU": {"task": "mmlu", "subjects": ["law", "yes"]},
        },
        {},
    ),
    "gate": (
        {"GSM8K": {"task": "gsm8k", "shots": 5}, "ARC": {"task": "ai2/arc", "shots": "a b; c"}}
        | {"MMLU": {"task": "mmlu", "shots": 0}},
        {"command": f"{_COMMAND} --seed {{seed}} exp={{name}}", "seeds": [0, 1]},
    ),
    "slurm": (
        {"GSM8K": {"task": "gsm8k", "shots": 5}, "ARC": {"task": "$(arc) 'a'", "shots": 0}}
        | {"MMLU": {"task": "mmlu", "shots": 0}},
        {"command": _COMMAND, "array_limit": 2, "sbatch": ["--gres=gpu:1"]},
    ),
    "opencompass": (
        {
            "GSM8K": "gsm8k.gsm8k_gen:gsm8k_datasets",
            "ARC": "ARC_e.ARC_e_gen:ARC_e_datasets",
            "MMLU": "hellaswag.hellaswag_gen:hellaswag_datasets",
        },
        {},
    ),
    "card": ({}, {"date": "2026-11-29"}),
    "clip-benchmark": (
        {"GSM8K": "wds/vtab/cifar100", "ARC": "imagenet1k", "MMLU": "vtab/pets"},
        {},
    ),
    "text": ({"ARC": "the ARC, größer"}, {}),
    "inspect": (
        {"GSM8K": "inspect_evals/gsm8k", "ARC": "tasks.py@arc", "MMLU": "mmlu_0_shot"},
        {},
    ),
    "lighteval": (
        {"GSM8K": {"task": "gsm8k", "num_fewshot": 5}, "ARC": "arc:easy|25"}
        | {"MMLU": "leaderboard|mmlu:law|5"},
        {},
    ),
    "vlmevalkit": (
        {
            "GSM8K": {"task": "MMBench_DEV_EN_V11", "class": "ImageMCQDataset"},
            "ARC": {"task": "MMBench_Video_8frame_nopack", "shortcut": True},
            "MMLU": {"task": "Video-MME", "class": "VideoMME", "nframe": 16},
        },
        {"models": {"gpt": {"class": "GPT4V", "temperature": 0}}},
    ),
}


def export_golden(to: str, out: Path) -> None:
    tasks, options = MAPPINGS[to]
    export(TIERS, to=to, out=out, mapping=TaskMapping(to, tasks, options))


if __name__ == "__main__":
    for name in NAMES:
        shutil.rmtree(GOLDEN / name, ignore_errors=True)
        export_golden(name, GOLDEN / name)
