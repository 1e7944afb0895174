"""Subsets under several budgets, and the tier file."""
