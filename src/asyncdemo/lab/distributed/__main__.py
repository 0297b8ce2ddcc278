"""``python -m asyncdemo.lab.distributed``: a master, or a worker of one."""

from __future__ import annotations

import sys

from asyncdemo.lab.distributed.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
