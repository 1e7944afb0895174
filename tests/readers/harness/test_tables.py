"""Tables that harnesses export: open_clip, CLIP_benchmark, OpenCompass, wandb."""

from __future__ import annotations

import math

import pytest

import eevee
from tests.readers.harness.conftest import Write, read_as, scores

ROWS = "ViT,openai,150,20,0.6,0.7,0.5\nViT,laion,150,20,0.5,0.6,0.4\n"


def test_open_clip_has_a_model_per_name_and_pretraining(write: Write):
    head = "name,pretrained,params (M),FLOPs (B),Average perf. on 2 datasets,ImageNet 1k,SVHN\n"
    found = read_as(write("openclip_results.csv", head + ROWS), "open-clip")
    assert set(scores(found)) == {
        (model, name, "")
        for model in ("ViT|openai", "ViT|laion")
        for name in ("ImageNet 1k", "SVHN")
    }
    assert [note.name for note in found.notes] == ["Average perf. on 2 datasets"]
    assert found.models["ViT|laion"]["params (M)"] == 150


def test_what_the_user_says_counts_for_harness_results_too(write: Write):
    head = "name,pretrained,params (M),FLOPs (B),Average perf. on 2 datasets,ImageNet 1k,SVHN\n"
    more = (
        "ViT,dfn,150,20,0.4,0.5,0.3\nRN50,openai,100,10,0.3,0.4,0.2\nViT,meta,150,20,0.7,0.8,0.6\n"
    )
    path = write("openclip_results.csv", head + ROWS + more)
    table = eevee.read_table(path, drop_columns=["SVHN"], drop_models=["RN50*"], max_mb=7)
    assert list(table.scores) == ["ImageNet 1k"]
    assert set(table.model_names) == {"ViT|dfn", "ViT|laion", "ViT|meta", "ViT|openai"}
    with pytest.raises(eevee.EeveeError, match="no column 'SVNH'"):
        eevee.read_table(path, drop_columns=["SVNH"])


CLIP = (
    "acc1,acc5,dataset,model,pretrained,task,mean_average_precision,model_fullname\n"
    "0.5,0.9,cifar10,ViT,openai,zeroshot_classification,,ViT openai\n"
    ",,voc,ViT,openai,zeroshot_classification,0.7,ViT openai\n"
    "0.6,0.9,cifar10,ViT,openai,linear_probe,,ViT openai\n"
)


def test_clip_benchmark_has_the_metrics_of_each_task(write: Write):
    found = read_as(write("benchmark.csv", CLIP), "clip-benchmark")
    assert scores(found) == {
        ("ViT openai", "cifar10 (zeroshot_classification)", "acc1"): 0.5,
        ("ViT openai", "cifar10 (zeroshot_classification)", "acc5"): 0.9,
        ("ViT openai", "cifar10 (linear_probe)", "acc1"): 0.6,
        ("ViT openai", "cifar10 (linear_probe)", "acc5"): 0.9,
        ("ViT openai", "voc", "mean_average_precision"): 0.7,
    }


def test_clip_benchmark_says_the_task_of_each_data_set(write: Write):
    found = read_as(write("benchmark.csv", CLIP), "clip-benchmark")
    assert found.tasks == {
        "cifar10 (zeroshot_classification)": "zeroshot_classification",
        "cifar10 (linear_probe)": "linear_probe",
        "voc": "zeroshot_classification",
    }


def test_clip_benchmark_has_a_file_per_data_set_and_model(write: Write):
    one = {"dataset": "cifar10", "model": "ViT", "pretrained": "openai", "language": "en"}
    one |= {"task": "zeroshot_classification", "metrics": {"acc1": 0.5, "acc5": 0.9}}
    found = read_as(write("cifar10_ViT.json", one), "clip-benchmark")
    assert scores(found)["ViT openai", "cifar10", "acc1"] == 0.5


SUMMARY = (
    "dataset,version,metric,mode,llama,qwen\n"
    "--------- Exam ---------,-,-,-,-,-\n"
    "ceval,-,naive_average,gen,50.00,60.00\n"
    "ceval-law,a1b2,accuracy,gen,50.00,-\n"
    "gsm8k,c3d4,accuracy,gen,70.00,80.00\n"
    "gsm8k,c3d4,accuracy,ppl,10.00,20.00\n"
)


def test_opencompass_has_models_as_columns_groups_and_separators(write: Write):
    found = read_as(write("20250101/summary/summary_1.csv", SUMMARY), "opencompass")
    assert scores(found) == {
        ("llama", "ceval-law", "accuracy"): 50,
        ("llama", "gsm8k", "accuracy gen"): 70,
        ("qwen", "gsm8k", "accuracy gen"): 80,
        ("llama", "gsm8k", "accuracy ppl"): 10,
        ("qwen", "gsm8k", "accuracy ppl"): 20,
    }
    assert {row.version for row in found.rows} == {"a1b2", "c3d4"}
    assert [note.name for note in found.notes] == ["ceval"]


RUNS = (
    "Name,State,Runtime,_step,seed,lr,eval/a,eval/b,eval/runtime,train/loss\n"
    "vit-seed1,finished,30,9,1,0.1,60,50,3,1\n"
    "vit-seed2,finished,30,9,2,0.1,62,54,3,1\n"
    "swin-seed1,finished,30,9,1,0.1,70,40,3,1\n"
    "swin-seed2,crashed,3,1,2,0.1,10,10,3,1\n"
)


def test_wandb_has_a_row_per_seed_and_more_columns_than_scores(write: Write):
    found = read_as(write("wandb.csv", RUNS), "wandb")
    assert {(row.model, row.benchmark, row.seed, row.score) for row in found.rows} == {
        ("vit", "eval/a", "1", 60),
        ("vit", "eval/a", "2", 62),
        ("vit", "eval/b", "1", 50),
        ("vit", "eval/b", "2", 54),
        ("swin", "eval/a", "1", 70),
        ("swin", "eval/b", "1", 40),
    }
    assert any("1 crashed" in note.why for note in found.notes)
    assert all(math.isnan(row.cost) for row in found.rows)
