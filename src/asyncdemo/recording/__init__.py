"""The parent of a traced script: starts it, reads its events, enforces limits, and returns its ``Run``."""
