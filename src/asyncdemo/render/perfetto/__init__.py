"""Runs as Chrome trace events, for Perfetto and chrome://tracing."""
