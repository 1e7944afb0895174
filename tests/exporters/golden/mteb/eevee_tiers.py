import mteb

# EEVEE tier 'small': 2 benchmarks
# cost: 1.5 of a budget of 100 GPU-hours
# assessed loss: 0.31 (0.25 to 0.4), of evolve, ridge
# table: scores.csv, SHA-256 abababababababababababababababababababababababababababababababab
# chosen with: eevee 1.0
tier_small = mteb.Benchmark(
    name='EEVEE(small)',
    description="EEVEE tier 'small': 2 benchmarks; cost: 1.5 of a budget of 100 GPU-hours; assessed loss: 0.31 (0.25 to 0.4), of evolve, ridge; table: scores.csv, SHA-256 abababababababababababababababababababababababababababababababab; chosen with: eevee 1.0",
    tasks=[
        mteb.get_task('STS12', eval_splits=['test']),
        mteb.get_task('Banking77Classification'),
    ],
)

# EEVEE tier 'base': 3 benchmarks
# cost: 3 GPU-hours
# assessed loss: not assessed
# table: scores.csv, SHA-256 abababababababababababababababababababababababababababababababab
# chosen with: eevee 1.0
tier_base = mteb.Benchmark(
    name='EEVEE(base)',
    description="EEVEE tier 'base': 3 benchmarks; cost: 3 GPU-hours; assessed loss: not assessed; table: scores.csv, SHA-256 abababababababababababababababababababababababababababababababab; chosen with: eevee 1.0",
    tasks=[
        mteb.get_task('STS12', eval_splits=['test']),
        mteb.get_task('Banking77Classification'),
        mteb.get_task('STS22.v2', languages=['eng', 'deu']),
    ],
)

TIERS = {
    'small': tier_small,
    'base': tier_base,
}
