"""Python in a page, in Pyodide and without a process: lessons that run there, runs that a visitor opens.

Not for: the page and its scripts (``site``), or anything that a terminal shows. Nothing imports it.
"""
