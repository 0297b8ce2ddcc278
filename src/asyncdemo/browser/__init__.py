"""Lessons that run in a page: what Python does there, in Pyodide, one run at a time and without a process.

Not for: the page and its scripts (``site``), or anything that a terminal shows. Nothing imports it.
"""
