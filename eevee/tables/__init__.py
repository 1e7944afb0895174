"""Tables of results, what the names of columns say, averages and bounds."""
