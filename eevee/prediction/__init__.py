"""From scores on a few benchmarks to a new model's full row, with intervals."""
