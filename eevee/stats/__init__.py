"""Arrays in, numbers out: errors of predictions, overlap of subsets, intervals, power law."""
