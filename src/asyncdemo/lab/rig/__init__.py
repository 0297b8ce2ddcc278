"""Rig it: two pairs of seed 004 on its stack, under settings that somebody changes at the keyboard.

Not for: the knobs and their bounds (``lab.results.rigging``), or drawing (``render.terminal.rig``).
"""
