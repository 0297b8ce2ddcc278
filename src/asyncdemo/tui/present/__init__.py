"""A lesson on a projector, for a class."""
