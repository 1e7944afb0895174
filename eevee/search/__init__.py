"""Searches: from a scorer to ranked subsets."""
