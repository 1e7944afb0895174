"""Run folders: what a verb leaves behind."""
