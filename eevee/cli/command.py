"""The decorator that turns a function with option groups into a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, NoReturn, get_type_hints

import typer

from eevee.base.errors import EeveeError

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 and the number of the signal."""


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
        try:
            function(**made, **values)
        except EeveeError as error:
            _fail(str(error))
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise  # typer ends quietly
        except OSError as error:
            _fail(f"{error.filename or 'output'}: {error.strerror or error}")

    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    del command.__wrapped__  # typer would look through it
    return command


def _fail(message: str) -> NoReturn:
    typer.echo(f"eevee: error: {' '.join(message.split())}", err=True)
    raise typer.Exit(1) from None


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
