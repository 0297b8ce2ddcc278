"""The parent of a traced script: starts it, reads its events, enforces limits, and returns its ``Run``.

Not here: what runs inside the script (see ``capture``), what a run means (``analysis``).
"""
