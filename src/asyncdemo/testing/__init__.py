"""Concurrency as test suites assert it: the checks' vocabulary, `observe`, and the pytest plugin."""
