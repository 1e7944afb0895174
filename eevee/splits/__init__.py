"""Which models train, validate and test: random, folds, harder kinds, near-duplicates."""
