"""What Locust loads on the master and on every worker: its users, and the messages between them.

``OpenLoop``, one on each worker, starts our load client as a separate process (it uses asyncio, Locust
gevent), reports every request to Locust, and sends the measurements to the master. ``ClosedLoop`` are
Locust's own users: each sends its next request when the previous one is answered.
Don't import this anywhere else: importing Locust changes the standard library for good.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import gevent
from gevent.event import Event as Signal
from locust import FastHttpUser, User, events, runners
from locust.exception import StopUser

from asyncdemo.lab.distributed.mastering import GO, PLAN, READY, SHARE, Master
from asyncdemo.lab.distributed.shares import Stopwatch, whole_plan
from asyncdemo.load import Client, Plan, Send

_LOOK_S: Final = 0.02
_MASTER_IS_GONE_S: Final = 10
"""Locust's default is a minute."""
_log = logging.getLogger("asyncdemo")


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
                    self._tell(plan.sends[0], watch.hear(event))
                gevent.sleep(_LOOK_S)
            result, failure = client.result, client.failure
        if result is None:
            runner.send_message(SHARE, {"worker": _worker.number, "failure": failure})
        else:
            runner.send_message(SHARE, watch.share(_worker.number, result).to_wire())
        raise StopUser

    tasks = [load]  # noqa: RUF012 (Locust's way)

    def _tell(self, send: Send, ended: tuple[float, str | None] | None) -> None:
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


def _add_options(parser: Any, **_: Any) -> None:
    """Locust sends them to the workers, and shows them in the form on its web page."""
    parser.add_argument("--path", default="/", help="Path")
    parser.add_argument("--rate", type=float, default=100.0, help="Open loop: requests per second, in all")
    parser.add_argument("--duration", type=float, default=30.0, help="Open loop: seconds")
    parser.add_argument("--seed", type=int, default=0, help="Open loop: seed of the arrivals")
    parser.add_argument("--timeout", type=float, default=30.0, help="Open loop: seconds for a request")
    parser.add_argument("--keep-alive", action="store_true", help="Open loop: keep connections")
    parser.add_argument("--save", default="", include_in_web_ui=False, help="File for the whole result")


def _whole(environment: Any) -> Plan:
    options = environment.parsed_options
    return whole_plan(environment.host, options.path, options, traces=False, report=True)


def _init(environment: Any, runner: Any, **_: Any) -> None:
    if isinstance(runner, runners.MasterRunner):
        is_open = OpenLoop in environment.user_classes
        if is_open:
            Master(environment, runner, _whole).listen()
    elif isinstance(runner, runners.WorkerRunner):
        runners.MASTER_HEARTBEAT_TIMEOUT = _MASTER_IS_GONE_S
        runner.register_message(PLAN, _worker.asked)
        runner.register_message(GO, _worker.begin)
    else:
        _log.error("The open loop needs a master and workers: python -m asyncdemo.lab.distributed --help")


events.init_command_line_parser.add_listener(_add_options)
events.init.add_listener(_init)
