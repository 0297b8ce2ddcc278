"""Learn and teach sync and async Python by seeing what a program waits for.

PYTEST_DONT_REWRITE: a traced pytest finds this package already loaded, too late to rewrite its assertions,
and would warn, or not start at all if warnings are errors.
"""

__version__ = "0.1.0"
