"""Groups of a folder as lm-eval indexes them: ask_lm_eval.py FOLDER CODE-THAT-LISTS-ITS-TASKS."""

import json
import sys

from lm_eval.config.group import GroupConfig
from lm_eval.tasks import TaskManager

listed = {}
exec(sys.argv[2], listed)  # its own tasks, the way that `eevee export --draft-mapping` asks
ours = TaskManager(include_path=sys.argv[1], include_defaults=False)
known = {*listed["names"], *ours.all_tasks}
groups = {}
for name in ours.all_groups:
    entry = ours.task_index[name]
    config = GroupConfig(**entry.cfg)  # an unknown key is a TypeError
    members = [
        one if isinstance(one, str) else one.get("task") or one["group"] for one in config.task
    ]
    groups[name] = {
        "members": members,
        "missing": [one for one in members if one not in known],
        "metrics": [one.metric for one in config.aggregate_metric_list or []],
    }
print(json.dumps({"groups": groups, "names": len(listed["names"])}))
