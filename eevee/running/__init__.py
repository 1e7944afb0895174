"""A tier's commands: planned, run on this machine or handed over, collected; costs merged."""
