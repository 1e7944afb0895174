"""What names say: which metric a column holds, and what is no benchmark at all."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

LONE_METRIC = "score"
"""The metric of a benchmark whose column does not name one."""

LOWER = frozenset(
    "loss losses error errors err mae mse rmse nrmse mape nll perplexity ppl ece brier wer cer "  # noqa: SIM905
    "ter fid kid lpips bpb latency seconds runtime".split()
)
HIGHER = frozenset(
    "acc accuracy top auc auroc auprc ap map mrr ndcg recall precision f em exact bleu rouge chrf "  # noqa: SIM905
    "meteor cider spice iou miou dice kappa mcc r corr correlation spearman pearson pass hit hits "
    "psnr ssim elo rr score match similarity rougel rougelsum sacrebleu".split()
)
_METRIC_WORDS = LOWER | (HIGHER - {"f", "r", "top", "exact", "match", "similarity"})
FIXED = frozenset(
    {"f1", "f2", "r2", "r@1", "r@5", "r@10", "top1", "top3", "top5", "top10", "exact_match"}
)

_VERSION = re.compile(r"v?[0-9].*", re.IGNORECASE)
_STDERR = re.compile(r"(?:stderr|std[ _]err|standard[ _]error)\Z", re.IGNORECASE)
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")

_AVERAGE = r"(?:average|averages|averaged|avg|mean|overall|aggregate|aggregated)"
_KIND = r"(?:macro|micro|weighted|unweighted|global|grand|simple|total)"
_OF = r"(?:score|scores|accuracy|acc|performance|perf|result|results|rank|win rate|total|quality)"
_AGGREGATE = re.compile(
    rf"(?:{_KIND} )*{_AVERAGE}(?: {_AVERAGE})?(?: {_OF})*"
    rf"(?: (?:on|over|across|of)(?: \S+)* (?:datasets|data sets|tasks|benchmarks|evals|metrics))?"
    rf"|(?:{_OF} )(?:average|avg|mean|overall)"
    r"|all|score|win rate|winrate|(?:total|final) score"
)
_ATTRIBUTE = re.compile(
    r"(?:(?:n|num|number of|no of|total|active|trainable|model|activated) )*"
    r"(?:params?|parameters?)(?: count)?|param count"
    r"|(?:[a-z]+ )*(?:flops|gflops|tflops|macs|gmacs)"
    r"|(?:[a-z]+ )?rank|(?:[a-z]+ )?(?:size|img size)|(?:[a-z]+ )*data size"
    r"|release|released|(?:release|released|publication|training|submission) (?:date|year)"
    r"|date|year|epochs?|crop pct|(?:context|sequence|max) (?:length|tokens|window)|layers|depth"
    r"|(?:embedding|hidden) (?:dim|dimension|dimensions|size)"
    r"|gpu|gpu type|hardware|accelerator"
)
GPU_NAMES = ("gpu", "gpu type", "hardware", "accelerator")
"""Headers of a column of GPU types, in lower-case words; the first that is there counts."""


def flat(name: str) -> str:
    """Lower-case words of a name, one space between, without what is in brackets.

    Examples
    --------
    >>> flat("Average perf. on 38 datasets"), flat("params (M)"), flat("param_count")
    ('average perf on 38 datasets', 'params', 'param count')
    """
    plain = BRACKETS.sub(" ", name.casefold())
    return " ".join(re.findall(r"[^\W_]+", plain))


def is_aggregate(name: str) -> bool:
    """Tell whether a whole name says that it is a mean of other columns.

    Examples
    --------
    >>> [is_aggregate(n) for n in ("Mean win rate", "Average", "Mean (selected datasets)", "all")]
    [True, True, True, True]
    >>> [is_aggregate(n) for n in ("Boolean Mean", "Mean Reversion", "mean_average_precision")]
    [False, False, False]
    """
    return _AGGREGATE.fullmatch(flat(name)) is not None


def is_attribute(name: str) -> bool:
    """Tell whether a whole name describes models (parameters, FLOPs, year), not their scores.

    Examples
    --------
    >>> [is_attribute(n) for n in ("params (M)", "FLOPs (1E21)", "Model Size (B)", "Rank")]
    [True, True, True, True]
    >>> [is_attribute(n) for n in ("DiatomSizeReduction", "Date Understanding")]
    [False, False]
    """
    return _ATTRIBUTE.fullmatch(flat(name)) is not None


def stderr_target(name: str, names: Iterable[str]) -> str | None:
    """Return the column that a standard error belongs to, None for any other column.

    Examples
    --------
    >>> stderr_target("mmlu_stderr", ["mmlu", "mmlu_stderr"])
    'mmlu'
    """
    match = _STDERR.search(name)
    head = name[: match.start()] if match else ""
    target = head.rstrip(" _.-")
    return target if target != head and target in names else None


def is_metric(tail: str) -> bool:
    """Tell whether what follows the last dot of a column name is a metric.

    Examples
    --------
    >>> all(map(is_metric, ("acc@1", "mIoU", "dice-loss", "auc-macro", "image-to-text-acc@5")))
    True
    >>> any(map(is_metric, ("v2", "5", "en", " Error Detection", "lossless")))
    False
    """
    if not re.fullmatch(r"[\w@\-+%]+", tail):
        return False
    words = words_of(tail)
    return tail.casefold() in FIXED or any(w in _METRIC_WORDS or w in FIXED for w in words)


def split_names(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return (benchmark, metric) of each column name.

    A name is split at its last dot if the tail is a metric (`is_metric`), or if the same head
    comes with several tails, none of which looks like a version. A column without a metric of
    its own holds a ``"score"``.

    Examples
    --------
    >>> split_names(["cifar100.acc@1", "TwentyNewsgroupsClustering.v2"])
    {'cifar100.acc@1': ('cifar100', 'acc@1'), \
'TwentyNewsgroupsClustering.v2': ('TwentyNewsgroupsClustering.v2', 'score')}
    """
    tails: dict[str, set[str]] = defaultdict(set)
    for name in names:
        head, _, tail = name.rpartition(".")
        tails[head].add(tail)
    return {name: _split(name, tails) for name in names}


def guessed_heads(names: Sequence[str]) -> dict[str, list[str]]:
    """Return benchmarks whose columns were split only because their head repeats.

    Examples
    --------
    >>> guessed_heads(["xnli.en", "xnli.de", "cifar100.acc"])
    {'xnli': ['xnli.en', 'xnli.de']}
    """
    heads: dict[str, list[str]] = defaultdict(list)
    for name, (benchmark, metric) in split_names(names).items():
        if metric != LONE_METRIC and not is_metric(metric):
            heads[benchmark].append(name)
    return dict(heads)


def unprintable(name: str) -> bool:
    """Tell whether a name holds control characters, line breaks among them.

    Examples
    --------
    >>> unprintable("imagenet\\n1k"), unprintable("café")
    (True, False)
    """
    if name.isprintable():  # nearly every name
        return False
    return any(unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} for letter in name)


def words_of(text: str) -> list[str]:
    """Split at anything but letters and digits, where a capital follows, and before digits.

    Examples
    --------
    >>> words_of("valLoss"), words_of("auc-macro"), words_of("acc@1"), words_of("mAP50")
    (['val', 'loss'], ['auc', 'macro'], ['acc', '1'], ['map', '50'])
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text)
    return re.findall(r"f1|f2|r2|top[0-9]+|[^\W\d_]+|[0-9]+", spaced.casefold())


def _split(name: str, tails: dict[str, set[str]]) -> tuple[str, str]:
    head, _, tail = name.rpartition(".")
    if head and tail and (is_metric(tail) or _are_metrics(tails[head])):
        return head, tail
    return name, LONE_METRIC


def _are_metrics(tails: set[str]) -> bool:
    return len(tails) > 1 and not any(
        not tail or " " in tail or _VERSION.fullmatch(tail) for tail in tails
    )


_UNITS = frozenset({"ms", "s", "sec"})
_NEGATED = frozenset({"neg", "negative", "negated", "minus"})
_TIME = re.compile(r"\b(?:inference|run|wall|training|evaluation|eval) ?time$")


def guess_direction(column: str, metric: str) -> str:
    """Guess ``"higher"`` or ``"lower"`` from a metric's name, or else from a column's last word.

    Only whole words count, and of a column without a metric only the last one: "Translation
    Error Detection" is a task, "top1_err" an error rate.

    Examples
    --------
    >>> guess_direction("acdc.dice-loss", "dice-loss")
    'lower'
    >>> guess_direction("MMLU - ECE (10-bin)", "score")
    'lower'
    >>> guess_direction("Salient Translation Error Detection", "score")
    'higher'
    """
    if metric == LONE_METRIC:
        words = _last_phrase(column)
        known = words[-1:]
    else:
        words = words_of(metric)
        known = [w for w in words if w in LOWER or w in HIGHER or w in FIXED]
    lower = bool(known) and known[-1] in LOWER and not _NEGATED & set(words)
    return "lower" if lower or _TIME.search(" ".join(words)) else "higher"


def _last_phrase(column: str) -> list[str]:
    """Words of a column name, without brackets, units and lm-eval's ``,none`` at its end."""
    plain = BRACKETS.sub(" ", column.removesuffix(",none"))
    words = words_of(plain) or words_of(column)
    return words[:-1] if words and words[-1] in _UNITS else words
