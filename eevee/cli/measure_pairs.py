"""Options of `measure` that compare models, or tasks, with each other, and what they print."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from eevee.cli.panels import option
from eevee.cli.printing import print_json, print_line, print_table, say

PANEL = "Similarity"
SHOWN = 40


@dataclass(frozen=True)
class SimilarityOptions:
    """How models are compared, and where their groups go."""

    similarity: Annotated[
        str | None,
        option(
            "--similarity",
            help="Compare models: cka, cka-debiased, opd, svcca, pwcca or mean-cca.",
            panel=PANEL,
        ),
    ] = None
    threshold: Annotated[
        float,
        option("--threshold", help="Models at most this far apart are one group.", panel=PANEL),
    ] = 0.02
    groups_out: Annotated[
        Path | None,
        option("--groups-out", help="CSV 'model,group' to write, for --models-file.", panel=PANEL),
    ] = None
    diversity: Annotated[
        str | None,
        option(
            "--diversity",
            help="Compare tasks of an .npz of embeddings: cosine, entropy, kl, jsd ...",
            panel=PANEL,
        ),
    ] = None
    tiers: Annotated[
        Path | None,
        option("--tiers", help="Tier file: the diversity of each tier's tasks, too.", panel=PANEL),
    ] = None
    margin: Annotated[
        float,
        option("--margin", help="Samples per column that correlations need.", panel=PANEL),
    ] = 10.0

    def check(self) -> None:
        """Refuse options that say nothing together, and thresholds that are none."""
        if self.similarity is not None and self.diversity is not None:
            raise typer.BadParameter("--similarity compares models, --diversity tasks; give one")
        if self.tiers is not None and self.diversity is None:
            raise typer.BadParameter("--tiers needs --diversity, such as cosine")
        if self.groups_out is not None and self.similarity is None:
            raise typer.BadParameter("--groups-out needs --similarity, such as cka-debiased")
        if not 0 < self.threshold < 10:
            raise typer.BadParameter(f"--threshold lies in 0..10, not {self.threshold:g}")
        if not 0 <= self.margin < 1e6:
            raise typer.BadParameter(f"--margin lies in 0..1000000, not {self.margin:g}")


def refuse_overwriting(files: list[Path], written: dict[str, Path | None]) -> None:
    """Refuse to write to a file that is read, or twice to one file."""
    for name, out in written.items():
        if out is not None and any(
            out.exists() and file.exists() and out.samefile(file) for file in files
        ):
            raise typer.BadParameter(f"{name} is one of the files that are read; give another name")
    names = [out.resolve() for out in written.values() if out is not None]
    if len(set(names)) < len(names):
        raise typer.BadParameter(f"{' and '.join(written)} are one file; give two names")


def refuse_unused(options: dict[str, object]) -> None:
    """Refuse options of scores where models or tasks are compared."""
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter(
                f"{name} scores single models; --similarity and --diversity compare; give one"
            )


def compare(
    files: list[Path],
    options: SimilarityOptions,
    out: Path | None,
    given: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Compare models, or tasks; write groups and pairs of models, and print what was found."""
    from eevee.measures.similar_models import compare_files
    from eevee.measures.similarity_kinds import find_similarity

    if options.diversity is not None:
        if out is not None:
            raise typer.BadParameter("--out needs --with or --similarity; --json has diversities")
        _compare_tasks(files, options, given, as_json=as_json)
        return
    kind = find_similarity(str(options.similarity), convention=given.pop("convention"))
    found = compare_files(files, kind, margin=options.margin, **given)
    groups = found.named_groups(options.threshold)
    if out is not None:
        found.write_pairs(out)
    if options.groups_out is not None:
        found.write_groups(options.groups_out, options.threshold)
    if as_json:
        pairs = [vars(one) for one in found.nearest]
        print_json({"groups": groups, "pairs": pairs, "notes": list(found.notes)})
        return
    for note in found.notes:
        say(note)
    rows = [(one.first, one.second, one.task, one.distance, one.stderr) for one in found.nearest]
    header = ("model", "other", "task", "distance", "stderr")
    print_table(
        f"Distances ({kind.name})", header, rows, most=SHOWN, rest="--json and --out have all"
    )
    print_line(f"{len(found.models)} models in {len(set(groups.values()))} groups")
    if options.groups_out is not None:
        print_line(f"groups written to {options.groups_out}: --models-file {options.groups_out} "
                   "--groups group")  # fmt: skip


def _compare_tasks(
    files: list[Path], options: SimilarityOptions, given: dict[str, Any], *, as_json: bool
) -> None:
    from eevee.measures.embedding_files import diversities, read_embeddings
    from eevee.tiers.file import load_tiers

    if len(files) != 1:
        raise typer.BadParameter("--diversity reads one file of embeddings")
    made = read_embeddings(files[0], max_mb=given["max_mb"])
    tiers = () if options.tiers is None else load_tiers(options.tiers)
    found = diversities(
        made,
        {tier.name: tier.benchmark_names for tier in tiers},
        kind=str(options.diversity),
        convention=given["convention"],
    )
    if as_json:
        rows = {name: asdict(one) for name, one in found.of.items()}
        print_json({"diversity": rows, "notes": list(found.notes)})
        return
    for note in found.notes:
        say(note)
    header = ("tasks", "n", "diversity", "stderr", "low", "high")
    print_table(
        f"Diversity ({options.diversity})",
        header,
        [(name, one.n_tasks, one.value, one.stderr, one.low, one.high)
         for name, one in found.of.items()],
    )  # fmt: skip
