"""``python -m asyncdemo``."""

import contextlib
import os
import sys

# `python -m` puts the current folder first on the path, and we must not import a learner's random.py.
with contextlib.suppress(FileNotFoundError):  # the folder was removed
    if sys.path and sys.path[0] == os.getcwd() and not os.path.isdir(os.path.join(sys.path[0], "asyncdemo")):
        del sys.path[0]

from asyncdemo.cli import main

if __name__ == "__main__":
    sys.exit(main())
