"""Starts the script, and the processes that it starts, as Python would without the tracer."""
