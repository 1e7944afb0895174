"""Benchmarks as MTEB builds them: ask_mteb.py FILE"""

import json
import runpy
import sys

tiers = runpy.run_path(sys.argv[1])["TIERS"]
print(
    json.dumps(
        {
            name: [one.name, [task.metadata.name for task in one.tasks], one.tasks[0].eval_splits]
            for name, one in tiers.items()
        }
    )
)
