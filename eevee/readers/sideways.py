"""Tables that lie on their side: benchmarks down, models across."""

from __future__ import annotations

import re
from dataclasses import replace

from eevee.base.errors import EeveeError
from eevee.readers.directions import DIRECTION_NAMES, read_direction
from eevee.readers.grid import Grid
from eevee.readers.headers import read_header
from eevee.readers.measured import Options
from eevee.readers.model_column import MODEL_NAMES
from eevee.readers.role_names import is_count, is_pure_cost, named_role
from eevee.readers.roles import read_role, says_roles
from eevee.tables.column_names import flat
from eevee.tables.results_table import Note

_FIRST = ("metric", "metrics", "benchmark", "benchmarks", "dataset", "datasets", "task", "tasks",
          "eval", "evals", "evaluation", "benchmark name", "test", "tests")  # fmt: skip
_METRIC = ("metric", "metrics", "measure", "metric name")
_NO_MAKERS = frozenset(
    "eval evaluation test val valid validation train dev metrics summary harness leaderboard "  # noqa: SIM905
    "results scores acc accuracy mmlu bbh all overall benchmark task".split()
)
_FAMILY = re.compile(
    r"(?<![a-z])(?:gpt|chatgpt|claude|gemini|gemma|palm|bard|llama|alpaca|vicuna|mistral|mixtral|"
    r"qwen|yi-|deepseek|phi-?\d|falcon|mpt|bloom|opt-|pythia|olmo|dbrx|command[- ]r|cohere|grok|"
    r"nova|kimi|glm|baichuan|internlm|starcoder|codellama|wizard|zephyr|jamba|o[134]-?(?:mini|"
    r"preview)|bert|roberta|deberta|electra|xlnet|t5|bart|vit|deit|swin|resnet|convnext|"
    r"efficientnet|clip|dino|mae|beit|model)(?![a-z])"
)
_SIZE = re.compile(r"(?<![A-Za-z0-9])\d+(?:\.\d+)?[BM](?![A-Za-z0-9])")
_QUANTILE = re.compile(r"(?:p|q)\d{1,3}|median|mean|min|max|std|n_models|models", re.IGNORECASE)
LEAST = 4
"""Columns that must be left as models; else the file is no table of scores on its side."""


def lies_sideways(grid: Grid, options: Options) -> bool:
    """Tell whether the first column names benchmarks: by its header, or as all others are models.

    Examples
    --------
    >>> grid = Grid("x.csv", ("Benchmark", "m1", "m2", "m3", "m4"), (("a", *"1234"),), (2,))
    >>> lies_sideways(grid, Options())
    True
    """
    if options.model_column is not None:
        return False
    return flat(grid.header[0]) in _FIRST or _models_across(grid)


def _models_across(grid: Grid) -> bool:
    """Tell whether the header names models and the first column does not, by the look of both."""
    if flat(grid.header[0]) not in {"", "unnamed 0", *MODEL_NAMES} or not grid.is_text(0):
        return False
    places = [j for j in range(1, grid.width) if not grid.is_text(j)]
    across = [_is_model(grid.header[j]) for j in places]
    down = [_is_model(cell) for cell in grid.column(0)]
    if len(across) < LEAST or len(down) < 2:
        return False
    return sum(across) > 0.7 * len(across) and sum(down) <= 0.1 * len(down)


def _is_model(name: str) -> bool:
    """Tell whether a name looks like that of a model: a maker before it, a family, a size."""
    maker, slash, rest = name.partition("/")
    made = bool(slash and rest) and flat(maker) not in _NO_MAKERS and " " not in name
    return made or _FAMILY.search(name.casefold()) is not None or bool(_SIZE.search(name))


def refuse_costs(grid: Grid, options: Options) -> None:
    """Refuse a file of costs that is given for scores: benchmarks down, nothing but costs across.

    Raises
    ------
    EeveeError
    """
    if options.roles or flat(grid.header[0]) not in {"", "model", *_FIRST}:
        return
    others = [j for j in range(1, grid.width) if flat(grid.header[j]) not in {"model", *_FIRST}]
    costs = [grid.header[j] for j in others if is_pure_cost(grid.header[j])]
    beside = [j for j in others if is_count(grid.header[j]) or _QUANTILE.fullmatch(grid.header[j])]
    if costs and len(costs) + len(beside) == len(others):
        raise EeveeError(
            f"{grid.source}: holds costs ({', '.join(map(repr, costs[:3]))}) and no scores: give "
            "the scores, and this file with --costs; if these are the scores, say --column "
            f"'{costs[0]}=score'"
        )


def turned(grid: Grid, *, told: bool = False) -> Grid:
    """Turn a table that lies on its side: one row per model.

    Metrics beside the benchmarks become a part of their names, directions and roles are read; other
    columns of text or counts beside them are left out.

    Parameters
    ----------
    grid : Grid
    told : bool
        Whether the user says so: then it is done without a note.

    Raises
    ------
    EeveeError
        If fewer than four models are left.

    Examples
    --------
    >>> rows = (("a", "acc", *"1234"), ("b", "loss", *"4312"))
    >>> found = turned(Grid("x.csv", ("Benchmark", "Metric", *"wxyz"), rows, (2, 3)))
    >>> found.header, found.rows[0]
    (('Benchmark', 'a.acc', 'b.loss'), ('w', '1', '4'))
    """
    directions: dict[str, str] = {}
    roles: dict[str, str] = {}
    names = [read_header(name).name for name in grid.column(0)]
    beside, notes = [], []
    for j in range(1, grid.width):
        header = flat(grid.header[j])
        if header in _METRIC:
            pairs = zip(names, grid.column(j), strict=True)
            names = [f"{name}.{metric}" if metric else name for name, metric in pairs]
        elif header in DIRECTION_NAMES:
            for i, cell in enumerate(grid.column(j)):
                where = f"{grid.source}: row {grid.lines[i]}, {grid.label(j)}"
                way = read_direction(header, cell, where)
                directions |= {} if way is None else {names[i]: way}
        elif header == "role" and says_roles(grid.column(j)):
            for i, cell in enumerate(grid.column(j)):
                role = read_role(
                    header, cell, f"{grid.source}: row {grid.lines[i]}, {grid.label(j)}"
                )
                roles |= {} if role is None else {names[i]: role}
        elif grid.is_text(j) or named_role(grid.header[j]) or is_count(grid.header[j]):
            why = "describes the benchmarks, which are rows: left out"
            notes.append(Note("ignored", "column", grid.header[j], why))
        else:
            continue
        beside.append(j)
    models = [j for j in range(grid.width) if j not in beside]
    if len(models) - 1 < LEAST:
        raise EeveeError(
            f"{grid.source}: the first column is {grid.header[0]!r}: models seem to be columns, "
            f"and there are fewer than {LEAST}; transpose the file, one row per model (or name the "
            "column of models: model_column, --model-column)"
        )
    said = {read_header(cell).name: read_header(cell).direction for cell in grid.column(0)}
    found = grid.take(models).transposed()
    note = Note("converted", "file", grid.source, "benchmarks are rows: turned, one row per model")
    kept = {name: direction for name, direction in said.items() if direction}
    return replace(
        found, header=(grid.header[0], *names), directions={**kept, **directions}, roles=roles
    ).noted(*([] if told else [note]), *notes)
