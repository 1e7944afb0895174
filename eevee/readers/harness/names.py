"""Other names of models, and what the user leaves out of results by name."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from eevee.base.bounded import MAX_MB, TooLarge, read_bytes
from eevee.base.errors import EeveeError
from eevee.base.visible import visible
from eevee.readers.harness.rows import Harvest, Row
from eevee.readers.measured import Options
from eevee.readers.overrides import matches
from eevee.readers.roles import DIRECTIONS, TABLE_ROLES
from eevee.tables.results_table import Note


def read_aliases(path: str | os.PathLike[str], max_mb: float = MAX_MB) -> dict[str, str]:
    """Read other names: a CSV with columns alias and model (or benchmark, or name).

    Raises
    ------
    EeveeError
        If the file cannot be read, or an alias stands for two models or for another alias.
    """
    where = visible(Path(path).name)
    rows = _read_rows(Path(path), where, max_mb)
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    if header[:1] != ["alias"] or header[1:] not in (["model"], ["benchmark"], ["name"]):
        raise EeveeError(f"{where}: needs a header row 'alias,model'")
    aliases: dict[str, str] = {}
    for line, row in enumerate(rows[1:], start=2):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) != 2 or not all(cells):
            raise EeveeError(f"{where}: row {line} needs two names, an alias and a model")
        if aliases.setdefault(cells[0], cells[1]) != cells[1]:
            raise EeveeError(f"{where}: row {line}: {cells[0]!r} is {aliases[cells[0]]!r} already")
    for alias, model in aliases.items():
        if aliases.get(model, model) != model:
            raise EeveeError(
                f"{where}: {alias!r} is {model!r}, which is {aliases[model]!r}: name the last"
            )
    return aliases


def _read_rows(path: Path, where: str, max_mb: float) -> list[list[str]]:
    try:
        text = read_bytes(path, int(max_mb * 1e6)).decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline="")))
    except TooLarge:
        raise EeveeError(
            f"{where}: has more than {max_mb:g} MB; if that is meant, raise the limit "
            "(max_mb, --max-mb)"
        ) from None
    except (OSError, UnicodeDecodeError, csv.Error) as why:
        reason = getattr(why, "strerror", None) or "it is not a CSV file in UTF-8"
        raise EeveeError(f"{where}: cannot be read ({reason})") from None


def rename(rows: Sequence[Row], aliases: Mapping[str, str]) -> list[Row]:
    """Give models and benchmarks the names that aliases say.

    Raises
    ------
    EeveeError
        If an alias is no model and no benchmark.

    Examples
    --------
    >>> rows = [Row("m", "HellaSwag", "acc", 1.0), Row("M", "hellaswag", "acc", 2.0)]
    >>> found = rename(rows, {"HellaSwag": "hellaswag", "M": "n"})
    >>> [(row.model, row.benchmark) for row in found]
    [('m', 'hellaswag'), ('n', 'hellaswag')]
    """
    known = {name for row in rows for name in (row.model, row.benchmark)}
    for alias in aliases:
        if alias not in known:
            raise EeveeError(
                f"aliases: {alias!r} is no model and no benchmark of the sources; take the row out"
            )
    return [
        replace(
            row,
            model=aliases.get(row.model, row.model),
            benchmark=aliases.get(row.benchmark, row.benchmark),
        )
        for row in rows
    ]


def note_alike(sources: Sequence[Sequence[Row]]) -> list[Note]:
    """Name benchmarks of different sources that differ in case and punctuation alone.

    Examples
    --------
    >>> one, other = [Row("m", "hellaswag", "acc", 1.0)], [Row("n", "Hella-Swag", "em", 2.0)]
    >>> [(note.name, note.why.partition(":")[0]) for note in note_alike([one, other])]
    [('Hella-Swag', "may be 'hellaswag' of another source")]
    """
    known: dict[str, str] = {}
    notes: dict[str, Note] = {}
    for rows in sources:
        mine = dict.fromkeys(row.benchmark for row in rows)
        for name in mine:
            other = known.get(_plain(name), name)
            if other != name and other not in mine:
                why = (
                    f"may be {other!r} of another source: kept apart; to join them, say "
                    f"'{name},{other}' in --aliases"
                )
                notes[name] = Note("guessed", "benchmark", name, why)
        for name in mine:
            known.setdefault(_plain(name), name)
    return list(notes.values())


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum()) or name


def overrule(found: Harvest, options: Options) -> Harvest:
    """Leave out benchmarks, columns and models that the user names; set directions and roles.

    Examples
    --------
    >>> found = Harvest((Row("m", "a", "acc", 1.0), Row("human", "a", "acc", 2.0)))
    >>> [row.model for row in overrule(found, Options(drop_models=("hum*",))).rows]
    ['m']
    """
    rows: list[Row] = []
    gone: dict[tuple[str, str], str] = {}
    for row in found.rows:
        role = _said(row, options.roles)
        if matches(row.model, options.drop_models):
            gone["model", row.model] = "as --drop-models says"
        elif _is_one(row, options.drop_columns):
            gone["column", row.column] = "as --drop-columns says"
        elif role in DIRECTIONS:
            rows.append(replace(row, direction=role))
        elif role in TABLE_ROLES:
            rows.append(replace(row, role=role))
        elif role is None:
            rows.append(row)
        else:
            gone["column", row.column] = f"is {role}, as --column says"
    notes = [
        Note("dropped", "model" if kind == "model" else "column", name, why)
        for (kind, name), why in gone.items()
    ]
    return replace(found, rows=tuple(rows), notes=(*found.notes, *notes))


def _is_one(row: Row, patterns: Sequence[str]) -> bool:
    return matches(row.column, patterns) or matches(row.benchmark, patterns)


def _said(row: Row, roles: Mapping[str, str]) -> str | None:
    return next((role for name, role in roles.items() if _is_one(row, [name])), None)
