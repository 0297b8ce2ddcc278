"""What a ``Run`` means: figures, findings with advice, and what the source says. Pure functions.

Not here: showing any of it (see ``render``).
"""
