"""Runs, verdicts, slides and the rig as lines of a terminal, drawn with Rich."""
