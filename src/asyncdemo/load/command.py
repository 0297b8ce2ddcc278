"""``python -m asyncdemo.load URL``: one load, for people; prints a few lines, or the whole result as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, AsyncdemoError, UsageError
from asyncdemo.load.needed import check_installed
from asyncdemo.load.plan import ARRIVALS, Plan, Send, read_url
from asyncdemo.load.process import run_plan
from asyncdemo.load.result import Result

_NS_IN_MS = 1e6


def run_command(arguments: Sequence[str]) -> int:
    """Print the result, and return the exit code: 1 if any request failed."""
    options = parser().parse_args(arguments)
    try:
        check_installed()
        result = run_plan(plan_of(options))
    except AsyncdemoError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    text = json.dumps(result.to_json()) if options.json else summary(result)
    sys.stdout.write(text + "\n")
    if result.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_FAILED if result.failed else EXIT_OK


def plan_of(options: argparse.Namespace) -> Plan:
    host, port, path = read_url(options.url)
    send = Send(options.method, path, tuple(map(_header, options.header)), _body(options.data))
    requests, clients = options.requests, options.clients
    # only if not given: the plan rejects a 0
    if requests is None and options.duration is None:
        requests = 200
    if clients is None and options.rate is None:
        clients = 10
    return Plan(
        host,
        port,
        (send,),
        requests=requests,
        duration_s=options.duration,
        clients=clients,
        rate=options.rate,
        arrivals="poisson" if options.poisson else "uniform",
        seed=options.seed,
        timeout_s=options.timeout,
        keep_alive=options.keep_alive,
    )


def summary(result: Result) -> str:
    answers = ", ".join(f"{count} × {status}" for status, count in sorted(result.statuses.items()))
    lines = [
        f"requests   {result.requests}, answered {result.answered}" + (f" ({answers})" if answers else ""),
        *(
            f"failed     {count} × {kind}: {result.first_errors[kind]}"
            for kind, count in sorted(result.errors.items())
        ),
        f"time       {result.wall_s:.3f} s, {result.requests_per_s:,.1f} answered a second, at most "
        f"{result.open_at_once} at the same time",
    ]
    if result.answered:
        *named, (_, slowest_ns) = result.percentiles().items()
        words = [f"p{percent:g} {_ms(ns)}" for percent, ns in named]
        lines.append("latency    " + ", ".join([*words, f"slowest {_ms(slowest_ns)}"]))
    if result.connects.count:
        connects = result.connects
        lines.append(
            f"connects   {result.connections}, median {_ms(connects.percentile_ns(50))}, "
            f"slowest {_ms(connects.most_ns)}"
        )
    if result.late_ns.count:
        late = result.late_ns
        lines.append(f"sent late  median {_ms(late.percentile_ns(50))}, p99 {_ms(late.percentile_ns(99))}")
    lines.append(f"client     {result.cpu_s:.3f} s of CPU ({result.engine})")
    if result.interrupted:
        lines.append("note       interrupted: these are the results so far")
    lines += [f"note       {note}" for note in result.notes]
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(
        prog="python -m asyncdemo.load",
        description="Send requests to a server, and measure each from its intended send time.",
    )
    command.add_argument("url", metavar="URL", help="http://HOST:PORT/PATH")
    command.add_argument("-n", "--requests", type=int, metavar="N", help="this many in all (default 200)")
    command.add_argument(
        "--duration", type=float, metavar="S", help="or start requests for this many seconds"
    )
    command.add_argument(
        "-c", "--clients", type=int, metavar="C", help="closed loop: this many at the same time (default 10)"
    )
    command.add_argument(
        "--rate", type=float, metavar="R", help="open loop: this many per second, come what may"
    )
    command.add_argument("--poisson", action="store_true", help=f"{ARRIVALS[1]} arrivals, not {ARRIVALS[0]}")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of --poisson (default 0)")
    command.add_argument(
        "-k", "--keep-alive", action="store_true", help="send many requests on one connection"
    )
    command.add_argument(
        "--timeout",
        type=float,
        default=30.0,
        metavar="S",
        help="time limit of a request, from its intended send",
    )
    command.add_argument("-X", "--method", default="GET", metavar="METHOD", help="default GET")
    command.add_argument("-H", "--header", action="append", default=[], metavar="'NAME: VALUE'")
    command.add_argument("--data", metavar="TEXT", help="the body; @FILE reads it from a file")
    command.add_argument("--json", action="store_true", help="the whole result, with its histograms")
    return command


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise UsageError(f"load: the header {text!r} has no colon; write 'Name: value'")
    return name.strip(), value.strip()


def _body(text: str | None) -> bytes:
    if text is None or not text.startswith("@"):
        return (text or "").encode()
    try:
        return Path(text[1:]).read_bytes()
    except OSError as error:
        raise UsageError(f"load: {text[1:]} cannot be read: {error.strerror}") from error


def _ms(duration_ns: float) -> str:
    duration_ms = duration_ns / _NS_IN_MS
    return f"{duration_ms:.3f} ms" if duration_ms < 10 else f"{duration_ms:,.1f} ms"
