"""Rows that are no models, by their names: what they count is of the benchmarks, or a reference."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from eevee.base.arrays import FloatArray
from eevee.readers.role_names import is_count, is_pure_cost
from eevee.readers.vocabulary import in_english
from eevee.tables.column_names import flat

_TOTALS = frozenset({"average", "avg", "mean", "median", "total", "sum", "overall", "averages",
                     "column average", "mean score", "average score", "std", "stdev", "std dev",
                     "standard deviation", "variance", "minimum", "maximum", "average of models",
                     "model average", "average model", "mean of models"})  # fmt: skip
_PEOPLE = re.compile(
    r"(?:average |expert |avg |non expert |native )?humans?(?: (?:performance|baseline|score|level|"
    r"average|expert|experts|rater|raters|annotators?))?|(?:human )?experts?"
    r"|(?:random|chance|majority|majority class|most frequent|uniform)(?: (?:guess|guessing|choice|"
    r"baseline|chance|class|level|performance|score))*"
)
_REFERENCE = re.compile(
    r"(?:(?:previous|prior|prev|current|past|published|best) )?(?:sota|state of the art|best"
    r"(?: (?:model|published|result|score|open|so far|known|reported))?)|(?:previous|prior) work"
    r"|oracle(?: .{1,20})?|(?:upper|lower) (?:bound|limit)|(?:(?:score|performance) )?(?:ceiling|"
    r"floor)|top ?line|(?:(?:trivial|naive|dummy|null|simple) )?baseline|perfect|ideal|reference"
    r"|gold|ground truth|threshold|target|pass mark|δ|delta|gap|difference|diff|improvement|gain"
    r"|relative (?:gain|improvement|change)"
)
_COUNTS = re.compile(
    r"(?:test|eval|train|dev|validation|data|dataset|sample|benchmark)(?: set)? (?:size|count)"
    r"|size|samples?|examples?|instances?|items|questions|support"
)
_WEIGHTS = re.compile(r"(?:metric |task |benchmark |score |relative )*weight(?:s|ing|ings)?")
_SHOTS = re.compile(r"(?:n |num |number of |k )?(?:few )?shots?|n shot|few shot|# ?shots?")
_MOST = re.compile(
    r"max(?:imum)?(?: (?:score|possible|points|value))+|(?:full|perfect|possible) (?:marks|score|"
    r"points)|(?:max |total |maximum )?points(?: possible)?|scale|range|unit|units"
)
_YEARS = re.compile(r"(?:release |publication )?(?:year|date)|released|published|introduced")


def of_benchmarks(name: str, row: FloatArray) -> str | None:
    """Say what a row tells of the benchmarks if it is no model by its name; None if it may be one.

    Parameters
    ----------
    name : str
    row : shape (n_columns,)
        Its numbers, which must bear the name out.

    Examples
    --------
    >>> of_benchmarks("# samples", np.array([1319.0, 14042.0])), of_benchmarks("Yi-34B", np.ones(2))
    ('the number of samples', None)
    """
    plain, seen = in_english(name), row[~np.isnan(row)]
    if not len(seen):
        return None
    whole = bool((seen == np.round(seen)).all() and seen.min() >= 0)
    tests: tuple[tuple[str, Callable[[], bool]], ...] = (
        (
            "the number of samples",
            lambda: whole and _counts(name, plain, many=bool(seen.max() > 100)),
        ),
        ("weights", lambda: seen.min() >= 0 and _WEIGHTS.fullmatch(plain) is not None),
        ("the number of shots", lambda: whole and _SHOTS.fullmatch(plain) is not None),
        ("the largest possible score", lambda: whole and _MOST.fullmatch(plain) is not None),
        ("years", lambda: whole and seen.min() >= 1900 and _YEARS.fullmatch(plain) is not None),
        ("costs", lambda: seen.min() >= 0 and is_pure_cost(name)),
    )
    return next((what for what, holds in tests if holds()), None)


def is_total(name: str) -> bool:
    """Tell whether a row is a mean, total or spread of models, by its name.

    Examples
    --------
    >>> is_total("Average"), is_total("Durchschnitt"), is_total("Mean Teacher")
    (True, True, False)
    """
    return in_english(name) in _TOTALS


def _counts(name: str, plain: str, *, many: bool) -> bool:
    """Tell whether a name says "number of"; models are called #1 and Samples, too."""
    signed = name.lstrip()[:1] == "#"
    said = is_count(name.lstrip("# ")) or _COUNTS.fullmatch(plain) is not None
    return (said and (many or signed)) or (signed and many)


def reference(name: str) -> str | None:
    """Say what a row is by its name that may be no model, but is kept.

    Examples
    --------
    >>> reference("Human expert"), reference("Previous SOTA"), reference("GPT-4")
    ('a person or chance', 'a reference or bound', None)
    """
    plain = flat(name)
    if _PEOPLE.fullmatch(plain):
        return "a person or chance"
    odd = _REFERENCE.fullmatch(plain) or name.strip() in {"Δ", "δ"}
    return "a reference or bound" if odd else None
