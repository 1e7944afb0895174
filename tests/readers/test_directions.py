from __future__ import annotations

import pytest

from eevee import EeveeError
from eevee.readers.directions import read_direction
from eevee.tables.column_names import guess_direction


@pytest.mark.parametrize(
    "metric",
    [
        "loss", "dice-loss", "dice_loss", "mae", "mae_loss", "MSE", "rmse", "perplexity",
        "word_perplexity", "ppl", "ece", "ece-10-bin", "Brier", "wer", "cer", "fid", "error",
        "top1_err", "valLoss", "latency", "seconds", "Denoised inference time", "BPB",
    ],
)  # fmt: skip
def test_losses_are_lower_better(metric: str):
    assert guess_direction(f"x.{metric}", metric) == "lower"


@pytest.mark.parametrize(
    "metric",
    [
        "acc", "acc@1", "auc-macro", "mIoU", "f1", "lossless", "score", "Bert", "neg_mse",
        "neg_log_loss", "dice", "pass@1", "error_detection_acc", "spearman", "en",
    ],
)  # fmt: skip
def test_other_metrics_are_higher_better(metric: str):
    assert guess_direction(f"x.{metric}", metric) == "higher"


@pytest.mark.parametrize(
    ("column", "direction"),
    [
        ("MMLU - ECE (10-bin)", "lower"),
        ("wikitext_ppl", "lower"),
        ("wikitext_word_perplexity,none", "lower"),
        ("latency (ms)", "lower"),
        ("latency_ms", "lower"),
        ("loss", "lower"),
        ("Salient Translation Error Detection", "higher"),
        ("CLEVR Distance", "higher"),
        ("Loss Aversion Quiz", "higher"),
        ("Time Series", "higher"),
        ("lossless", "higher"),
        ("Bert", "higher"),
        ("", "higher"),
    ],
)
def test_a_column_without_a_metric_goes_by_its_last_word(column: str, direction: str):
    assert guess_direction(column, "score") == direction


@pytest.mark.parametrize(
    ("header", "cell", "direction"),
    [
        ("direction", "higher", "higher"),
        ("direction", "Lower is better", "lower"),
        ("direction", "higher_is_better", "higher"),
        ("direction", "MIN", "lower"),
        ("direction", "maximize", "higher"),
        ("direction", "↓", "lower"),
        ("direction", "", None),
        ("higher_is_better", "True", "higher"),
        ("higher_is_better", "0", "lower"),
        ("lower_is_better", "yes", "lower"),
        ("lower is better", "false", "higher"),
    ],
)
def test_directions_are_read(header: str, cell: str, direction: str | None):
    assert read_direction(header, cell, "x") == direction


@pytest.mark.parametrize("cell", ["sideways", "true", "1"])
def test_other_words_are_no_directions(cell: str):
    with pytest.raises(EeveeError, match=r"x: .* is not a direction"):
        read_direction("direction", cell, "x")
