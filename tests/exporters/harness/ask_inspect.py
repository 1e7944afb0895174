"""Tasks of a list as Inspect loads them: ask_inspect.py FILE"""

import json
import subprocess
import sys

from inspect_ai._eval.loader import load_tasks  # `inspect eval-set` gives it its arguments

listed = subprocess.run(["grep", "-v", "^#", sys.argv[1]], capture_output=True, text=True).stdout  # noqa: PLW1510
print(json.dumps([one.name for one in load_tasks(listed.split())]))
