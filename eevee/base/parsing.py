"""Read YAML and JSON that come from anywhere: nothing clever in the text, every value checked.

`read_checked` turns a file into what it should be, by a parser. The small parsers below each take
a value and its place (``tiers[1].cost``), which their messages name, and are put together into
larger ones. Needs only the standard library and PyYAML.
"""

from __future__ import annotations

import json
import math
import numbers
import re
import reprlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from eevee.base.errors import EeveeError, did_you_mean

MAX_BYTES = 16_000_000
"""A larger file is not read."""

MAX_YAML = 200_000
"""Values, keys and brackets that a YAML file may have; a tier file has about 10 per benchmark."""
_MAX_DEPTH, _MAX_DIGITS = 50, 400

T = TypeVar("T")
Parse = Callable[[object, str], T]


def read_checked(path: Path, parse: Parse[T]) -> T:
    """Read a YAML or JSON file, by suffix, and parse its value.

    Raises
    ------
    EeveeError
        If anything is wrong with the file, in one line that begins with its path.
    """
    read = _parse_json if is_json(path) else _parse_yaml
    try:
        return parse(read(_read_text(path)), "")
    except OSError as error:
        raise EeveeError(f"{path}: cannot be read: {error.strerror}") from None
    except RecursionError:
        raise EeveeError(f"{path}: nested too deeply") from None
    except yaml.MarkedYAMLError as error:
        problem = f"{error.context or ''} {error.problem}"
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise EeveeError(f"{path}: {line}{_one_line(problem)}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise EeveeError(f"{path}: {_one_line(error)}") from None


def is_json(path: Path) -> bool:
    """Tell JSON from YAML by the suffix; any other suffix is an error."""
    if path.suffix.lower() not in {".yaml", ".yml", ".json"}:
        raise EeveeError(f"{path}: the name must end in .yaml, .yml or .json")
    return path.suffix.lower() == ".json"


def _read_text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise EeveeError(f"larger than {MAX_BYTES // 10**6} MB")
    return content.decode("utf-8-sig")


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The one in C, ten times as fast, where PyYAML was built with it."""


class _StrictLoader(_Loader):  # type: ignore[misc]
    """YAML that means what JSON could say: no dates, merges, duplicate keys."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [
            (tag, regexp) for tag, regexp in pairs if re.search(r":(null|bool|int|float)$", tag)
        ]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen = set()
        for key, _ in node.value:
            if not key.tag.endswith(":str") or key.value in seen:
                problem = f"duplicate key, or one that is not text: {reprlib.repr(key.value)}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _parse_yaml(content: str) -> object:
    _check_events(content)
    return yaml.load(content, Loader=_StrictLoader)  # a SafeLoader


def _check_events(content: str) -> None:
    """Refuse, before anything is built, aliases and tags, and what would take long to build."""
    depth = 0
    event: Any
    for count, event in enumerate(yaml.parse(content, Loader=_Loader)):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        problem = ""
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            problem = "anchors, aliases and tags are not allowed here"
        elif count > MAX_YAML:
            problem = f"more than {MAX_YAML} values: give the file as JSON, which reads faster"
        elif depth > _MAX_DEPTH:
            problem = "nested too deeply"
        elif isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
            is_number = event.value[:1] in "+-.0123456789" and len(event.value) > _MAX_DIGITS
            problem = f"a number of more than {_MAX_DIGITS} digits" if is_number else ""
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def _parse_json(content: str) -> object:
    return json.loads(content, object_pairs_hook=_distinct_keys)


def _distinct_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise ValueError(f"duplicate key {reprlib.repr(key)}")
        members[key] = value
    return members


# --- parsers -------------------------------------------------------------------------------------


def refuse(at: str, expected: str, value: object) -> EeveeError:
    """Return the error that says what was expected at a place, and what was there."""
    return EeveeError(f"{at or 'top level'}: expected {expected}, got {reprlib.repr(value)}")


def text(value: object, at: str) -> str:
    """Text that is not empty."""
    if not isinstance(value, str):
        raise refuse(at, "text (in quotes)", value)
    if not value:
        raise refuse(at, "text, not empty", value)
    return _encodable(value, at)


def _encodable(value: str, at: str) -> str:
    if re.search("[\ud800-\udfff]", value):
        raise refuse(at, "text that UTF-8 can hold", value)
    return str(value)


def sha256(value: object, at: str) -> str:
    """Text of 64 hexadecimal digits, or empty."""
    if not isinstance(value, str) or not re.fullmatch("([0-9a-f]{64})?", value):
        raise refuse(at, "64 hexadecimal digits", value)
    return value


def one_of(*known: str) -> Parse[str]:
    """One of a few words."""

    def parse(value: object, at: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise refuse(at, " or ".join(map(repr, known)), value)
        return value

    return parse


def number(digits: int, at_least: float = -math.inf, above: float = -math.inf) -> Parse[float]:
    """A finite number, rounded to a number of significant digits."""
    words = "a number of at least 0" if at_least == 0 else "a finite number"
    words = "a positive number" if above == 0 else words

    def parse(value: object, at: str) -> float:
        as_float = _as_float(value)
        if not (math.isfinite(as_float) and as_float >= at_least and as_float > above):
            raise refuse(at, words, value)
        return float(f"{as_float:.{digits}g}") + 0.0  # no negative zero

    return parse


def _as_float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def whole(at_least: int) -> Parse[int]:
    """A whole number."""

    def parse(value: object, at: str) -> int:
        if isinstance(value, numbers.Integral) and not isinstance(value, bool):
            as_int = int(value)
            if as_int >= at_least:
                return as_int
        raise refuse(at, f"a whole number of at least {at_least}", value)

    return parse


def or_none(parse: Parse[T]) -> Parse[T | None]:
    """What `parse` takes, or None."""
    return lambda value, at: None if value is None else parse(value, at)


def tuple_of(parse: Parse[T], name: Callable[[T], str]) -> Parse[tuple[T, ...]]:
    """One or more members with distinct names."""

    def parse_all(value: object, at: str) -> tuple[T, ...]:
        if not isinstance(value, list | tuple) or not value:
            raise refuse(at, "a list, not empty", value)
        seen: dict[str, T] = {}
        for position, item in enumerate(value):
            member = parse(item, f"{at}[{position}]")
            if name(member) in seen:
                raise EeveeError(f"{at}[{position}]: {name(member)!r} appears twice")
            seen[name(member)] = member
        return tuple(seen.values())

    return parse_all


def record(
    make: Callable[..., T], parsers: Mapping[str, Parse[Any]], *, optional: Collection[str] = ()
) -> Parse[T]:
    """A mapping with exactly these keys, passed to `make`; those in `optional` may be missing."""

    def parse(value: object, at: str) -> T:
        members = mapping(value, at)
        there = {
            key: parser for key, parser in parsers.items() if key in members or key not in optional
        }
        _check_keys(members, there, at or "top level")
        where = f"{at}." if at else ""
        return make(**{key: parser(members[key], where + key) for key, parser in there.items()})

    return parse


def mapping(value: object, at: str) -> Mapping[str, object]:
    """A mapping; its members are not looked at."""
    if not isinstance(value, Mapping):
        raise refuse(at, "a mapping of keys to values", value)
    return value


def plain(value: Any, *, omit_empty: Collection[str] = ()) -> Any:
    """Turn dataclasses into dicts and tuples into lists; every container is a new one.

    Fields in `omit_empty` are left out where they hold nothing.
    """
    if is_dataclass(value):
        names = (field.name for field in fields(value))
        members = {name: plain(getattr(value, name), omit_empty=omit_empty) for name in names}
        return {name: own for name, own in members.items() if own or name not in omit_empty}
    if isinstance(value, Mapping):
        return {key: plain(member, omit_empty=omit_empty) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member, omit_empty=omit_empty) for member in value]
    return value


def _check_keys(members: Mapping[str, object], known: Mapping[str, object], at: str) -> None:
    for key in members:
        if key not in known:
            hint = did_you_mean(str(key), known)
            raise EeveeError(f"{at}: unknown key {reprlib.repr(key)}{hint}")
    for key in known:
        if key not in members:
            raise EeveeError(f"{at}: the key {key!r} is missing")


def json_mapping(value: object, at: str) -> dict[str, Any]:
    """A mapping of text to anything that JSON can hold, as a new dict."""
    return {
        _encodable(_key(key, at), at): _json_value(member, f"{at}.{key}")
        for key, member in mapping(value, at).items()
    }


def _key(key: object, at: str) -> str:
    if not isinstance(key, str):
        raise refuse(at, "keys that are text", key)
    return key


def _json_value(value: object, at: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _encodable(value, at)
    if isinstance(value, numbers.Integral):
        return int(value)
    if math.isfinite(_as_float(value)):
        return _as_float(value)
    if isinstance(value, list | tuple):
        return [_json_value(member, f"{at}[{i}]") for i, member in enumerate(value)]
    if isinstance(value, Mapping):
        return json_mapping(value, at)
    raise refuse(at, "a value that JSON can hold", value)
