# EEVEE tier 'base': 3 benchmarks
# cost: 3 GPU-hours
# assessed loss: not assessed
# table: scores.csv, SHA-256 abababababababababababababababababababababababababababababababab
# chosen with: eevee 1.0
from mmengine.config import read_base

with read_base():
    from opencompass.configs.datasets.gsm8k.gsm8k_gen import gsm8k_datasets as eevee_0
    from opencompass.configs.datasets.ARC_e.ARC_e_gen import ARC_e_datasets as eevee_1
    from opencompass.configs.datasets.hellaswag.hellaswag_gen import hellaswag_datasets as eevee_2

datasets = [*eevee_0, *eevee_1, *eevee_2]
_abbrs = [one['abbr'] for one in datasets]
summarizer = dict(
    dataset_abbrs=[*_abbrs, 'eevee_base'],
    summary_groups=[dict(name='eevee_base', subsets=_abbrs)],
)
