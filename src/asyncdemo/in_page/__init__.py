"""Python in a page, in Pyodide and without processes: lessons that run there, runs that visitors open.

Not here: the page and its scripts (see ``site``), or anything for a terminal. Nothing imports this package.
"""
