"""The parent of a traced script: starts it, reads its events, enforces limits, and gives its `Run`.

Not for: what runs inside the script (``capture``), or what a run means (``analysis``).
"""
