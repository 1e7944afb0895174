"""What the user says against the reader: roles of columns, columns and models to leave out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from eevee.base.errors import EeveeError, did_you_mean
from eevee.readers.cells import is_same
from eevee.readers.grid import Grid
from eevee.readers.measured import Measured, Options
from eevee.readers.roles import DIRECTIONS
from eevee.tables.results_table import Note, SourceColumn

_BY_USER = "as --drop-columns says"


def without_columns(grid: Grid, patterns: Sequence[str]) -> Grid:
    """Leave out the columns of a grid that the user does not want.

    Examples
    --------
    >>> grid = Grid("x.csv", ("model", "a", "a_std"), (("m", "1", "2"),), (2,))
    >>> without_columns(grid, ["*_std"]).header
    ('model', 'a')
    """
    gone = [j for j, name in enumerate(grid.header) if matches(name, patterns)]
    if not gone:
        return grid
    aside = tuple(SourceColumn(grid.header[j], "ignored", _BY_USER) for j in gone)
    notes = [Note("dropped", "column", grid.header[j], _BY_USER) for j in gone]
    kept = grid.take([j for j in range(grid.width) if j not in gone])
    return replace(kept, aside=(*grid.aside, *aside)).noted(*notes)


def without_missing(
    grid: Grid, missing: Sequence[str], *, strict: bool = True
) -> tuple[Grid, list[str]]:
    """Empty the cells that ``NAME=WORD`` calls missing; also return what counts for all columns.

    Unless `strict`, a name may be that of a column in another source.

    Examples
    --------
    >>> grid = Grid("x.csv", ("model", "a", "b"), (("m", "-1", "-1"), ("n", "2", "3")), (2, 3))
    >>> found, rest = without_missing(grid, ["a=-1", "OOM"])
    >>> found.rows, rest
    ((('m', '', '-1'), ('n', '2', '3')), ['OOM'])
    """
    rest: list[str] = []
    for given in missing:
        name, sign, word = given.rpartition("=")
        places = [j for j, head in enumerate(grid.header) if matches(head, [name.strip()])]
        if not (sign and name.strip() and word.strip()):
            rest.append(given)
            continue
        if not places and strict:
            hint = did_you_mean(name.strip(), grid.header)
            raise EeveeError(f"{grid.source}: --missing: no column {name.strip()!r}{hint}")
        for j in places:
            gone = {i for i, cell in enumerate(grid.column(j)) if is_same(cell, word.strip())}
            rows = tuple(
                (*row[:j], "", *row[j + 1 :]) if i in gone else row
                for i, row in enumerate(grid.rows)
            )
            why = f"{len(gone)} cell{'s' * (len(gone) != 1)} as --missing says: read as missing"
            grid = grid.with_rows(rows).noted(Note("guessed", "column", grid.header[j], why))
    return grid, rest


def apply_overrides(measured: Measured, options: Options) -> Measured:
    """Drop columns, benchmarks and models that the user names; set directions and proxies.

    Raises
    ------
    EeveeError
        If a name or pattern fits nothing.
    """
    columns = measured.columns
    names = [str(name) for name in columns.index]
    owner = {str(name): str(columns.loc[name, "benchmark"]) for name in names}
    files = [source.name for source in measured.sources]
    known = [*files, *names, *measured.benchmarks]
    models = [str(name) for name in measured.scores.index]
    if not options.one_of_several:
        _check_known("--drop-columns", options.drop_columns, known, measured.source)
        _check_known("--column", options.roles, known, measured.source)
        _check_known("--drop-models", options.drop_models, models, measured.source)
    drop = options.drop_columns
    gone = {n: _BY_USER for n in names if matches(n, drop) or matches(owner[n], drop)}
    measured = measured.without_columns(gone, "ignored")
    measured = _with_roles(measured, options, owner)
    return measured.without_models(
        {name: "as --drop-models says" for name in models if matches(name, options.drop_models)}
    )


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Tell whether a name is one of some names, or fits one of some patterns.

    Examples
    --------
    >>> matches("mmlu_std", ["*_std"]), matches("a[1]", ["a[1]"]), matches("b", ["a"])
    (True, True, False)
    """
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _with_roles(measured: Measured, options: Options, owner: dict[str, str]) -> Measured:
    columns = measured.columns.copy()
    away: dict[str, str] = {}
    for name in map(str, measured.scores.columns):
        for key in (name, owner[name]):
            said = next((r for what, r in options.roles.items() if matches(key, [what])), None)
            if said is not None:
                break
        if said in DIRECTIONS:
            columns.loc[name, "direction"] = said
        elif said in {"score", "proxy"}:
            columns.loc[name, "role"] = said
        elif said is not None:
            away[name] = f"is {said}, as --column says"
    return replace(measured, columns=columns).without_columns(away, "ignored")


def _check_known(option: str, patterns: Iterable[str], names: Collection[str], source: str) -> None:
    for pattern in patterns:
        if not any(matches(name, [pattern]) for name in names):
            what = "model" if option == "--drop-models" else "column"
            hint = did_you_mean(pattern, names)
            raise EeveeError(f"{source}: {option}: no {what} {pattern!r}{hint}")
