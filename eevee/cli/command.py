"""The decorator that turns a function with option groups into a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, NoReturn, get_type_hints

import typer

from eevee.base.errors import EeveeError
from eevee.base.stopping import exit_code, stopped_by
from eevee.base.visible import visible
from eevee.cli.printing import say

LONGEST = 2000
"""Letters of an error that are shown: what it quotes may be of any length."""


_WrongUsage: Any = typer.BadParameter.__base__
"""What typer frames and exits with code 2 for."""


def verb(function: Callable[..., None]) -> Callable[..., None]:
    """Let a command take option groups: their fields become its parameters.

    A parameter whose type is a dataclass is replaced by the fields of that dataclass, and made
    from them when the command runs. An `EeveeError` becomes one line on standard error and exit
    code 1.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in groups:
            parameters += _fields_of(groups[parameter.name])
        else:
            parameters.append(_parameter(parameter.name, hints[parameter.name], parameter.default))

    @wraps(function)
    def command(**values: Any) -> None:
        made = {
            name: group(**{field: values.pop(field) for field in _taken(group)})
            for name, group in groups.items()
        }
        for group in made.values():
            getattr(group, "check", bool)()
        with one_exit():
            function(**made, **values)

    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    del command.__wrapped__  # typer would look through it
    return command


@contextmanager
def one_exit() -> Iterator[None]:
    """Turn whatever a file, a disk or the user does to a run into one line and an exit code."""
    try:
        yield
    except BaseException as error:
        number = stopped_by(error)
        if number is not None and not isinstance(error, typer.Exit):
            say("interrupted")
            raise typer.Exit(exit_code(number)) from None
        if isinstance(error, _WrongUsage):
            error.message = _short(error.message)
        if isinstance(error, EeveeError):
            fail(str(error))
        if isinstance(error, MemoryError):
            fail("there is not enough memory for this table and these options")
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):  # typer's
            fail(f"{error.filename or 'output'}: {error.strerror or error}")
        raise


def fail(message: str) -> NoReturn:
    """Say what is wrong, in one line, and exit with code 1."""
    say(f"eevee: error: {_short(message)}")
    raise typer.Exit(1) from None


def _short(message: str) -> str:
    line = visible(" ".join(message.split()))
    if len(line) <= LONGEST:
        return line
    return f"{line[: LONGEST // 2]} ... {line[-LONGEST // 2 :]}"


def _fields_of(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        _parameter(
            field.name,
            hints[field.name],
            inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(group)
        if field.name in _taken(group)
    ]


def _taken(group: Any) -> list[str]:
    """Names of the fields that are options of the verb: all that the group does not fix."""
    fixed: Collection[str] = getattr(group, "FIXED", ())
    return [field.name for field in fields(group) if field.name not in fixed]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)
