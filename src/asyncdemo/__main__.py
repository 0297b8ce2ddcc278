"""``python -m asyncdemo``."""

import sys

from asyncdemo.cli import main

if __name__ == "__main__":
    sys.exit(main())
