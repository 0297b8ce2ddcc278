"""``python -m asyncdemo.load``: with a URL for people, without one for ``client.Client``."""

from __future__ import annotations

import sys

from asyncdemo.load import process


def main() -> int:
    if len(sys.argv) > 1:
        from asyncdemo.load.command import run_command

        return run_command(sys.argv[1:])
    return process.serve()


if __name__ == "__main__":
    sys.exit(main())
