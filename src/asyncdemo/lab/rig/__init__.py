"""Rig it: two pairs of seed 004 on its stack, with settings that the user changes at the keyboard.

Not here: the knobs and their bounds (see ``lab.results.rigging``), or drawing (see ``render.terminal.rig``).
"""
