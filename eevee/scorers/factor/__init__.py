"""The factor scorer: for tables with many gaps."""
