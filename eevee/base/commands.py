"""Shell commands with placeholders, whose values the shell does not act on.

A value is quoted by `shlex.quote`. That holds only where the shell reads a plain word: placeholders
anywhere else (in quotes, in a comment, after a dollar) are refused, and so is shell in which quotes
follow other rules.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from string import Formatter

from eevee.base.errors import EeveeError, did_you_mean

_BRACES = "braces that are no placeholder are written twice: {{ }}"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OTHER_RULES = ("`", "$(", "${", "((", "<<", "$'", '$"')
"""Shell in which quotes mean something else: substitution in quotes has quotes of its own."""


class Template:
    """A command with placeholders such as ``{model}``; a brace itself is written twice.

    Parameters
    ----------
    command : str
        Shell, in one line.
    at : str
        What errors call it.

    Raises
    ------
    EeveeError
        If a placeholder stands where its value could not be quoted, or braces do not match.

    Examples
    --------
    >>> command = Template("python eval.py --model {model} --on {benchmark}")
    >>> command.names
    ('model', 'benchmark')
    >>> command.fill({"model": "my model", "benchmark": "x; touch y"})
    "python eval.py --model 'my model' --on 'x; touch y'"
    """

    def __init__(self, command: str, at: str = "the command") -> None:
        self._at = at
        if not command.replace("\t", " ").isprintable():
            raise EeveeError(f"{at} has several lines or control characters; write one line")
        self._parts = _parse(command, at)
        literals = "\0".join(literal for literal, _ in self._parts)
        found = next((sign for sign in _OTHER_RULES if sign in literals), None)
        if found is not None:
            raise EeveeError(
                f"{at} has {found}, in which values could not be quoted safely; move that into a "
                "script ($NAME needs no braces)"
            )
        _check_places(self._parts, at)

    @property
    def names(self) -> tuple[str, ...]:
        """What stands in braces, each once."""
        return tuple(dict.fromkeys(name for _, name in self._parts if name is not None))

    def unknown(self, known: Iterable[str]) -> str:
        """Return what is wrong with the names of placeholders, or ""."""
        known = list(known)
        for name in self.names:
            if name not in known:
                listed = ", ".join(f"{{{one}}}" for one in known)
                return (
                    f"{self._at} has an unknown placeholder {{{name}}}{did_you_mean(name, known)}; "
                    f"there are {listed}, and {_BRACES}"
                )
        return ""

    def fill(self, values: Mapping[str, object]) -> str:
        """Return the command with values put in, each quoted for the shell."""
        return self.put(lambda name: quoted(values[name]))

    def put(self, word: Callable[[str], str]) -> str:
        """Return the command with what `word` returns for each name: one word of the shell."""
        return "".join(
            literal + ("" if name is None else word(name)) for literal, name in self._parts
        )


def quoted(value: object) -> str:
    """Return a value as one word of the shell.

    Examples
    --------
    >>> quoted("x; touch pwned"), quoted(5)
    ("'x; touch pwned'", '5')
    """
    return shlex.quote(value if isinstance(value, str) else str(value))


def _parse(command: str, at: str) -> list[tuple[str, str | None]]:
    try:
        parts = list(Formatter().parse(command))
    except ValueError as wrong:
        raise EeveeError(f"{at}: {wrong}; {_BRACES}") from None
    for literal, name, form, conversion in parts:
        if name is None:
            continue
        if literal.endswith("$"):
            raise EeveeError(f"{at} has ${{{name}}}, which the shell would fill in: write {{name}}")
        if form or conversion:
            raise EeveeError(f"{at} has {{{name}...}}, a name with a format; {_BRACES}")
        if not _NAME.fullmatch(name):
            raise EeveeError(f"{at} has an unknown placeholder {{{name}}}; {_BRACES}")
    return [(literal, name) for literal, name, _, _ in parts]


def _check_places(parts: list[tuple[str, str | None]], at: str) -> None:
    """Refuse placeholders where the value would not be a word, or part of one."""
    before, last = "", None
    for literal, name in parts:
        if last is not None and literal.startswith(("<", ">")):
            raise EeveeError(f"{at} has {{{last}}} right before {literal[0]}; put a space between")
        before += literal
        last = name
        if name is None:
            continue
        where = _inside(before)
        if where:
            raise EeveeError(
                f"{at} has {{{name}}} {where}; leave that out: values are quoted already, and "
                f"{_BRACES}"
            )
        before += "_"
    if _inside(before) == "in quotes":
        raise EeveeError(f"{at} has a quote that does not end")


def _inside(text: str) -> str:
    """Say what the end of a text is inside of, empty if it is plain shell."""
    rest = re.sub(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"", "_", text)
    if rest.endswith("\\"):
        return "behind a backslash"
    if re.search(r"\$\w*$", rest):
        return "behind a $"
    if re.search(r"(^|[\s=:])~$", rest):
        return "behind a ~"
    # A quote that is left has no end; `#` at the start of a word begins a comment.
    found = re.search(r"['\"]|(?:^|(?<=[\s;&|()]))#", rest)
    if found is None:
        return ""
    return "in a comment" if found[0] == "#" else "in quotes"
