"""CLIP_benchmark: a list of data sets per tier.

Read in clip_benchmark 1.6: every line is a name, stripped; a comment or an empty line would be one
too. What the tier is stands in the record beside the list.
"""

from __future__ import annotations

from eevee.exporters.format import Export, Format, Listing, Task
from eevee.exporters.names import matches

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_./+-]*"


def _wrong(task: Task) -> str:
    return matches(_NAME, task.name, "data set of CLIP_benchmark, such as wds/vtab/cifar100")


def _files(export: Export) -> dict[str, str]:
    return {
        f"{one.stem}.txt": "".join(f"{task.name}\n" for task in one.tasks) for one in export.each
    }


FORMAT = Format(
    name="clip-benchmark",
    what="a data set list per tier for CLIP_benchmark",
    run="clip_benchmark eval --dataset {out}/{stem}.txt --pretrained MODELS.txt "
    "--output 'out/{{dataset}}_{{model}}.json'",
    files=_files,
    wrong=_wrong,
    listing=Listing(
        package="clip_benchmark",
        install="pip install clip_benchmark==1.6.2",
        code="from clip_benchmark.datasets.builder import dataset_collection as c; "
        "names = sorted({one for names in c.values() for one in names})",
    ),
)
