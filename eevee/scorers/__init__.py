"""Scorers: pure functions from subsets of benchmarks to held-out losses."""
