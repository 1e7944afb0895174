"""The evolutionary search."""
