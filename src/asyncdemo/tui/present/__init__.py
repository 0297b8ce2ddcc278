"""A lesson on a projector, in front of a class.

Not for: recording (``tui.recording``), or the lesson as one works through it alone (``tui.lesson``).
"""
