"""Questions about one table or one list of benchmarks: describe, rank, ablate, rate."""
