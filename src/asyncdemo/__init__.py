"""Learn and teach sync and async Python by seeing what a program waits for.

PYTEST_DONT_REWRITE: a pytest that is traced finds this package loaded, too late to rewrite its assertions,
and would warn of it, or not start at all where warnings are errors.
"""

__version__ = "0.1.0"
