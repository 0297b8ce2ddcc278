"""What Locust loads on the master and on every worker: its users, and the messages between them.

On the master, ``Master`` divides the load among the workers, starts them together, and merges their results.
``OpenLoop``, one on each worker, starts our load client as a separate process (it uses asyncio, Locust
gevent), reports every request to Locust, and sends the measurements to the master. ``ClosedLoop`` are
Locust's own users: each sends its next request when the previous one is answered.
Don't import this anywhere else: importing Locust changes the standard library for good.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any, Final

import gevent
from gevent.event import Event as Signal
from locust import FastHttpUser, User, events, runners
from locust.exception import StopUser

from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, AsyncdemoError
from asyncdemo.lab.distributed.shares import (
    Share,
    Stopwatch,
    count_p,
    divide,
    gaps_p,
    merge,
    superpose,
    whole_plan,
)
from asyncdemo.load import Client, Plan, Send
from asyncdemo.load.command import summary

PLAN, READY, GO, SHARE = "asyncdemo plan", "asyncdemo ready", "asyncdemo go", "asyncdemo share"
"""Messages: to a worker, from one, to all, from one."""
_LOOK_S: Final = 0.02
_LOOK_FOR_LOST_S: Final = 0.5
_MASTER_IS_GONE_S: Final = 10
"""Locust's default is a minute."""
_log = logging.getLogger("asyncdemo")


# -- on a worker ----------------------------------------------------------------------------------------


class _Worker:
    """The master's orders for this worker."""

    def __init__(self) -> None:
        self.number = 0
        self.plan: Plan | None = None
        self.go = Signal()

    def asked(self, msg: Any, **_: Any) -> None:
        self.number, self.plan = msg.data["worker"], Plan.from_json(msg.data["plan"])
        self.go.clear()

    def begin(self, **_: Any) -> None:
        self.go.set()

    def take(self) -> Plan | None:
        """Return it only once: if another worker is lost, a second user here must not resend the share."""
        plan, self.plan = self.plan, None
        return plan


_worker = _Worker()


class OpenLoop(User):  # type: ignore[misc]  # Locust's types are left out
    """Poisson arrivals at a share of the rate, whether or not requests are answered."""

    def load(self) -> None:
        plan = _worker.take()
        if plan is None:
            raise StopUser
        runner = self.environment.runner
        watch = Stopwatch(plan)
        with Client(plan, hold=True) as client:
            while not (client.ready or client.finished):
                client.read()
                gevent.sleep(_LOOK_S)
            runner.send_message(READY, {"worker": _worker.number})
            _worker.go.wait()
            client.go()
            while not client.finished:
                for event in client.read():
                    self._report(plan.sends[0], watch.handle(event))
                gevent.sleep(_LOOK_S)
            result, failure = client.result, client.failure
        if result is None:
            runner.send_message(SHARE, {"worker": _worker.number, "failure": failure})
        else:
            runner.send_message(SHARE, watch.share(_worker.number, result).to_wire())
        raise StopUser

    tasks = [load]  # noqa: RUF012 (Locust's way)

    def _report(self, send: Send, ended: tuple[float, str | None] | None) -> None:
        if ended is not None:
            self.environment.events.request.fire(
                request_type=send.method,
                name=f"open loop: {send.path}",
                response_time=ended[0],
                response_length=0,
                exception=ended[1],
                context={},
            )


class ClosedLoop(FastHttpUser):  # type: ignore[misc]
    """Locust's own users. Latency counts from the send, so requests not sent while waiting are missing."""

    def get(self) -> None:
        path = self.environment.parsed_options.path
        self.client.get(path, name=f"closed loop: {path}")

    tasks = [get]  # noqa: RUF012


# -- on the master --------------------------------------------------------------------------------------


class Master:
    """One load after another: each of Locust's tests starts a new one."""

    def __init__(self, environment: Any, runner: Any) -> None:
        self._environment, self._runner = environment, runner
        self._workers: dict[str, int] = {}
        """Locust's name of a worker -> number."""
        self._ready: set[int] = set()
        self._shares: dict[int, Share] = {}
        self._lost: dict[int, str] = {}
        self._is_over = True

    def listen(self) -> None:
        self._runner.register_message(READY, self._is_ready)
        self._runner.register_message(SHARE, self._has_measured)
        self._environment.events.test_start.add_listener(self._begin)
        for event in (self._environment.events.test_stopping, self._environment.events.quitting):
            event.add_listener(self._cut_short)
        gevent.spawn(self._look_for_lost)

    def _begin(self, **_: Any) -> None:
        """Runs before Locust starts the users, so that each finds its plan."""
        workers = [client.id for client in self._runner.clients.ready]
        self._workers = {name: number for number, name in enumerate(workers)}
        self._ready, self._shares, self._lost, self._is_over = set(), {}, {}, False
        self._environment.process_exit_code = None
        if (users := self._runner.target_user_count) != len(workers):
            self._end(f"There are {len(workers)} workers for {users} users; the open loop has one on each.")
            return
        try:
            options = self._environment.parsed_options
            host = self._environment.host
            whole = whole_plan(host, options.path, options, traces=False, report=True)
            plans = divide(whole, len(workers))
        except AsyncdemoError as error:
            self._end(f"{error}")
            return
        for name, number in self._workers.items():
            message = {"worker": number, "plan": plans[number].to_json()}
            self._runner.send_message(PLAN, message, client_id=name)

    def _is_ready(self, msg: Any, **_: Any) -> None:
        self._ready.add(msg.data["worker"])
        if len(self._ready) == len(self._workers):
            self._runner.send_message(GO)

    def _has_measured(self, msg: Any, **_: Any) -> None:
        worker = msg.data["worker"]
        if "failure" in msg.data:
            self._lost[worker] = msg.data["failure"]
        else:
            self._shares[worker] = Share.from_wire(msg.data)
        self._end_if_all_reported()

    def _look_for_lost(self) -> None:
        while True:
            gevent.sleep(_LOOK_FOR_LOST_S)
            there = {client.id for client in self._runner.clients.all if client.state != "missing"}
            for name, number in self._workers.items():
                if not self._is_over and name not in there and number not in self._shares:
                    self._lost.setdefault(number, "it is gone")
            self._end_if_all_reported()

    def _cut_short(self, **_: Any) -> None:
        if not self._is_over:
            self._is_over = True
            _log.error("It was ended before the workers had sent what they measured.")
            self._environment.process_exit_code = EXIT_INTERRUPTED

    def _end_if_all_reported(self) -> None:
        if self._is_over:
            return
        if self._lost and len(self._ready) < len(self._workers):
            self._end("A worker was lost before the load began, so the rate would not be what was asked for.")
        elif len(self._shares.keys() | self._lost.keys()) == len(self._workers):
            self._end()

    def _end(self, problem: str = "") -> None:
        self._is_over = True
        for worker, why in sorted(self._lost.items()):
            problem += f"{' ' if problem else ''}Worker {worker} sent nothing: {why}."
        shares = [self._shares[worker] for worker in sorted(self._shares)]
        if problem:
            _log.error(problem)
            self._environment.process_exit_code = EXIT_FAILED
        if shares:
            sys.stdout.write(share_summary(shares) + "\n")
            sys.stdout.flush()
            if path := self._environment.parsed_options.save:
                _save(Path(path), shares)
        # In a new greenlet, because Locust would end this one.
        gevent.spawn(self._runner.stop if self._environment.web_ui else self._runner.quit)


def share_summary(shares: list[Share]) -> str:
    """Describe what all workers measured together, and whether they sent as requested."""
    sent = superpose(shares)
    rate = sum(share.plan.rate or 0.0 for share in shares)
    expected = rate * (shares[0].plan.duration_s or 0.0)
    counted = f"{len(sent):,}, {expected:,.0f} expected (p = {count_p(len(sent), expected):.2f})"
    gaps = "too few for gaps"
    if len(sent) > 1:
        gaps = f"gaps as of a Poisson stream of {rate:g} per s: p = {gaps_p(sent, rate):.2f}"
    lines = [
        f"Open loop, {len(shares)} worker{'s' * (len(shares) != 1)}, latency from the intended send",
        summary(merge(shares)),
        f"sent       {counted}; {gaps}",
    ]
    return "\n".join(lines)


def _save(path: Path, shares: list[Share]) -> None:
    whole = {"merged": merge(shares).to_json(), "workers": [share.to_json() for share in shares]}
    try:
        path.write_text(json.dumps(whole), encoding="utf-8")
    except OSError as error:
        _log.error("%s cannot be written: %s", path, error.strerror)


def _add_options(parser: Any, **_: Any) -> None:
    """Locust sends them to the workers, and shows them in the form on its web page."""
    parser.add_argument("--path", default="/", help="Path")
    parser.add_argument("--rate", type=float, default=100.0, help="Open loop: requests per second, in all")
    parser.add_argument("--duration", type=float, default=30.0, help="Open loop: seconds")
    parser.add_argument("--seed", type=int, default=0, help="Open loop: seed of the arrivals")
    parser.add_argument("--timeout", type=float, default=30.0, help="Open loop: seconds for a request")
    parser.add_argument("--keep-alive", action="store_true", help="Open loop: keep connections")
    parser.add_argument("--save", default="", include_in_web_ui=False, help="File for the whole result")


def _init(environment: Any, runner: Any, **_: Any) -> None:
    if isinstance(runner, runners.MasterRunner):
        if OpenLoop in environment.user_classes:
            Master(environment, runner).listen()
    elif isinstance(runner, runners.WorkerRunner):
        runners.MASTER_HEARTBEAT_TIMEOUT = _MASTER_IS_GONE_S
        runner.register_message(PLAN, _worker.asked)
        runner.register_message(GO, _worker.begin)
    else:
        _log.error("The open loop needs a master and workers: python -m asyncdemo.lab.distributed --help")


events.init_command_line_parser.add_listener(_add_options)
events.init.add_listener(_init)
