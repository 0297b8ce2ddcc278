"""Locust, started by ``__main__``: a Ctrl-C ends it in every moment without a traceback.

Importing Locust changes the standard library for good, so nothing but the new process imports this.
Not for: what Locust is told (``__main__``), or what it does (``locustfile``).
"""

from __future__ import annotations

import sys

from asyncdemo.errors import EXIT_INTERRUPTED

if __name__ == "__main__":
    from locust.main import main

    try:
        main()
    except KeyboardInterrupt:  # while it waits for workers, Locust does not expect one
        sys.exit(EXIT_INTERRUPTED)
