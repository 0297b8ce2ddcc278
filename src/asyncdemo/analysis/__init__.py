"""What a ``Run`` means: figures, findings with advice, and what the source says. Pure functions."""
