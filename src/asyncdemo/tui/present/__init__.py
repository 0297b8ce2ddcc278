"""A lesson on a projector, for a class.

Not here: recording (see ``tui.recording``), or the lesson for a single learner (see ``tui.lesson``).
"""
