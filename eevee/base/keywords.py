"""Keywords that several functions share, shown and checked as if each function listed them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
EMPTY = inspect.Parameter.empty


def shares_keywords(
    settings: type, defaults: Callable[..., object] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Show the keys of a `TypedDict` in the signature of a function that unpacks one.

    Parameters
    ----------
    settings : type
        The `TypedDict` of ``**name: Unpack[settings]``.
    defaults : callable, optional
        The class or function with parameters of these names whose defaults they have; None
        otherwise.

    Examples
    --------
    >>> from typing import TypedDict, Unpack
    >>> class Size(TypedDict, total=False):
    ...     width: int
    >>> def frame(width: int = 3) -> int:
    ...     return width
    >>> @shares_keywords(Size, frame)
    ... def window(**size: Unpack[Size]) -> int:
    ...     return frame(**size)
    >>> str(inspect.signature(window)), window()
    ("(*, width: 'int' = 3) -> 'int'", 3)
    >>> window(height=2)
    Traceback (most recent call last):
    ...
    TypeError: window() got an unexpected keyword argument 'height'
    """
    known = inspect.signature(defaults).parameters if defaults else {}

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shared = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=_default(known, name),
                annotation=_text(annotation),
            )
            for name, annotation in settings.__annotations__.items()
        ]
        names = {p.name for p in own} | set(settings.__annotations__)

        @wraps(function)
        def wrapped(*args: P.args, **options: P.kwargs) -> T:
            for name in options:
                if name not in names:
                    what = f"{function.__name__}() got an unexpected keyword argument {name!r}"
                    raise TypeError(what)
            return function(*args, **options)

        vars(wrapped)["__signature__"] = signature.replace(parameters=[*own, *shared])
        return wrapped

    return decorate


def _default(known: Any, name: str) -> Any:
    default = known[name].default if name in known else None
    return None if default is EMPTY or not _is_plain(default) else default


def _is_plain(value: object) -> bool:
    """Whether a default reads well in a signature."""
    return value is None or isinstance(value, (int, float, str, tuple))


def _text(annotation: Any) -> Any:
    return getattr(annotation, "__forward_arg__", annotation)
