"""A card per tier: Markdown with front matter, for a repository or a model hub.

The front matter is YAML that any reader of such cards takes; the text below says what the tier is,
how to run it, how far to trust it and how it was chosen.
"""

from __future__ import annotations

import math
import re
from typing import Any

import yaml

from eevee.base.dates import today
from eevee.base.errors import EeveeError
from eevee.base.parsing import refuse, text
from eevee.exporters.format import Export, Format, TierTasks, assessed
from eevee.tiers.file import Tier
from eevee.tiers.yaml_text import Dumper

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")


def _date(value: object, at: str) -> str:
    given = text(value, at)
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", given):
        raise refuse(at, "a day such as '2026-11-29'", value)
    return given


def _literal(name: str) -> str:
    """Return a name that Markdown shows as it is, on one line."""
    line = "".join(c if c.isprintable() else " " for c in name)
    return _MARKS.sub(r"\\\1", line)


def _front_matter(export: Export, one: TierTasks) -> str:
    tier, table = one.tier, export.tiers.table
    loss = tier.assessed_loss
    content: dict[str, Any] = {
        "name": tier.name,
        "budget": tier.budget,
        "cost": float(f"{tier.cost:.12g}"),
        "cost_unit": export.tiers.cost_unit,
        "members": list(tier.benchmark_names),
        "table": {"name": table.name, "sha256": table.sha256 or None},
        "assessed_loss": None
        if loss is None
        else {"mean": loss.mean, "low": loss.low, "high": loss.high, "of": loss.of},
        "date": export.options.get("date", today()),
    }
    # Not folded: a reader may take any line that is "---", even an indented one, for the end.
    return yaml.dump(content, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=math.inf)


def _card(export: Export, one: TierTasks) -> str:
    tier, tiers = one.tier, export.tiers
    unit = _literal(tiers.cost_unit)
    name = tier.name if re.fullmatch(r"\w[\w.-]*", tier.name) else "NAME"
    budget = "" if tier.budget is None else f" (budget: {tier.budget:.6g})"
    rows = [
        f"| {_literal(member.name)} | {_literal(member.task or '')} | {member.cost:.6g} |"
        for member in tier.benchmarks
    ]
    return "\n".join(
        [
            f"---\n{_front_matter(export, one)}---\n",
            f"# {_literal(tier.name)}\n",
            f"{_members(export, tier)}, for "
            f"{tier.cost:.6g} {unit}{budget}. They were chosen because they predict the others.\n",
            f"| benchmark | task | cost ({unit}) |",
            "| --- | --- | ---: |",
            *rows,
            "\n## How to run it\n",
            "Run these benchmarks on a new model, write its scores into `new.csv` (a row per "
            "model, a column per benchmark), and predict the others:\n",
            f"```sh\neevee predict tiers.yaml --tier {name} new.csv --scores SCORES\n```",
            "\n## How far to trust it\n",
            *_trust(export, tier),
            "\n## How it was chosen\n",
            f"By {_literal(tiers.created_with)}, seed {tiers.seed}, with the scorer "
            f"{_literal(str(tiers.scorer.get('name', 'that the tier file names')))}, on "
            f"{_literal(tiers.table.name)}: {tiers.table.models} models x "
            f"{tiers.table.benchmarks} benchmarks{_proxies(len(tiers.table.proxies))}, SHA-256 "
            f"{_literal(tiers.table.sha256 or 'not known')}.\n",
        ]
    )


def _members(export: Export, tier: Tier) -> str:
    """Say how many of the benchmarks a tier holds, and how many proxies."""
    table = export.tiers.table
    n = len({*tier.benchmark_names} & {*table.proxies})
    return f"{len(tier.benchmarks) - n} of {table.benchmarks} benchmarks{_proxies(n)}"


def _proxies(n: int) -> str:
    return f" and {n} {'proxy' if n == 1 else 'proxies'}" if n else ""


def _trust(export: Export, tier: Tier) -> list[str]:
    loss = tier.search_loss
    lines = [
        f"- On models that the search never saw: {_error(tier.assessed_loss.mean)}, the root of "
        f"the assessed loss, {_literal(assessed(tier))}. It belongs to the whole procedure."
        if tier.assessed_loss is not None
        else "- Not assessed: nothing is known of models that the search did not see.",
        f"- In the search: {_error(loss.mean)}, the root of the search loss, {loss.mean:.6g} "
        f"(targets: {loss.targets}). It is too low, since the tier was chosen for it.",
    ]
    verdicts = export.tiers.search.get("verdicts")
    own = verdicts.get(tier.name) if isinstance(verdicts, dict) else None
    words = own.get("words") if isinstance(own, dict) else None
    if isinstance(words, str):
        lines.append(f"- {_literal(' '.join(words.split()))}")
    return lines


def _error(loss: float) -> str:
    return f"an error of {max(loss, 0.0) ** 0.5:.2f} standard deviations"


def _unfit(export: Export) -> str:
    try:
        _ = [_front_matter(export, one) for one in export.each]
    except (yaml.YAMLError, EeveeError) as error:
        return str(error)
    return ""


FORMAT = Format(
    name="card",
    what="a Markdown card with front matter per tier",
    run="cat {out}/{stem}.md",
    files=lambda export: {f"{one.stem}.md": _card(export, one) for one in export.each},
    unfit=_unfit,
    options={"date": _date},
)
