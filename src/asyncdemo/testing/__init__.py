"""Concurrency assertions for test suites: the checks, `observe`, and the pytest plugin."""
