"""A list as CLIP_benchmark reads it: ask_clip_benchmark.py FILE CODE-THAT-LISTS-ITS-DATA-SETS

Its module imports torch and torchvision for its data sets; the list reader needs neither.
"""

import json
import sys
from unittest.mock import MagicMock

for name in ("torch", "torch.utils", "torch.utils.data", "torchvision", "torchvision.datasets"):
    sys.modules[name] = MagicMock()
for name in ("babel_imagenet", "caltech101", "flickr", "imagenetv2", "objectnet", "sugar_crepe"):
    sys.modules[f"clip_benchmark.datasets.{name}"] = MagicMock()
for name in ("voc2007", "winoground"):
    sys.modules[f"clip_benchmark.datasets.{name}"] = MagicMock()

from clip_benchmark.datasets.builder import get_dataset_collection_from_file  # noqa: E402

listed = {}
exec(sys.argv[2], listed)
print(json.dumps([get_dataset_collection_from_file(sys.argv[1]), listed["names"]]))
