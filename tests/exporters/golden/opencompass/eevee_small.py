# EEVEE tier 'small': 2 benchmarks
# cost: 1.5 of a budget of 100 GPU-hours
# assessed loss: 0.31 (0.25 to 0.4), of evolve, ridge
# table: scores.csv, SHA-256 abababababababababababababababababababababababababababababababab
# chosen with: eevee 1.0
from mmengine.config import read_base

with read_base():
    from opencompass.configs.datasets.gsm8k.gsm8k_gen import gsm8k_datasets as eevee_0
    from opencompass.configs.datasets.ARC_e.ARC_e_gen import ARC_e_datasets as eevee_1

datasets = [*eevee_0, *eevee_1]
_abbrs = [one['abbr'] for one in datasets]
summarizer = dict(
    dataset_abbrs=[*_abbrs, 'eevee_small'],
    summary_groups=[dict(name='eevee_small', subsets=_abbrs)],
)
