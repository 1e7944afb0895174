"""Reading options in a file: `--table table.toml`, which `describe --save` writes."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from eevee.base.bounded import TooLarge, read_bytes
from eevee.base.errors import EeveeError, did_you_mean
from eevee.cli.command import one_exit
from eevee.cli.panels import COST_OPTIONS, TABLE

_MOST = 100_000
FILES = frozenset({"costs", "benchmarks-file", "models-file", "proxies"})
"""Options that name files."""


def take_table_file(ctx: typer.Context, path: Path | None) -> Path | None:
    """Make what a file says the default of the reading options: the command line counts more."""
    if path is not None:
        with one_exit():
            ctx.default_map = {**(ctx.default_map or {}), **_read(path, _options(ctx))}
    return path


def write_table_file(ctx: typer.Context, path: Path) -> None:
    """Write the reading options that were given, paths relative to the file.

    Raises
    ------
    EeveeError
        If the name does not end in .toml.
    """
    from eevee.base.files import replacing

    if path.suffix != ".toml":
        raise EeveeError(f"{path}: the name of a table file must end in .toml")
    lines = ["# Reading options of eevee: --table takes them; the command line counts more."]
    for name, option in _options(ctx).items():
        source = ctx.get_parameter_source(option.name)
        value = ctx.params.get(option.name)
        if value is None or source is None or source.name == "DEFAULT":
            continue
        lines.append(f"{name} = {json.dumps(_plain(value, path.parent), ensure_ascii=False)}")
    with replacing(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _plain(value: Any, folder: Path) -> Any:
    if isinstance(value, Path):
        return Path(os.path.relpath(value, folder)).as_posix()
    return list(value) if isinstance(value, tuple) else value


def _options(ctx: typer.Context) -> dict[str, Any]:
    """Options of the panel that a file may give (not the scores), by name without dashes."""
    return {
        option.opts[0].removeprefix("--"): option
        for option in ctx.command.params
        if getattr(option, "rich_help_panel", None) == TABLE
        and option.name not in {"table", "scores"}
    }


def _read(path: Path, known: Mapping[str, Any]) -> dict[str, Any]:
    try:
        content = tomllib.loads(read_bytes(path, _MOST).decode("utf-8"))
    except TooLarge:
        raise EeveeError(f"{path}: larger than {_MOST // 1000} kB: is no table file") from None
    except RecursionError:
        raise EeveeError(f"{path}: is no table file: nested too deeply") from None
    except OSError as error:
        raise EeveeError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise EeveeError(f"{path}: is no TOML: {error}") from None
    found: dict[str, Any] = {}
    for name, value in content.items():
        if name in COST_OPTIONS and name not in known:
            continue  # the verb has no use for them
        if name not in known:
            raise EeveeError(f"{path}: {name!r} is no reading option{did_you_mean(name, known)}")
        option = known[name]
        many = option.multiple
        parts = value if isinstance(value, list) and many else [value]
        if not all(isinstance(part, str | bool | int | float) for part in parts) or (
            isinstance(value, bool) != bool(option.is_flag)
        ):
            wanted = "true or false" if option.is_flag else "texts" if many else "a text or number"
            raise EeveeError(f"{path}: {name}: give {wanted}, not {value!r}")
        read = path.parent / str(value) if name in FILES else value
        found[option.name] = [str(part) for part in parts] if many else read
    return found
