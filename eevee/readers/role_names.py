"""What a name says a column is, if it is no score: costs, errors, bounds, counts, dates, ..."""

from __future__ import annotations

import re
from collections.abc import Collection

from eevee.readers.vocabulary import in_english
from eevee.tables.column_names import BRACKETS, LOWER, flat, is_attribute

_COSTS = frozenset(
    "cost costs price prices pricing latency runtime usd dollars seconds secs minutes hours "  # noqa: SIM905
    "milliseconds kwh wh joules watts co2 co₂ vram throughput walltime elapsed tps qps fps rps "
    "flops gflops tflops flos macs rtf rtfx co2eq co2e gco2eq kgco2eq kgco2".split()
)
"""Words that name a cost wherever all other words of the name allow it."""
_COSTS_IN_COMPANY = frozenset(
    "time memory mem ram tokens token tok energy power carbon emissions duration speed".split()  # noqa: SIM905
)
"""Words that also name benchmarks: a cost only beside a unit or another word of costs."""
_COMPANIONS = frozenset(
    "input output in out per page image images sample samples query request requests example "  # noqa: SIM905
    "item instance task s h hr hrs sec ms million m k 1k 1m 1000 total avg average mean median min "
    "max p50 p90 p95 p99 peak gpu cpu wall clock eval evaluation inference training train tuning "
    "run running api usage used use kg g gb mb mib gib to first generation decode prefill prompt "
    "completion response blended denoised estimated est approx relative of the for and a "
    "second minute hour day footprint question on disk prompts 推理".split()
)
_COST_UNITS = frozenset(
    "s sec secs second seconds ms min minutes h hr hrs hours gb gib mb mib usd kg g kwh wh j "  # noqa: SIM905
    "tokens tok $ € £".split()
)
_MONEY = re.compile(r"[$€£¥₹]")
_FORMULA = re.compile(r"\$[^$]+\$")
_RATE = re.compile(r"[a-z] ?(?:/|per) ?(?:s|secs?|seconds?|min|minutes?|h|hrs?|hours?)(?: \(.*\))?")
_PER_MANY = re.compile(
    r"(?:/|\bper) ?(?:1 ?)?(?:k|m|1000|1e6|million|thousand)\b ?(?:tok|tokens?)?"
)
_GPU_TIME = re.compile(r"(?:gpu|cpu|tpu|[a-z]{1,3}\d{2,4}[a-z]?) (?:h|hrs?|hours?|days?|minutes)")
_UNIT_BEHIND = re.compile(
    r"(?:\s|_)[(\[](?:s|secs?|seconds|ms|hrs?|h|hours|[gmkt]i?b|usd|eur|gbp|kwh|wh|w|watts?|k?j"
    r"|(?:tok|tokens|img|images|samples)/s(?:ec)?)[)\]]\Z",
    re.IGNORECASE,
)
"""A unit of costs in brackets at the end: of "AUC (S)" the letter would not be small."""
_ERROR = (
    r"stderr|std ?err(?:or)?|standard[ _]error|std(?: ?dev)?|stdev|sd|sem|se|margin of error|moe|"
    r"uncertainty|error bars?|variance|ci(?: ?95)?|95 ?ci"
)
_ERROR_BEHIND = re.compile(rf"(?P<stem>.+?) (?:{_ERROR})")
_ERROR_BEFORE = re.compile(rf"(?:{_ERROR}) (?:of )?(?P<stem>.+)")
_ERROR_ALONE = re.compile(r"stderr|std err(?:or)?|standard error|standard deviation|stdev|sem")
_LOW = frozenset("lower low min minimum lb lo q025 q25 q05 q5 p025 p25 p05 p5 2 5".split())  # noqa: SIM905
_HIGH = frozenset("upper high max maximum ub hi q975 q95 p975 p95 97 95".split())  # noqa: SIM905
_AROUND_BOUND = frozenset("ci bound limit confidence interval 95 90 5 conf of".split())  # noqa: SIM905
_COUNT_FIRST = re.compile(r"(?:n|num|number of|no of|total number of|#) .+")
_COUNTED = (
    r"wins?|losses|draws?|ties|battles|games|matches played|votes|samples?|examples?|"
    r"instances?|items|questions|runs|trials|requests|evals?|tasks|datasets|benchmarks|results|models|"
    r"(?:correct|wrong|incorrect|solved|resolved|passed|failed|completed|failures|errors|timeouts|"
    r"refusals|submissions|citations|appearances)(?: (?:answers|tasks|questions|items|samples))?|"
    r"(?:questions|tasks|items|samples|problems|issues) "
    r"(?:answered|completed|solved|resolved|passed)"
)
_COUNT = re.compile(
    rf"n|total|count|support|(?:total )?(?:{_COUNTED})(?: (?:count|total))?|.+ count"
)
_LENGTH = re.compile(
    r"(?:avg|average|mean|median|max|min|total|response|output|answer|completion|generation)"
    r"(?: [a-z]+)? (?:length|len|words|chars|characters|tokens|size)"
    r"|(?:response|output|answer|completion) (?:length|len|words|chars|characters|tokens)"
    r"|(?:avg|average|mean|median) (?:n |num |number of )?"
    r"(?:steps|turns|calls|actions|messages|attempts)"
)
_LENGTH_ALONE = frozenset({"length", "len", "verbosity", "tokens", "words", "chars", "characters"})
"""Names of lengths that are benchmarks as well: numbers beyond 100 tell."""

_DATE = re.compile(
    r"(?:[a-z]+ )*(?:date|time ?stamp|datetime|created|updated|modified|"
    r"published|released)"
    r"(?: at| on)?|(?:[a-z]+ )?(?:year|month|day)|(?:created|updated|started|finished|submitted) at"
    r"|cutoff|(?:[a-z]+ )*cutoff"
)
_STEP = re.compile(
    r"(?:(?:global|train|training|trainer|total|max|best|last|final|num|current|optimizer) )*"
    r"(?:steps?|iter|iters|iterations?|epochs?|updates)"
    r"(?: \d+)?"
)
_SEED = re.compile(r"(?:random |rng |data |model )?(?:seeds?|random state)|rng")
_INDEX = re.compile(
    r"index|idx|row|row id|row number|row nr|nr|no|unnamed \d+|level \d+|s no|sno|sr no|#"
)
_ID = re.compile(
    r"id|uuid|guid|hash|sha|sha256|commit|revision|url|link|links|"
    r"(?:[a-z0-9]+ )+(?:id|uuid|hash|url|sha|link|links|repo)"
    r"|repo|path|checkpoint path|homepage|doi|arxiv(?: id)?"
)
_RANK = re.compile(
    r"(?:[a-z]+ )*(?:rank|ranking|position|place)(?: (?:ub|lb|overall|style control|by [a-z ]+))?"
)
_ATTRIBUTE = re.compile(
    r"(?:(?:hub|github|hf) )?(?:likes?|downloads?|hearts|stars|upvotes)|hub|generation|flagged|"
    r"license|licence|architecture|arch|(?:n |num )?(?:layers|heads|experts|shots?)|n shot|"
    r"temperature|top [pk]|moe|merged|(?:image |input )?resolution|dtype|quantization|bits|context|"
    r"context window|max (?:new )?tokens|pretrained tokens|"
    r"dim|dims|dimension|dimensions|embedding dim(?:ension)?s?|(?:[a-z]+ )?version|port|"
    r"(?:n |num )?(?:gpus|cpus|nodes|devices|workers)|world size"
)
_SURELY = re.compile(
    r"learning rate|lr|weight decay|dropout|batch size|vocab(?:ulary)? size|(?:model |file )?size "
    r"(?:b|m|k|gb|mb|on disk)|macts|activations|(?:pre ?)?train(?:ing|ed)? (?:data|tokens|corpus)"
    r"(?: size)?|arxiv(?: id)?"
)
"""Names of attributes whatever the numbers."""
_ALSO_BENCHMARKS = frozenset(
    "generation temperature resolution context bits hub stars hearts depth version port moe".split()  # noqa: SIM905
)

_FLAG = re.compile(
    r"(?:is|has|uses|with|supports) .+|open|open (?:source|weights|model)|official|verified|"
    r"contaminated|flagged|closed|proprietary|multimodal|reasoning model|instruct"
)
_IN_BILLIONS = re.compile(r"[(\[] ?(?:T|B|trillions?|billions?)\b")
_WITHOUT_COLUMN_MARKS = re.compile(r"[❤♥♡]")


def words_with_units(name: str) -> tuple[list[str], list[str]]:
    """Return the words of a name outside and inside of its brackets.

    Examples
    --------
    >>> words_with_units("CO₂ cost (kg)"), words_with_units("Avg_Tokens")
    ((['co₂', 'cost'], ['kg']), (['avg', 'tokens'], []))
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name)
    inside = " ".join(part[1:-1] for part in BRACKETS.findall(spaced))
    return in_english(spaced).split(), re.findall(r"[^\W_]+|[$€£]", inside.casefold())


def cost_words(name: str, others: Collection[str]) -> tuple[str, str | None] | None:
    """Tell whether a name may be a cost: how sure ("sure" or "maybe"), and of which column.

    Parameters
    ----------
    name : str
    others : collection of str
        Other columns, as `flat` writes them.

    Examples
    --------
    >>> cost_words("Cost_Per_Page", []), cost_words("Cost_Code", ["code"]), cost_words("time", [])
    (('sure', None), ('sure', 'code'), ('maybe', None))
    >>> cost_words("Time Series", []), cost_words("Price Prediction", ["prediction qa"])
    (None, None)
    """
    words, units = words_with_units(name)
    sure = [w for w in words if w in _COSTS]
    maybe = [w for w in words if w in _COSTS_IN_COMPANY]
    unit = bool(_COST_UNITS & set(units))
    if not (sure or maybe):
        return ("sure", None) if _is_amount(name) else None
    known = _COSTS | _COSTS_IN_COMPANY | _COMPANIONS
    rest = [w for w in words if w not in known]
    # Of a benchmark: what is left is the whole name of another column.
    bare = [w for w in words if w not in (_COSTS | _COSTS_IN_COMPANY)]
    of = next((" ".join(part) for part in (bare, rest) if part and " ".join(part) in others), None)
    if rest and of is None:
        return _in_part(name, words, sure)
    company = len(words) > len(maybe) + (0 if of is None else len(of.split()))
    said = "sure" if sure or company or unit or len(maybe) > 1 or _is_amount(name) else "maybe"
    return said, of


def is_pure_cost(name: str) -> bool:
    """Tell whether a name is a cost, and no word of it is another thing, such as a benchmark.

    Examples
    --------
    >>> [is_pure_cost(n) for n in ("median_seconds", "cost", "mmlu_seconds", "Latency (ms)")]
    [True, True, False, True]
    """
    found, words = cost_words(name, []), words_with_units(name)[0]
    known = _COSTS | _COSTS_IN_COMPANY | _COMPANIONS
    return found is not None and found[0] == "sure" and known.issuperset(words)


def _is_amount(name: str) -> bool:
    """Tell whether a name holds a currency, a rate, a price per million or a unit of costs."""
    plain = name.casefold().replace("_", " ")
    if LOWER & set(flat(name).split()) - {"latency", "seconds", "runtime"}:
        return False  # "RMSE (s)" is an error in seconds
    small = _UNIT_BEHIND.search(name)
    return bool(
        _MONEY.search(_FORMULA.sub("", name))
        or _RATE.search(plain)
        or _PER_MANY.search(plain)
        or _GPU_TIME.fullmatch(flat(name))
        or (small and (len(small[0]) > 4 or small[0].islower()))
    )


def _in_part(name: str, words: list[str], sure: list[str]) -> tuple[str, None] | None:
    """Tell whether a name that holds words of costs and others may be a cost."""
    if _is_amount(name) or (sure and "per" in words):
        return "sure", None
    if LOWER & set(words) - {"latency", "seconds", "runtime"}:
        return None
    # "stock price" may be either; the numbers must bear it out.
    return ("maybe", None) if (sure and words[-1] in sure) or words[-1] == "tokens" else None


def error_stem(name: str) -> str | None:
    """Return what a standard error, deviation or interval is of: "" where the name says only that.

    Examples
    --------
    >>> error_stem("mmlu_stderr"), error_stem("std(mmlu)"), error_stem("standard_error")
    ('mmlu', 'mmlu', '')
    >>> error_stem("Error Detection") is None
    True
    """
    plain = " ".join(re.findall(r"[^\W_]+", name.casefold()))
    if _ERROR_ALONE.fullmatch(plain):
        return ""
    found = _ERROR_BEHIND.fullmatch(plain) or _ERROR_BEFORE.fullmatch(plain)
    return found["stem"] if found else None


def bound_stem(name: str) -> tuple[str, str] | None:
    """Return the side ("lower" or "upper") and what else is in the name of a bound.

    Examples
    --------
    >>> bound_stem("rating_q025"), bound_stem("Score CI Upper"), bound_stem("RACE-high")
    (('lower', 'rating'), ('upper', 'score'), ('upper', 'race'))
    """
    words = re.findall(r"[^\W_]+", name.casefold())
    for side, names in (("lower", _LOW), ("upper", _HIGH)):
        hits = [w for w in words if w in names and not w.isdigit()]
        if hits or ("ci" in words and any(w in names for w in words)):
            rest = [w for w in words if w not in names and w not in _AROUND_BOUND]
            return side, " ".join(rest)
    return None


def named_role(name: str) -> str | None:
    """Return the role that a whole name has whatever the values: a rank, a seed, a date, ...

    Counts are told by `is_count`, costs by `cost_words`.

    Examples
    --------
    >>> [named_role(n) for n in ("_step", "seed", "Unnamed: 0", "HF_Model_ID", "Upload Date")]
    ['step', 'seed', 'index', 'identifier', 'date']
    >>> [named_role(n) for n in ("Hub ❤️", "#Params (B)", "Rank (UB)", "Date Understanding")]
    ['attribute', 'attribute', 'rank', None]
    """
    plain = in_english(name)
    if _RANK.fullmatch(plain):
        return "rank"
    for role, pattern in (("step", _STEP), ("seed", _SEED), ("index", _INDEX), ("date", _DATE)):
        if pattern.fullmatch(plain):
            return role
    if is_attribute(name) or is_attribute(plain) or _ATTRIBUTE.fullmatch(plain):
        return "attribute"
    if is_surely_attribute(name):
        return "attribute"
    if _WITHOUT_COLUMN_MARKS.search(name):
        return "attribute"
    return "identifier" if _ID.fullmatch(plain) else None


def is_count(name: str) -> bool:
    """Tell whether a name may be a count or a length; whole numbers must bear it out.

    Examples
    --------
    >>> [is_count(n) for n in ("n_wins", "n_total", "num samples", "Object Counting", "N")]
    [True, True, True, False, True]
    """
    plain = in_english(name)
    first = "# " + plain if name.strip().startswith("#") else plain
    return bool(_COUNT_FIRST.fullmatch(first) or _COUNT.fullmatch(plain))


def is_length(name: str) -> bool:
    """Tell whether a name is a length of answers.

    Examples
    --------
    >>> is_length("avg_length"), is_length("avg_tokens"), is_length("LengthGeneralisation")
    (True, True, False)
    """
    return _LENGTH.fullmatch(in_english(name)) is not None


def is_surely_attribute(name: str) -> bool:
    """Tell whether a whole name describes models whatever the numbers below it are.

    Examples
    --------
    >>> [is_surely_attribute(n) for n in ("learning_rate", "#Params", "Paramètres", "Context")]
    [True, True, True, False]
    """
    plain = in_english(name)
    if plain in _ALSO_BENCHMARKS:
        return False
    tokens = plain in {"tokens", "data"} and bool(_IN_BILLIONS.search(name))
    return tokens or is_attribute(name) or is_attribute(plain) or bool(_SURELY.fullmatch(plain))


def also_a_benchmark(name: str) -> bool:
    """Tell whether a name of a property is that of benchmarks, too: only large numbers tell.

    Examples
    --------
    >>> also_a_benchmark("Context"), also_a_benchmark("Likes"), also_a_benchmark("Length")
    (True, False, True)
    """
    return in_english(name) in _ALSO_BENCHMARKS | _LENGTH_ALONE


def is_flag(name: str) -> bool:
    """Tell whether a name asks a question that is answered by yes or no.

    Examples
    --------
    >>> [is_flag(n) for n in ("is_open", "Open weights", "Official", "OpenBookQA")]
    [True, True, True, False]
    """
    return _FLAG.fullmatch(flat(name)) is not None
