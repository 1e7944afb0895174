"""A first mapping file, from the harness's own task list: near names are proposed, never taken."""

from __future__ import annotations

import difflib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from eevee.base.errors import EeveeError
from eevee.base.files import replacing
from eevee.exporters.format import Format, Listing
from eevee.exporters.mapping import SCHEMA
from eevee.exporters.registry import find_format
from eevee.tiers.file import HoldsTiers, TierSet, tier_set_of
from eevee.tiers.yaml_text import Dumper

MOST = 5
"""Near names that are proposed."""
_MISSING = 3
_SECONDS = 600


def draft_mapping(
    tiers: TierSet | HoldsTiers,
    path: str | os.PathLike[str],
    *,
    to: str,
    names: Iterable[str] | None = None,
    python: str | os.PathLike[str] = sys.executable,
) -> dict[str, list[str]]:
    """Write a mapping file to complete by hand.

    A benchmark that the harness knows by the same name is mapped to it; for every other the file
    holds near names under `proposed`, and is refused by `export` until `task` is filled in.

    Parameters
    ----------
    tiers : TierSet, or the result of `eevee.build_tiers`
    path : path
        A new file, ending in ``.yaml`` or ``.yml``.
    to : str
        The format.
    names : iterable of str, optional
        The harness's task names; asked of the installed harness by default.
    python : path
        The Python whose harness is asked.

    Returns
    -------
    dict
        For each benchmark without a task, the names that are proposed.

    Raises
    ------
    EeveeError
        If the harness is not installed (with the command that installs it), or the file exists.

    Examples
    --------
    >>> import tempfile
    >>> from eevee.tiers.file import SearchLoss, TableInfo, Tier, TierBenchmark, TierSet
    >>> chosen = tuple(TierBenchmark(name, (name,), 1.0) for name in ("gsm8k", "ARC Easy"))
    >>> small = Tier("small", 2.0, 2.0, chosen, SearchLoss(0.2, 0.1, "all"))
    >>> tiers = TierSet("eevee", "hours", TableInfo("s.csv", "", 20, 3), {}, {}, 0, (small,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/map.yaml"
    ...     draft_mapping(tiers, path, to="lm-eval", names=["gsm8k", "arc_easy", "mmlu"])
    {'ARC Easy': ['arc_easy']}
    """
    chosen, path = find_format(to), Path(path)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise EeveeError(f"{path}: the name of a draft must end in .yaml or .yml")
    if path.exists():
        raise EeveeError(f"{path}: exists; a draft replaces no file, give another name")
    known = list(names) if names is not None else list_tasks(chosen, python)
    benchmarks = dict.fromkeys(name for tier in tier_set_of(tiers) for name in tier.benchmark_names)
    there = set(known)
    tasks: dict[str, Any] = {name: name for name in benchmarks if name in there}
    folded = [(_fold(name), name) for name in known]
    open_ = {name: near(name, folded) for name in benchmarks if name not in there}
    tasks |= {name: {"task": None, "proposed": found} for name, found in open_.items()}
    content = {"schema": SCHEMA, "to": chosen.name, "options": {}, "tasks": tasks}
    with replacing(path) as temporary:
        text = yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
        temporary.write_bytes(text.encode("utf-8"))
    return open_


def near(name: str, folded: Sequence[tuple[str, str]]) -> list[str]:
    """Return names that are like one: the same but for case and signs, holding it, or close.

    Examples
    --------
    >>> known = ["bbh_fewshot_snarks", "SNARKS", "snacks", "mmlu"]
    >>> near("Snarks", [(_fold(one), one) for one in known])
    ['SNARKS', 'bbh_fewshot_snarks', 'snacks']
    """
    wanted = _fold(name)
    if not wanted:
        return []
    holding = sorted((len(text), one) for text, one in folded if wanted in text)
    close = difflib.get_close_matches(wanted, [text for text, _ in folded], n=MOST, cutoff=0.75)
    by_text = dict(reversed(folded))
    found = [*(one for _, one in holding[:MOST]), *(by_text[text] for text in close)]
    return list(dict.fromkeys(found))[:MOST]


def _fold(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.casefold())


def list_tasks(to: Format, python: str | os.PathLike[str] = sys.executable) -> list[str]:
    """Ask an installed harness for the names of its tasks.

    Raises
    ------
    EeveeError
        If it is not installed there, cannot say, or has no list.
    """
    if to.listing is None:
        raise EeveeError(f"{to.name} has no list of tasks to ask for; write the mapping by hand")
    done = _ask(to.listing, python)
    if done.returncode == _MISSING:
        raise EeveeError(
            f"{to.listing.package} is not installed in {python}: {to.listing.install} (or name "
            "the Python that has it with --harness-python)"
        )
    lines = done.stdout.splitlines()
    try:
        if done.returncode:
            raise ValueError
        return [name for name in json.loads(lines[-1]) if isinstance(name, str)]
    except (ValueError, IndexError, TypeError):
        said = (done.stderr.splitlines() or [""])[-1]
        raise EeveeError(f"{to.listing.package} cannot list its tasks: {said}") from None


def _ask(listing: Listing, python: str | os.PathLike[str]) -> subprocess.CompletedProcess[str]:
    code = (
        "import importlib.util, json, sys\n"
        f"if importlib.util.find_spec({listing.package!r}) is None: sys.exit({_MISSING})\n"
        f"{listing.code}\nprint()\nprint(json.dumps(sorted(set(names))))"
    )
    try:
        return subprocess.run(
            [os.fspath(python), "-c", code],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise EeveeError(f"{python}: cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise EeveeError(f"{listing.package} did not list its tasks in {_SECONDS} s") from None
