"""What knows nothing of benchmarks: errors, arrays, seeds, files, threads, parsing."""
