"""``python -m asyncdemo.lab.distributed``: translates its options into Locust's, and becomes Locust."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from asyncdemo.errors import AsyncdemoError, MissingError, UsageError
from asyncdemo.lab.distributed.shares import whole_plan
from asyncdemo.load.needed import check_installed
from asyncdemo.packages import install_command

_LOCUSTFILE: Final = Path(__file__).with_name("locustfile.py")
_PORT: Final = 5557
"""The default port of Locust's master."""
_OPEN_LOOP_ONLY: Final = {"seed": 0, "keep_alive": False, "timeout": 30.0, "save": None}
"""Option -> default, for options that Locust's own users don't have."""


def main(arguments: Sequence[str]) -> int:
    """Return only if something is wrong: otherwise this process becomes Locust."""
    options = parser().parse_args(arguments)
    try:
        check_installed()
        if find_spec("locust") is None:
            raise MissingError(f"Locust is not installed: {install_command('lab')}")
        command = locust_command(options)
    except AsyncdemoError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.flush()
    return os.execv(sys.executable, command)


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m asyncdemo.lab.distributed",
        description="Load one server from several machines: a master on one of them, a worker on each.",
        epilog="The master prints what all of them measured together. "
        "Between them nothing asks for a password: use a network that you trust.",
    )
    kinds = command.add_subparsers(required=True, metavar="master | worker", dest="kind")
    master = kinds.add_parser("master", help="waits for the workers, divides the load, merges the results")
    add = master.add_argument
    add("url", metavar="URL", help="http://HOST:PORT/PATH, as the workers reach it")
    add("--workers", type=int, required=True, metavar="N", help="how many workers will connect")
    load = master.add_mutually_exclusive_group(required=True)
    load.add_argument("--rate", type=float, metavar="R", help="open loop: requests per second, in all")
    load.add_argument(
        "--closed-loop", type=int, metavar="C", help="this many of Locust's own users instead, in all"
    )
    add("--duration", type=float, default=30.0, metavar="S", help="seconds of load (default 30)")
    add("--seed", type=int, default=0, metavar="N", help="seed of the arrivals (default 0)")
    add("--keep-alive", action="store_true", help="send many requests on one connection")
    limit = "time limit of a request, from its intended send"
    add("--timeout", type=float, default=30.0, metavar="S", help=limit)
    add("--save", type=Path, metavar="FILE", help="the whole result, as JSON")
    add("--web", type=int, metavar="PORT", help="show Locust's web page there, and stay")
    add("--bind", default="127.0.0.1", metavar="HOST", help="where workers reach it; * for everywhere")
    worker = kinds.add_parser("worker", help="sends its share of the load, as the master says")
    worker.add_argument("master", nargs="?", default="127.0.0.1", metavar="HOST", help="host of the master")
    for kind in (master, worker):
        kind.add_argument(
            "--port", type=int, default=_PORT, metavar="P", help=f"port of the master ({_PORT})"
        )
    return command


def locust_command(options: argparse.Namespace) -> list[str]:
    """Return the words of the command. Raises UsageError."""
    command = [sys.executable, "-P", "-m", f"{__package__}.locust_start", "-f", str(_LOCUSTFILE)]
    port, is_closed = str(options.port), options.kind == "master" and options.closed_loop is not None
    if options.kind == "worker":
        return [*command, "--worker", "--master-host", options.master, "--master-port", port]
    if options.workers < 1:
        raise UsageError(f"--workers is {options.workers}; it must be at least 1")
    idle = [name for name, default in _OPEN_LOOP_ONLY.items() if getattr(options, name) != default]
    if idle and is_closed:
        words = ", ".join(f"--{name.replace('_', '-')}" for name in idle)
        raise UsageError(f"{words}: with --rate only, not with --closed-loop")
    plan = whole_plan(options.url, "", options, clients=options.closed_loop)  # to validate the options
    users = str(options.closed_loop if is_closed else options.workers)
    return [
        *command,
        *("--master", "--master-bind-host", options.bind, "--master-bind-port", port),
        *("--expect-workers", str(options.workers), "--users", users, "--spawn-rate", users),
        *("--host", f"http://{plan.host}:{plan.port}", "--path", plan.sends[0].path),
        *("--duration", f"{options.duration:g}", "--seed", str(options.seed)),
        *("--timeout", f"{options.timeout:g}"),
        *(["--keep-alive"] if options.keep_alive else []),
        *(["--save", str(options.save.absolute())] if options.save else []),
        *(
            ["--headless", "--only-summary"]
            if options.web is None
            else ["--autostart", "--web-host", "127.0.0.1", "--web-port", str(options.web)]
        ),
        *(
            ["--run-time", f"{max(1, round(options.duration))}s", "ClosedLoop"]
            if is_closed
            else ["--rate", f"{options.rate:g}", "OpenLoop"]
        ),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
