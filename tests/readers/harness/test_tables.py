"""Tables that harnesses export: open_clip, CLIP_benchmark, OpenCompass, wandb."""

from __future__ import annotations

import math
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import eevee
from eevee.readers.harness import Files, find_format
from tests.readers.harness.conftest import Write, read_as, said, scores

HEAD = "name,pretrained,params (M),FLOPs (B),Average perf. on 2 datasets,ImageNet 1k,SVHN\n"
OPEN_CLIP = f"{HEAD}ViT,openai,150,20,0.6,0.7,0.5\nViT,laion,150,20,0.5,0.6,0.4\n"
CLIP = (
    "acc1,acc5,dataset,model,pretrained,task,mean_average_precision,model_fullname\n"
    "0.5,0.9,cifar10,ViT,openai,zeroshot_classification,,ViT openai\n"
    ",,voc,ViT,openai,zeroshot_classification,0.7,ViT openai\n"
    "0.6,0.9,cifar10,ViT,openai,linear_probe,,ViT openai\n"
)
# As `clip_benchmark eval` 1.6.2 writes it.
CLIP_JSON = {
    "dataset": "cifar10",
    "model": "ViT",
    "pretrained": "openai",
    "task": "linear_probe",
    "metrics": {"lp_acc1": 0.5, "lp_acc5": 0.9, "lp_mean_per_class_recall": 0.4, "classes": []},
    "language": "en",
}
SUMMARY = (
    "dataset,version,metric,mode,llama,qwen\n"
    "--------- Exam ---------,-,-,-,-,-\n"
    "ceval,-,naive_average,gen,50.00,60.00\n"
    "ceval-law,a1b2,accuracy,gen,50.00,-\n"
    "gsm8k,c3d4,accuracy,gen,70.00,80.00\n"
    "gsm8k,c3d4,accuracy,ppl,10.00,20.00\n"
    "bbh,-,-,-,-,-\n"
)
RUNS = (
    "Name,State,Runtime,_step,seed,lr,eval/a,eval/b,eval/runtime,train/loss\n"
    "vit-seed1,finished,30,9,1,0.1,60,50,3,1\n"
    "vit-seed2,finished,30,9,2,0.1,62,54,3,1\n"
    "swin-seed1,finished,30,9,1,0.1,70,40,3,1\n"
    "swin-seed2,crashed,3,1,2,0.1,10,10,3,1\n"
)

FILES = {
    "open-clip": (
        "openclip_results.csv",
        OPEN_CLIP,
        {
            ("ViT|openai", "ImageNet 1k", ""): 0.7,
            ("ViT|openai", "SVHN", ""): 0.5,
            ("ViT|laion", "ImageNet 1k", ""): 0.6,
            ("ViT|laion", "SVHN", ""): 0.4,
        },
        {"Average perf. on 2 datasets"},
    ),
    "clip-benchmark": (
        "benchmark.csv",
        CLIP,
        {
            ("ViT openai", "cifar10 (zeroshot_classification)", "acc1"): 0.5,
            ("ViT openai", "cifar10 (zeroshot_classification)", "acc5"): 0.9,
            ("ViT openai", "cifar10 (linear_probe)", "acc1"): 0.6,
            ("ViT openai", "cifar10 (linear_probe)", "acc5"): 0.9,
            ("ViT openai", "voc", "mean_average_precision"): 0.7,
        },
        set(),
    ),
    "clip-benchmark json": (
        "cifar10_openai_ViT_en_linear_probe.json",
        CLIP_JSON,
        {
            ("ViT openai", "cifar10", "lp_acc1"): 0.5,
            ("ViT openai", "cifar10", "lp_acc5"): 0.9,
            ("ViT openai", "cifar10", "lp_mean_per_class_recall"): 0.4,
        },
        set(),
    ),
    "opencompass": (
        "20250101/summary/summary_1.csv",
        SUMMARY,
        {
            ("llama", "ceval-law", "accuracy"): 50,
            ("llama", "gsm8k", "accuracy gen"): 70,
            ("qwen", "gsm8k", "accuracy gen"): 80,
            ("llama", "gsm8k", "accuracy ppl"): 10,
            ("qwen", "gsm8k", "accuracy ppl"): 20,
        },
        {"ceval"},
    ),
    "wandb": (
        "wandb.csv",
        RUNS,
        {("vit", "eval/a", ""): 62, ("vit", "eval/b", ""): 54}
        | {("swin", "eval/a", ""): 70, ("swin", "eval/b", ""): 40},
        {"wandb.csv", "Name", "State", "Runtime", "_step", "lr", "eval/runtime", "train/loss"},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_each_file_gives_its_scores_and_names_what_it_leaves_out(name: str, write: Write):
    file, content, expected, noted = FILES[name]
    found = read_as(write(file, content), name.split(maxsplit=1)[0])
    assert scores(found) == expected
    assert {note.name for note in found.notes} == noted


def test_open_clip_keeps_sizes_as_attributes(write: Write):
    found = read_as(write("openclip_results.csv", OPEN_CLIP), "open-clip")
    assert found.models["ViT|laion"]["params (M)"] == 150


MORE = "ViT,dfn,150,20,0.4,0.5,0.3\nRN50,openai,100,10,0.3,0.4,0.2\nViT,meta,150,20,0.7,0.8,0.6\n"


def test_what_the_user_says_counts_for_harness_results_too(write: Write):
    path = write("openclip_results.csv", OPEN_CLIP + MORE)
    table = eevee.read_table(path, drop_columns=["SVHN"], drop_models=["RN50*"], max_mb=7)
    assert list(table.scores) == ["ImageNet 1k"]
    assert set(table.model_names) == {"ViT|dfn", "ViT|laion", "ViT|meta", "ViT|openai"}
    with pytest.raises(eevee.EeveeError, match="no column 'SVNH'"):
        eevee.read_table(path, drop_columns=["SVNH"])
    table = eevee.read_table(path / "openclip_results.csv", missing=["0.8", "OOM"])
    assert math.isnan(table.scores.loc["ViT|meta", "ImageNet 1k"])
    with pytest.raises(eevee.EeveeError, match="is a folder; options that name columns"):
        eevee.read_table(path, model_column="name")


def test_each_column_that_is_no_score_is_named_with_its_role(write: Write):
    table = eevee.read_table(write("openclip_results.csv", OPEN_CLIP + MORE))
    roles = {column.name: column.role for column in table.provenance.columns}
    assert roles == {"ImageNet 1k": "score", "SVHN": "score", HEAD.split(",")[4]: "aggregate"}


def test_clip_benchmark_says_the_task_of_each_data_set(write: Write):
    found = read_as(write("benchmark.csv", CLIP), "clip-benchmark")
    assert found.tasks == {
        "cifar10 (zeroshot_classification)": "zeroshot_classification",
        "cifar10 (linear_probe)": "linear_probe",
        "voc": "zeroshot_classification",
    }


@pytest.mark.parametrize(
    ("lines", "kept", "dropped"),
    [
        # A summary that lists groups alone: they are all that is known of their data sets.
        (["mmlu,-,naive_average,gen,50", "bbh,-,naive_average,gen,60"], {"mmlu", "bbh"}, set()),
        # A group's other metrics are its own, and no scores of a data set.
        (["ceval,-,accuracy,gen,50", "ceval-law,a1,accuracy,gen,50"], {"ceval-law"}, {"ceval"}),
        (
            [
                "mmlu,-,naive_average,gen,50",
                "mmlu-stem,-,naive_average,gen,60",
                "lukaemon_mmlu_law,a1,accuracy,gen,50",
            ],
            {"lukaemon_mmlu_law"},
            {"mmlu", "mmlu-stem"},
        ),
        (
            ["mmlu,-,weighted_average,gen,50", "mmlu-stem,-,naive_average,gen,60"],
            {"mmlu-stem"},
            {"mmlu"},
        ),
        (
            ["gsm8k,a1,accuracy,gen,50", "average,-,naive_average,mixed,50"],
            {"gsm8k"},
            {"average"},
        ),
        (
            ["mbpp,-,accuracy,gen,50", "mbpp,-,naive_average,gen,50", "x,-,standard_deviation,-,1"],
            {"mbpp"},
            set(),
        ),
    ],
)
def test_a_group_of_opencompass_gives_way_to_its_members(
    lines: list[str], kept: set[str], dropped: set[str], write: Write
):
    text = "\n".join(["dataset,version,metric,mode,llama", *lines, "--- End ---,-,-,-,-", ""])
    found = read_as(write("summary_1.csv", text), "opencompass")
    assert sorted(row.benchmark for row in found.rows) == sorted(kept)
    assert {note.name for note in found.notes if note.action == "dropped"} == dropped


def test_wandb_keeps_each_seed_and_only_runs_that_finished(write: Write):
    found = read_as(write("wandb.csv", RUNS), "wandb")
    assert [
        (row.model, row.seed, row.score) for row in found.rows if row.benchmark == "eval/a"
    ] == [
        ("vit", "1", 60),
        ("vit", "2", 62),
        ("swin", "1", 70),
    ]
    assert any("1 crashed" in note.why for note in found.notes)
    assert all(math.isnan(row.cost) for row in found.rows)


def test_the_time_of_a_wandb_run_is_the_cost_of_its_only_metric(write: Write):
    text = "Name,State,Runtime,acc\n" + "".join(f"m{i},finished,{i + 5},{i}\n" for i in range(4))
    found = read_as(write("wandb.csv", text), "wandb")
    assert [row.cost for row in found.rows] == [5, 6, 7, 8]
    assert {note.name for note in found.notes} == {"State"}


def plain(header: str, *last: Any) -> str:
    rows = [f"m{i},{one},{50 + i},{60 - i % 3},{70 + i * i}" for i, one in enumerate(last)]
    return "\n".join([header, *rows, ""])


@pytest.mark.parametrize(
    "text",
    [
        plain("Name,State,mmlu,arc,gsm8k", "Ohio", "Utah", "Iowa", "Texas"),
        plain("Name,Runtime,mmlu,arc,gsm8k", 10, 20, 30, 40),
        plain("Name,Created,mmlu,arc,gsm8k", *(f"2024-01-0{i}" for i in range(1, 5))),
        plain("Name,Tags,mmlu,arc,gsm8k", *"abcd"),
        plain("Name,Group,mmlu,arc,gsm8k", *"abcd"),
        plain("model,task,mmlu,arc,gsm8k", *"abcd"),
        plain("model,dataset,mmlu,arc,gsm8k", *"abcd"),
        plain("model,metric,mmlu,arc,gsm8k", *"abcd"),
        plain("name,pretrained,mmlu,arc,gsm8k", *"abcd"),
        plain("Metric,rank,mmlu,arc,gsm8k", *range(1, 5)),
        "Metric,a,b,c,d\nmmlu,1,2,3,5\narc,4,2,3,1\n",
        "model,task,metric,score\na,x,acc,1\nb,x,acc,2\nc,x,acc,5\nd,x,acc,3\n",
        "model,dataset,version,score\na,x,1,1\nb,x,1,2\nc,x,1,5\nd,x,1,3\n",
    ],
)
def test_ordinary_tables_are_taken_for_no_results_of_a_harness(text: str, write: Write):
    path = write("results/results_acc.csv", text).joinpath("results", "results_acc.csv")
    assert find_format(Files(path)) is None


def test_a_pipe_is_read_once(tmp_path: Path):
    pipe = tmp_path / "scores.csv"
    os.mkfifo(pipe)
    text = "model,a,b\n" + "".join(f"m{i},{i * 3 % 5},{i * i}\n" for i in range(5))
    writer = threading.Thread(target=pipe.write_text, args=(text,))
    writer.start()
    assert eevee.read_table(pipe).n_models == 5
    writer.join()


def test_a_run_of_wandb_whose_notes_hold_lines_is_told(write: Write):
    text = '"Name","State","Notes","acc"\n' + "".join(
        f'"m{i}","finished","line\nline","{i}"\n' for i in range(4)
    )
    table = eevee.read_table(write("runs.csv", text))
    assert table.n_models == 4
    assert "is wandb's own" in said(table)
