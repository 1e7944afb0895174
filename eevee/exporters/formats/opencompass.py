"""OpenCompass: a Python configuration per tier.

Read in opencompass 0.5.4 with mmengine 0.10: data sets are lists in modules below
``opencompass.configs.datasets``, so that a task is called ``module:list``, such as
``gsm8k.gsm8k_gen:gsm8k_datasets``.
"""

from __future__ import annotations

import keyword

from eevee.exporters.format import Export, Format, Listing, Task, TierTasks
from eevee.exporters.names import matches

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_NAME = rf"{_WORD}(\.{_WORD})*:{_WORD}"


def _wrong(task: Task) -> str:
    what = "list of data sets of OpenCompass (module:list, gsm8k.gsm8k_gen:gsm8k_datasets)"
    words = task.name.replace(":", ".").split(".")
    if any(keyword.iskeyword(word) for word in words):
        return f"{task.name!r} is not {what}"
    return matches(_NAME, task.name, what)


def _import(number: int, task: Task) -> str:
    module, _, variable = task.name.partition(":")
    return f"    from opencompass.configs.datasets.{module} import {variable} as eevee_{number}\n"


def _config(export: Export, one: TierTasks) -> str:
    imports = "".join(_import(number, task) for number, task in enumerate(one.tasks))
    lists = ", ".join(f"*eevee_{number}" for number in range(len(one.tasks)))
    return (
        f"{export.comment(one)}"
        "from mmengine.config import read_base\n\n"
        f"with read_base():\n{imports}\n"
        f"datasets = [{lists}]\n"
        "_abbrs = [one['abbr'] for one in datasets]\n"
        "summarizer = dict(\n"
        "    dataset_abbrs=[*_abbrs, "
        f"'eevee_{one.stem}'],\n"
        f"    summary_groups=[dict(name='eevee_{one.stem}', subsets=_abbrs)],\n"
        ")\n"
    )


_LIST = """
import ast, pathlib, importlib.util
root = pathlib.Path(importlib.util.find_spec("opencompass").origin).parent / "configs/datasets"
names = []
for path in sorted(root.rglob("*.py")):
    if "collections" in path.parts:
        continue
    module = ".".join(path.relative_to(root).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        targets = node.targets if isinstance(node, ast.Assign) else []
        found = [t.id for t in targets if isinstance(t, ast.Name)]
        found += [a.name for a in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [f"{module}:{name}" for name in found if name.endswith("_datasets")]
"""

FORMAT = Format(
    name="opencompass",
    what="a Python configuration per tier for OpenCompass",
    run="opencompass {out}/eevee_{stem}.py --models MODEL",
    files=lambda export: {f"eevee_{one.stem}.py": _config(export, one) for one in export.each},
    wrong=_wrong,
    listing=Listing("opencompass", "pip install opencompass==0.5.4", _LIST),
)
