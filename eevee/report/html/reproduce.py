"""How to make the runs again, which command adds what is lacking, and what not to read into it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eevee.report.html.decision import Decision
from eevee.report.html.runs import Run, number_of, pick
from eevee.report.html.words import counted, listed
from eevee.tiers.file import Tier

MORE = "more"
"""The panel of options that have none, as the command line calls it."""
FEW_MODELS = 30
"""Below it a table seldom tells a search from random subsets (docs/figures.md, small tables)."""


@dataclass(frozen=True)
class Made:
    """How one run was made.

    Attributes
    ----------
    folder, command, date, created_with, seed : str
    versions : tuple of (package, version)
    files : tuple of (what, path, SHA-256)
    """

    folder: str
    command: str
    date: str
    created_with: str
    seed: str
    versions: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Lacking:
    """Something that the folders do not hold, and the command that adds it."""

    what: str
    command: str


def made(runs: Sequence[Run]) -> tuple[Made, ...]:
    """Say of each run how it was made."""
    return tuple(_made(run) for run in runs)


def _made(run: Run) -> Made:
    versions = run.value("versions", kind=dict) or {}
    machine = [run.value("platform", one, kind=str) or "" for one in ("system", "machine")]
    seed = number_of(run.config, "seed")
    return Made(
        folder=str(run.folder),
        command=shlex.join(["eevee", run.command, *run.words()]) if run.words() else "",
        date=run.value("date", kind=str) or "",
        created_with=run.value("created_with", kind=str) or "",
        seed=f"{seed:.0f}" if math.isfinite(seed) else "",
        versions=(
            *((str(name), str(version)) for name, version in versions.items()),
            ("machine", " ".join(machine).strip()),
        ),
        files=tuple(_files(run)),
    )


def _files(run: Run) -> Iterator[tuple[str, str, str]]:
    for name, about in (run.value("inputs", kind=dict) or {}).items():
        path = pick(about, "file", kind=str) or ""
        yield str(name), path, pick(about, "sha256", kind=str) or "not known"
    if run.has("tiers.yaml"):
        yield "tiers", str(run.folder / "tiers.yaml"), run.sha256("tiers.yaml")


def lacking(runs: Sequence[Run], there: Mapping[str, bool]) -> tuple[Lacking, ...]:
    """Return the commands that add what is not `there`: each section by name.

    They read the table as the first run did.
    """
    run = runs[0]
    goal = [*_first_goal(runs), *run.words("Search", "Rules"), *together(run)]
    extra = {
        "tiers": ("Tiers under budgets", "tiers", ["--budget", "small=10%"]),
        "front": ("The budget slider: the best subset for every budget", "pareto", []),
        "assessed": ("The error on models that no search saw", "assess", goal),
        "kinds": (_kinds_words(run), "assess",
                  [*goal, "--held-out", _kinds(run)]),
        "stability": ("How stable the choice is", "assess", [*goal, "--stability"]),
        "curves": ("The error over the number of benchmarks", "sweep", ["--sizes", _sizes(run)]),
        "ranking": ("How well each benchmark alone predicts all", "rank", []),
    }  # fmt: skip
    missing = [one for name, one in extra.items() if not there[name]]
    if not there["assessed"]:
        missing = [one for one in missing if "--stability" not in one[2]]
        if there["tiers"]:  # the first of the next steps
            missing = [one for one in missing if one[1] != "assess" or "--held-out" in one[2]]
    found = [
        Lacking(what, command_like(run, verb, words, _folder(words))[1])
        for what, verb, words in missing
    ]
    if not there["groups"] and there["table"]:
        words = ["eevee", "report", *(str(one.folder) for one in runs)]
        models = shlex.join([*words, "--models-file", "models.csv"])
        found.append(Lacking("Groups of models, by a file with a column such as family", models))
    return tuple(found)


def command_like(
    run: Run, verb: str, words: Sequence[str], name: str | None = None
) -> tuple[Path, str]:
    """Return a folder beside a run, and the command that reads and scores alike and writes there.

    `words` are more of its options, `name` that of the folder: by default of the verb.
    """
    scores = run.words("arguments") or ["SCORES"]
    out = run.folder.parent / (name or ("front" if verb == "pareto" else verb))
    if out == run.folder:
        out = out.with_name(f"{out.name}-2")
    scorer = _without(run.words("Scorer"), "--targets") if verb == "pareto" else run.words("Scorer")
    whole = ["eevee", verb, *scores, *run.words("Table"), *scorer, *words, "--out", str(out)]
    return out, shlex.join(whole)


def _without(words: list[str], option: str) -> list[str]:
    if option not in words:
        return words
    place = words.index(option)
    return words[:place] + words[place + 2 :]


def _first_goal(runs: Sequence[Run]) -> list[str]:
    for run in runs:
        tiers = run.tiers()
        if tiers is not None and len(tiers):
            return goal_words(tiers.tiers[0], run)
    return ["-k", "5"]


def goal_words(tier: Tier, run: Run) -> list[str]:
    """Ask `assess` for the goal that a tier was searched for."""
    if tier.budget is None:
        return ["-k", str(len(tier.benchmarks))]
    more = run.words(MORE)
    limit = [more[i : i + 2] for i, word in enumerate(more) if word == "--max-size"]
    return ["--budget", repr(tier.budget), *(word for pair in limit for word in pair)]


def together(run: Run) -> list[str]:
    """Keep near-duplicates on one side of a split, where the table has some."""
    copies = run.value("table", "near_duplicates", kind=dict)
    grouped = {"--group-duplicates", "--groups"} & {*run.words("Scorer")}
    return ["--group-duplicates"] if copies and not grouped else []


def _folder(words: Sequence[str]) -> str | None:
    """Name the folder of an assessment after what it adds, so that none replaces another."""
    by_option = {"--held-out": "assess-kinds", "--stability": "stability"}
    return next((name for option, name in by_option.items() if option in words), None)


def _kinds_words(run: Run) -> str:
    families = "new families and on " if "family" in _kinds(run) else ""
    return f"The error on {families}stronger models"


def _kinds(run: Run) -> str:
    """Name the kinds of held-out models that this table can have."""
    attributes = run.value("table", "model_attributes", kind=list) or []
    return "random,family,frontier" if "family" in attributes else "random,frontier"


def _sizes(run: Run) -> str:
    n = number_of(run.config, "table", "benchmarks")
    return f"1:{min(26, int(n) - 1) if n > 1 else 1}"


def limits(runs: Sequence[Run], decision: Decision, kinds: Sequence[str]) -> tuple[str, ...]:
    """Say in plain words what the page does not show; `kinds` of models were held out."""
    return tuple(_limits(runs[0], decision, kinds))


def _limits(run: Run, decision: Decision, kinds: Sequence[str]) -> Iterator[str]:
    yield (
        "Errors and losses of a search are too low: each subset was chosen because its own is low. "
        "Use them to compare subsets of one search, never to say how good a tier is."
    )
    if kinds:
        yield (
            "An assessed loss belongs to the whole procedure (the search with its settings), not "
            "to one subset: each outer split has a subset of its own."
        )
    else:
        yield "Nothing here was checked on models that the search did not see."
    untested = [
        words
        for kind, words in (
            ("family", "new families of models"),
            ("frontier", "models stronger than all in the table"),
        )
        if kind not in kinds
    ]
    if untested:
        yield (
            f"Not tested: {listed(untested)}. There predictions can be much worse (commands below; "
            "families need a column `family` in a file of models)."
        )
    models = number_of(run.config, "table", "models")
    if models < FEW_MODELS:
        yield (
            f"{counted(int(models), 'model')} are few: a table of this size seldom shows that any "
            "search is better than random subsets."
        )
    copies = run.value("table", "near_duplicates", "said", kind=str)
    if copies:
        yield f"{copies}: losses are too good unless they are kept together."
    if decision.tiers and any(one.tier.search_loss.targets == "all" for one in decision.tiers):
        yield (
            "The error over all benchmarks falls with every benchmark that is run, by arithmetic "
            "alone; the unseen error counts only those that are not run."
        )
    if number_of(run.config, "table", "coverage") < 1:
        yield "Scores are missing, and gaps are seldom random: means of models compare with care."
    yield ("Other subsets are about as good. A benchmark that is left out is not a bad benchmark.")


def kinds_of(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return which kinds of models were held out by the assessments."""
    found: dict[str, None] = {}
    for run in runs:
        against = pick(run.json("verdict.json") or {}, "against", kind=dict) or {}
        found |= dict.fromkeys(map(str, against))
    return tuple(found)
