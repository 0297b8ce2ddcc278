"""Locust, started by ``__main__``: Ctrl-C ends it at any moment without a traceback.

Importing Locust changes the standard library for good, so only the new process imports this.
"""

from __future__ import annotations

import sys

from asyncdemo.errors import EXIT_INTERRUPTED

if __name__ == "__main__":
    from locust.main import main

    try:
        main()
    except KeyboardInterrupt:  # Locust does not handle it while waiting for workers
        sys.exit(EXIT_INTERRUPTED)
