"""The master's part: it divides the load among the workers, starts them together, and merges their results.

Not here: sending requests (see ``locustfile``, on the workers), which alone imports this, after Locust.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import gevent

from asyncdemo.errors import EXIT_FAILED, EXIT_INTERRUPTED, AsyncdemoError
from asyncdemo.lab.distributed.shares import Share, count_p, divided, gaps_p, merged, superposed
from asyncdemo.load import Plan
from asyncdemo.load.command import summary

PLAN, READY, GO, SHARE = "asyncdemo plan", "asyncdemo ready", "asyncdemo go", "asyncdemo share"
"""Messages: to a worker, from one, to all, from one."""
_LOOK_S: Final = 0.5
_log = logging.getLogger("asyncdemo")


class Master:
    """One load after another: each of Locust's tests starts a new one."""

    def __init__(self, environment: Any, runner: Any, whole: Callable[[Any], Plan]) -> None:
        """``whole`` returns the currently requested load, given the environment."""
        self._environment, self._runner, self._whole = environment, runner, whole
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
            plans = divided(self._whole(self._environment), len(workers))
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
        self._end_if_all_told()

    def _look_for_lost(self) -> None:
        while True:
            gevent.sleep(_LOOK_S)
            there = {client.id for client in self._runner.clients.all if client.state != "missing"}
            for name, number in self._workers.items():
                if not self._is_over and name not in there and number not in self._shares:
                    self._lost.setdefault(number, "it is gone")
            self._end_if_all_told()

    def _cut_short(self, **_: Any) -> None:
        if not self._is_over:
            self._is_over = True
            _log.error("It was ended before the workers had sent what they measured.")
            self._environment.process_exit_code = EXIT_INTERRUPTED

    def _end_if_all_told(self) -> None:
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
            sys.stdout.write(told(shares) + "\n")
            sys.stdout.flush()
            if path := self._environment.parsed_options.save:
                _save(Path(path), shares)
        # In a new greenlet, because Locust would end this one.
        gevent.spawn(self._runner.stop if self._environment.web_ui else self._runner.quit)


def told(shares: list[Share]) -> str:
    """Describe what all workers measured together, and whether they sent as requested."""
    sent = superposed(shares)
    rate = sum(share.plan.rate or 0.0 for share in shares)
    expected = rate * (shares[0].plan.duration_s or 0.0)
    counted = f"{len(sent):,}, {expected:,.0f} expected (p = {count_p(len(sent), expected):.2f})"
    gaps = "too few for gaps"
    if len(sent) > 1:
        gaps = f"gaps as of a Poisson stream of {rate:g} per s: p = {gaps_p(sent, rate):.2f}"
    lines = [
        f"Open loop, {len(shares)} worker{'s' * (len(shares) != 1)}, latency from the intended send",
        summary(merged(shares)),
        f"sent       {counted}; {gaps}",
    ]
    return "\n".join(lines)


def _save(path: Path, shares: list[Share]) -> None:
    whole = {"merged": merged(shares).to_json(), "workers": [share.to_json() for share in shares]}
    try:
        path.write_text(json.dumps(whole), encoding="utf-8")
    except OSError as error:
        _log.error("%s cannot be written: %s", path, error.strerror)
