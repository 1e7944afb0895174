"""What Hydra composes: ask_hydra.py FOLDER TIER..."""

import json
import sys

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

with initialize_config_dir(sys.argv[1], version_base=None):
    made = {tier: compose(overrides=[f"+tier={tier}"]) for tier in sys.argv[2:]}
print(json.dumps({name: OmegaConf.to_container(one, resolve=True) for name, one in made.items()}))
