"""Runs, verdicts and slides as lines of a terminal, drawn with Rich."""
