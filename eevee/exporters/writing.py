"""Writing an export: inside its folder alone, and over nothing but what an export wrote.

Beside its files an export leaves `eevee-NAME.json`: what the tiers are, which formats without
comments cannot say, and the SHA-256 of each file, by which the next export knows its own.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eevee.base.bounded import TooLarge, read_bytes
from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.base.parsing import MAX_BYTES
from eevee.exporters.format import Export, assessed

SCHEMA = "eevee.export/1"


def write_export(
    out: Path, to: str, files: Mapping[str, str], export: Export
) -> tuple[list[Path], list[str]]:
    """Write files and the record of them.

    Returns
    -------
    written : list of Path
        The record is the last.
    left : list of str
        Files of an earlier export that this one has not.

    Raises
    ------
    EeveeError
        If one would be outside of the folder, or replace what no export wrote; then none is
        written.
    """
    record = f"eevee-{to}.json"
    earlier = _earlier(out / record)
    known = {**earlier, record: _hash_of(out / record)} if earlier else earlier
    try:
        content = {**files, record: _record(to, files, export)}
    except UnicodeEncodeError as error:
        wrong = repr(error.object[error.start : error.end])
        raise EeveeError(f"UTF-8 cannot hold {wrong} in a name; nothing was written") from None
    targets = {name: _inside(out, name) for name in content}
    problems = [
        f"{path} exists and was not written by this export, or was changed since"
        for name, path in targets.items()
        if path.exists() and _hash_of(path) not in (known.get(name), hash_of(content[name]))
    ]
    if problems:
        raise EeveeError(f"{'; '.join(problems)}; give another --out, or move it away")
    for name, path in targets.items():
        _make_folder(path.parent)
        with replacing(path) as temporary:
            temporary.write_bytes(content[name].encode("utf-8"))
    left = [name for name in sorted(set(earlier) - set(files)) if (out / name).is_file()]
    return list(targets.values()), left


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EeveeError(f"{path}: cannot be made: {error.strerror}") from None


def _inside(out: Path, name: str) -> Path:
    """Return the path of a file, which no link or name leads out of the folder."""
    path = out / name
    home = Path(os.path.realpath(out))
    real = Path(os.path.realpath(path))
    if path.is_symlink() or home not in real.parents:
        raise EeveeError(f"{path}: is a link, or outside of {out}; nothing was written")
    return path


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _hash_of(path: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(path, MAX_BYTES)).hexdigest()
    except (OSError, TooLarge):
        return ""


def _earlier(path: Path) -> dict[str, str]:
    """Return names and hashes that an earlier export recorded; none if it is no such record."""
    try:
        content = json.loads(read_bytes(path, MAX_BYTES))
        files = content["files"] if content["schema"] == SCHEMA else {}
        return {str(name): str(digest) for name, digest in files.items()}
    except (OSError, TooLarge, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _record(to: str, files: Mapping[str, str], export: Export) -> str:
    table = export.tiers.table
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "to": to,
        "cost_unit": export.tiers.cost_unit,
        "table": {"name": table.name, "sha256": table.sha256},
        "tiers": [
            {
                "name": one.tier.name,
                "stem": one.stem,
                "cost": one.tier.cost,
                "assessed_loss": assessed(one.tier),
                "tasks": [{"benchmark": task.benchmark, "task": task.name} for task in one.tasks],
            }
            for one in export.each
        ],
        "files": {name: hash_of(text) for name, text in files.items()},
    }
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    text.encode("utf-8")  # before anything is written
    return text
