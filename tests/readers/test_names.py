from __future__ import annotations

import pytest

from eevee.tables.column_names import (
    is_aggregate,
    is_attribute,
    is_metric,
    split_names,
    stderr_target,
    unprintable,
)

METRICS = (  # noqa: SIM905
    "acc acc@1 acc1 acc5 accuracy accuracy_top_1 accuracy_top_1_individual acc_norm mIoU dice-loss "
    "dice_loss auc auc-macro f1 f1_macro loss mae mae_loss top1 top5 image-to-text-acc@5 mAP mAP50 "
    "image_to_text_accuracy ndcg@10 ndcg_at_10 recall@5 rouge2 rougeL pass@1 mrr exact_match r2"
).split()
NOT_METRICS = ["v2", "5", "1", "en", "de", "B", "lossless", "", " error", "Topology", "maps2"]


@pytest.mark.parametrize("tail", METRICS)
def test_metrics_are_split_off(tail: str):
    assert is_metric(tail)
    assert split_names([f"x.y.{tail}"]) == {f"x.y.{tail}": ("x.y", tail)}


@pytest.mark.parametrize("tail", NOT_METRICS)
def test_other_tails_stay(tail: str):
    assert not is_metric(tail)
    assert split_names([f"x.{tail}"]) == {f"x.{tail}": (f"x.{tail}", "score")}


def test_a_head_with_several_tails_is_a_benchmark_unless_they_are_versions():
    assert split_names(["x.en", "x.de"])["x.de"] == ("x", "de")
    for versions in (["x.v1", "x.v2"], ["x.1.5", "x.1.6"], ["x.v2", "x.en"]):
        assert all(benchmark != "x" for benchmark, _ in split_names(versions).values())


@pytest.mark.parametrize(
    "name",
    [
        "average", "Average", "AVG", "mean", "Overall", "overall score", "avg_score", "score",
        "win rate", "Mean win rate", "all", "Average perf. on 38 datasets", "Average ⬆️",
        "Mean (selected datasets)", "Macro average", "mean_accuracy", "Average Accuracy (%)",
        "average over all tasks",
    ],
)  # fmt: skip
def test_aggregates_are_found_by_their_whole_name(name: str):
    assert is_aggregate(name)


@pytest.mark.parametrize(
    "name",
    [
        "Boolean Mean", "Mean Reversion", "mean_average_precision", "overall_bench", "scored",
        "AllenAI", "All About Cats", "mmlu_average", "average_height", "win rate vs gpt",
        "Snarks", "meaning", "Mean of Life",
    ],
)  # fmt: skip
def test_benchmarks_are_no_aggregates(name: str):
    assert not is_aggregate(name)


@pytest.mark.parametrize(
    "name",
    [
        "params", "params (M)", "Parameters", "#Params (B)", "param_count", "FLOPs (B)", "Rank",
        "GFLOPs", "Model Size (B)", "img_size", "Release", "release_date", "year", "crop_pct",
        "Pretraining Data Size (T)", "FLOPs (1E21)",
    ],
)  # fmt: skip
def test_attributes_are_found_by_their_whole_name(name: str):
    assert is_attribute(name)


@pytest.mark.parametrize(
    "name",
    ["DiatomSizeReduction", "Date Understanding", "Ranking QA", "Parameter golf", "SizeMatters"],
)
def test_benchmarks_are_no_attributes(name: str):
    assert not is_attribute(name)


def test_standard_errors_belong_to_a_column_that_is_there():
    assert stderr_target("arc.acc_stderr", ["arc.acc"]) == "arc.acc"
    assert stderr_target("arc stderr", ["arc"]) == "arc"
    assert stderr_target("arc_stderr", ["mmlu"]) is None


def test_control_characters_are_found():
    assert all(map(unprintable, ("a\nb", "a\tb", "\x1b[31m", "a\u2028b", "\ud800")))
    assert not any(map(unprintable, ("naïve", "数学", "a b", "🦊", "a|b,c;d")))
