"""Command templates: values go into a shell command as data, whatever they hold.

A value is quoted by `shlex.quote`. That holds only where the shell reads a word, so a template
whose placeholders stand elsewhere (in quotes, after a backslash or a dollar) is refused.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable

from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.parsing import refuse, text

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CLEVER = ("`", "$'", '$"', "((", "<<", "#")
"""Where other rules for words begin: substitution, arithmetic, here-documents, comments."""


def template(value: object, at: str) -> str:
    """Check a command with ``{placeholders}``; a parser of an option.

    Examples
    --------
    >>> template("python eval.py --task {task}", "command")
    'python eval.py --task {task}'
    >>> template("python eval.py --task '{task}'", "command")
    Traceback (most recent call last):
    ...
    eevee.base.errors.EeveeError: command: {task} stands in quotes: leave them out, it is quoted
    """
    command = text(value, at)
    clever = next((one for one in _CLEVER if one in command), None)
    if clever is not None or not command.isprintable():
        raise refuse(at, f"a command in one line without {clever or 'control characters'}", command)
    _check_quotes(command, at)
    return command


def _check_quotes(command: str, at: str) -> None:
    """Follow the shell's quotes, and refuse a placeholder in them or after a sign that acts."""
    quote, place = "", 0
    while place < len(command):
        letter = command[place]
        found = _PLACEHOLDER.match(command, place)
        if found and quote:
            raise EeveeError(f"{at}: {found[0]} stands in quotes: leave them out, it is quoted")
        if letter == "$" and _PLACEHOLDER.match(command, place + 1):
            raise EeveeError(f"{at}: write {{name}}, not ${{name}}: the shell would fill that in")
        if letter == "\\" and quote != "'":
            if _PLACEHOLDER.match(command, place + 1):
                raise EeveeError(f"{at}: a backslash before a placeholder")
            place += 1
        elif letter in "'\"" and quote in ("", letter):
            quote = "" if quote else letter
        place += 1
    if quote:
        raise EeveeError(f"{at}: a quote {quote} that does not end")


def placeholders(command: str) -> list[str]:
    """Return the names in a template, each once."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(command)))


def unknown(command: str, known: Iterable[str]) -> str:
    """Return what is wrong with the names in a template, or ""."""
    known = list(known)
    for name in placeholders(command):
        if name not in known:
            hint = did_you_mean(name, known)
            listed = ", ".join(f"{{{one}}}" for one in known)
            return f"options: command: unknown {{{name}}}{hint}; there are {listed}"
    return ""


def fill(command: str, value: Callable[[str], str]) -> str:
    """Put what `value` returns for each name, a word of the shell, into a template."""
    return _PLACEHOLDER.sub(lambda found: value(found[1]), command)


def quoted(value: object) -> str:
    """Return a value as one word of a shell.

    Examples
    --------
    >>> quoted("x; touch pwned"), quoted(5)
    ("'x; touch pwned'", '5')
    """
    return shlex.quote(value if isinstance(value, str) else str(value))
