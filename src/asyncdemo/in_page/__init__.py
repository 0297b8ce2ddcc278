"""Python in a page, in Pyodide and without processes: lessons that run there, runs that visitors open."""
