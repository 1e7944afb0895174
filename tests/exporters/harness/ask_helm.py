"""Run entries as HELM reads them: ask_helm.py FILE"""

import json
import sys

from helm.benchmark.presentation.run_entry import read_run_entries
from helm.common.object_spec import parse_object_spec

entries = read_run_entries(sys.argv[1:]).entries
parsed = [parse_object_spec(one.description) for one in entries]
print(
    json.dumps(
        [[one.priority, spec.class_name, spec.args] for one, spec in zip(entries, parsed)]  # noqa: B905
    )
)
