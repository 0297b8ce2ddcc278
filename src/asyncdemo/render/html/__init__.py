"""Runs as pages: the element ``<async-timeline>``, its data and its scripts."""
