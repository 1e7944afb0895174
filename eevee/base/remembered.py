"""`per_object`: what a function gave for an object that never changes, kept while that lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

Thing = TypeVar("Thing")
P = ParamSpec("P")
Result = TypeVar("Result")


def per_object(
    function: Callable[Concatenate[Thing, P], Result],
) -> Callable[Concatenate[Thing, P], Result]:
    """Call a function once per object and arguments; objects that compare by value always.

    What it returns is shared: nobody may change it.

    Examples
    --------
    >>> class Table:
    ...     pass
    >>> calls = []
    >>> count = per_object(lambda table: calls.append(1) or len(calls))
    >>> table = Table()
    >>> count(table), count(table), count(Table()), count([1])
    (1, 1, 2, 3)
    """
    known: WeakKeyDictionary[Any, dict[Hashable, Result]] = WeakKeyDictionary()

    @wraps(function)
    def remembering(thing: Thing, /, *args: P.args, **options: P.kwargs) -> Result:
        if type(thing).__hash__ is not object.__hash__:
            return function(thing, *args, **options)
        results = known.setdefault(thing, {})
        key = (args, tuple(sorted(options.items())))
        if key not in results:
            results[key] = function(thing, *args, **options)
        return results[key]

    return remembering
