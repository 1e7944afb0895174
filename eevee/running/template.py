"""The command of a plan: shell with placeholders, whose values the shell does not act on."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from string import Formatter

from eevee.base.errors import EeveeError, did_you_mean

NAMES = ("model", "benchmark", "out")
"""What may stand in braces."""

_BRACES = "braces that are no placeholder are written twice: {{ }}"
_NESTED = ("`", "$(", "<<", "$'", '$"')
"""Shell in which quotes mean something else: a value there could not be quoted safely."""


class Template:
    """A command with placeholders.

    Parameters
    ----------
    command : str
        Shell, with ``{model}``, ``{benchmark}`` and ``{out}``; a brace itself is written twice.

    Raises
    ------
    EeveeError
        If a placeholder is unknown or stands where its value could not be quoted, ``{out}`` is
        missing, or the braces do not match.

    Examples
    --------
    >>> command = Template("python eval.py --model {model} --on {benchmark} --out {out}")
    >>> command.fill({"model": "my model", "benchmark": "x; touch y", "out": "a.json"})
    "python eval.py --model 'my model' --on 'x; touch y' --out a.json"
    """

    def __init__(self, command: str) -> None:
        self._parts = _parse(command)
        if "\n" in command or "\0" in command:
            raise EeveeError("the command has several lines; write one (a script, if it is long)")
        names = [name for _, name in self._parts if name is not None]
        for name in names:
            _check_name(name)
        if "out" not in names:
            raise EeveeError("the command lacks {out}, the file that it writes the score to")
        if names and any(sign in command for sign in _NESTED):
            raise EeveeError(
                "the command has a backtick, $(, <<, $' or $\", in which names could not be quoted "
                "safely; move that into a script"
            )
        _check_quotes(self._parts)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the command with values put in, each quoted for the shell."""
        return "".join(
            literal + ("" if name is None else shlex.quote(values[name]))
            for literal, name in self._parts
        )


def _parse(command: str) -> list[tuple[str, str | None]]:
    try:
        parts = list(Formatter().parse(command))
    except ValueError as wrong:
        raise EeveeError(f"the command: {wrong}; {_BRACES}") from None
    for _, name, form, conversion in parts:
        if form or conversion:
            raise EeveeError(f"the command has {{{name}...}}, a name with a format; {_BRACES}")
    return [(literal, name) for literal, name, _, _ in parts]


def _check_name(name: str) -> None:
    if name not in NAMES:
        known = ", ".join(f"{{{one}}}" for one in NAMES)
        raise EeveeError(
            f"the command has an unknown placeholder {{{name}}}{did_you_mean(name, NAMES)}; there "
            f"are {known}, and {_BRACES}"
        )


def _check_quotes(parts: list[tuple[str, str | None]]) -> None:
    """Refuse placeholders inside of quotes or behind a backslash, which undo their own quotes."""
    text = ""
    for literal, name in parts:
        text += literal
        if name is None:
            continue
        where = _inside(text)
        if where:
            raise EeveeError(
                f"the command has {{{name}}} {where}; leave that out: values are quoted already"
            )
        text += "_"


def _inside(text: str) -> str:
    """Say what the end of a text is inside of, empty if it is plain shell."""
    rest = re.sub(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", "_", text, flags=re.DOTALL)
    if rest.endswith("\\"):
        return "behind a backslash"
    # A quote that is left has no end; `#` at the start of a word begins a comment.
    found = re.search(r"['\"]|(?:^|(?<=[\s;&|()]))#", rest)
    if found is None:
        return ""
    return "in a comment" if found[0] == "#" else "in quotes"
