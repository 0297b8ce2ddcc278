"""``python -m asyncdemo``."""

import contextlib
import os
import sys

# `python -m` puts the folder one is in first on the path, and a learner's random.py is not for us to import.
with contextlib.suppress(FileNotFoundError):  # somebody removed it
    if sys.path and sys.path[0] == os.getcwd() and not os.path.isdir(os.path.join(sys.path[0], "asyncdemo")):
        del sys.path[0]

from asyncdemo.cli import main

if __name__ == "__main__":
    sys.exit(main())
