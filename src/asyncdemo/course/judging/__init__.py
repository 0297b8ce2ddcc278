"""Runs an exercise and holds what was seen against its check."""
