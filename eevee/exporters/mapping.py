"""The mapping file, `eevee.mapping/1`: benchmarks to a harness's task names and options.

.. code-block:: yaml

    schema: eevee.mapping/1
    to: lm-eval
    options: {}
    tasks:
      Boolean Expressions: bbh_fewshot_boolean_expressions
      GSM8K: {task: gsm8k, num_fewshot: 5}
      MMLU: [mmlu_stem, mmlu_humanities]
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eevee.base.bounded import TooLarge, read_bytes
from eevee.base.errors import EeveeError, did_you_mean
from eevee.base.parsing import MAX_BYTES, Parse, json_mapping, mapping, read_checked, refuse
from eevee.exporters.format import Format, Task

SCHEMA = "eevee.mapping/1"
"""The name and version of the format; the value of the key `schema` in every file."""
_KEYS = ("schema", "to", "options", "tasks")


@dataclass(frozen=True)
class TaskMapping:
    """A mapping as it was read: `tasks` and `options` are checked against a format later."""

    to: str
    tasks: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)


def load_mapping(path: str | os.PathLike[str]) -> TaskMapping:
    """Read a mapping file: YAML, JSON or TOML, by suffix.

    Raises
    ------
    EeveeError
        If it is none, in one line that names the file and the place in it.

    Examples
    --------
    >>> try:
    ...     load_mapping("nosuch.yaml")
    ... except EeveeError as error:
    ...     print(error)
    nosuch.yaml: cannot be read: No such file or directory
    """
    path = Path(path)
    if path.suffix.lower() == ".toml":
        return _read_toml(path)
    return read_checked(path, parse_mapping)


def _read_toml(path: Path) -> TaskMapping:
    try:
        content = tomllib.loads(read_bytes(path, MAX_BYTES).decode("utf-8"))
        return parse_mapping(content, "")
    except TooLarge:
        raise EeveeError(f"{path}: larger than {MAX_BYTES // 10**6} MB") from None
    except OSError as error:
        raise EeveeError(f"{path}: cannot be read: {error.strerror or error}") from None
    except RecursionError:
        raise EeveeError(f"{path}: nested too deeply") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, EeveeError) as error:
        raise EeveeError(f"{path}: {error}") from None


def parse_mapping(value: object, at: str) -> TaskMapping:
    """Check the shape of a mapping: its keys and version, not yet its tasks."""
    members = mapping(value, at)
    for key in members:
        if key not in _KEYS:
            raise EeveeError(f"unknown key {key!r}{did_you_mean(str(key), _KEYS)}")
    if members.get("schema") != SCHEMA:
        raise refuse("schema", f"{SCHEMA!r}", members.get("schema"))
    to = members.get("to")
    if not isinstance(to, str):
        raise refuse("to", "the name of a format, such as 'lm-eval'", to)
    return TaskMapping(
        to=to,
        tasks=json_mapping(members.get("tasks", {}), "tasks"),
        options=json_mapping(members.get("options", {}), "options"),
    )


def tasks_of(given: object, benchmark: str, to: Format) -> tuple[list[Task], list[str]]:
    """Read what a mapping says of a benchmark; tasks, and what is wrong with it."""
    tasks, problems = [], []
    for one in given if isinstance(given, list) and given else [given]:
        made = _task(one, benchmark, to)
        if isinstance(made, Task):
            tasks.append(made)
        else:
            problems += made
    return tasks, problems


def _task(given: object, benchmark: str, to: Format) -> Task | list[str]:
    if isinstance(given, str):
        return Task(benchmark, given)
    if not isinstance(given, Mapping):
        return ["has no task yet: name one, {task: NAME, ...} or a list of these"]
    name = given.get("task")
    if not isinstance(name, str) or not name:
        return ["has no task yet: fill in 'task'"]
    asked = {key: value for key, value in given.items() if key not in ("task", "proposed")}
    options, problems = check_options(asked, to.task_options, to)
    return problems or Task(benchmark, name, options)


def check_options(
    given: Mapping[str, object], known: Mapping[str, Parse[Any]] | None, to: Format
) -> tuple[dict[str, Any], list[str]]:
    """Check options, by the parsers of a format; values, and what is wrong with the others."""
    if known is None:
        return dict(given), []
    values, problems = {}, []
    for key, value in given.items():
        if key not in known:
            takes = ", ".join(known) or "none"
            hint = did_you_mean(key, known)
            problems.append(f"{to.name} takes no option {key!r}{hint}; it takes: {takes}")
            continue
        try:
            values[key] = known[key](value, key)
        except EeveeError as error:
            problems.append(str(error))
    return values, problems
