"""A configuration as OpenCompass reads it: ask_opencompass.py FILE"""

import json
import sys

from mmengine.config import Config

config = Config.fromfile(sys.argv[1])
found = {"abbrs": [one["abbr"] for one in config.datasets], "summarizer": config.summarizer}
print(json.dumps(found))
