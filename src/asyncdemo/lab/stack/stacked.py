"""A pair as a contestant of the stack, and a configuration as a setting.

Not here: the pairs and configurations (see ``pairs``, ``configuration``), or report rows (``experiments``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from asyncdemo.errors import ServiceError
from asyncdemo.lab.harness import Knobs, NotStarted
from asyncdemo.lab.harness.checks import answer_check
from asyncdemo.lab.harness.environments import Tell, tell_nobody
from asyncdemo.lab.harness.launching import Running
from asyncdemo.lab.harness.machine import keep_to, running_on
from asyncdemo.lab.harness.protocol.description import Check, Condition, Contestant, Count, Scene, Seen, When
from asyncdemo.lab.harness.served_app import ServedApp
from asyncdemo.lab.results.configuration import Configuration
from asyncdemo.lab.results.setup import Arm, Loop, Model, Setting
from asyncdemo.lab.stack.pairs import Pair
from asyncdemo.lab.stack.start import ROWS, Stack
from asyncdemo.load import Send

SEND: Final = Send("GET", "/row")
_TIMEOUT_S: Final = 10.0
"""For a request; the slowest that the bounds predict takes less than 1 s."""


@dataclass(frozen=True, slots=True)
class Stacked:
    """A ``Startable`` that runs behind nginx and reaches its database through pgbouncer."""

    stack: Stack
    served: ServedApp
    is_sync: bool

    @property
    def name(self) -> str:
        return self.served.name

    def start(self, knobs: Knobs) -> Running:
        """``knobs`` are a ``Configuration``'s and the app's. Raises NotStarted, Unavailable, UsageError."""
        rest = dict(knobs)
        numbers = {name: int(rest.pop(name)) for name in ("workers_sync", "workers_async")}
        workers = numbers["workers_sync" if self.is_sync else "workers_async"]
        sessions = (
            int(rest.pop("sessions_per_worker")) * workers
            if "sessions_per_worker" in rest
            else int(rest.pop("sessions"))
        )
        try:
            self.stack.limit_sessions(sessions)
        except ServiceError as error:
            raise NotStarted(str(error)) from error
        # Start workers on all processors, which takes half the time on two, and then restrict them to theirs.
        with running_on(self.stack.processors) as own:
            server = self.served.start({**rest, "workers": workers})
        keep_to(own, server.pids())
        server.stand_behind(self.stack.port, self.stack.died)
        return server


def contestant(
    stack: Stack, pair: Pair, apps: Path, tell: Tell = tell_nobody, rounds: int | None = None
) -> Contestant:
    """``apps`` is the folder with ``pair.app``. ``rounds`` limits in how many rounds it takes part."""
    port = stack.server_port
    served = ServedApp(
        pair.name,
        pair.program,
        apps / pair.app,
        pair.packages,
        pair.environment,
        tell=tell,
        free_port=lambda: port,
    )
    arm = Arm(
        pair.name,
        pair.title,
        pair.program.model,
        pair.framework,
        pair.program.title,
        versions=served.own_versions,
        notes=(*pair.program.notes, f"Driver: {pair.driver}."),
    )
    knobs = {"greenlets": pair.greenlets} if pair.greenlets else {}
    return Contestant(arm, Stacked(stack, served, pair.is_sync), knobs, rounds=rounds)


def condition(
    stack: Stack,
    name: str,
    title: str,
    configuration: Configuration,
    arms: tuple[str, ...] = (),
    rounds: int | None = None,
    in_full: bool = True,
) -> Condition:
    """Make a closed loop of its clients. ``in_full`` adds the check that needs its own visit beforehand."""
    setting = Setting(name, title, Loop.CLOSED, (), clients=configuration.clients, timeout_s=_TIMEOUT_S)
    # a master process does not answer
    answering = _set_check("workers", lambda scene: len(scene.started.workers()), configuration.workers)
    checks = [row_check(stack), answering]
    if pooler := stack.pooler:
        allowed = _set_check(
            "sessions that pgbouncer allows", lambda _: pooler.allowed(), configuration.sessions_of
        )
        checks.append(allowed)
    if in_full:
        checks.append(_sessions_check(stack, configuration))
    return Condition(
        setting,
        (SEND,),
        knobs=configuration.knobs,
        arms=arms,
        checks=tuple(checks),
        counts=(Count("db_sessions", lambda _: _sessions(stack)),),
        rounds=rounds,
    )


def _sessions(stack: Stack) -> float:
    """Return 0 if the stack has died: the trial reports that itself a moment later."""
    try:
        return stack.sessions()
    except ServiceError:
        return 0.0


def row_check(stack: Stack) -> Check:
    """Expect a table row as JSON, through nginx if present: only nginx names itself as the server."""
    headers = {"content-type": "application/json", **({"server": "nginx"} if stack.proxy else {})}
    return answer_check(SEND, "a row of the table", is_row, headers=headers)


def is_row(body: bytes) -> bool:
    """Check that the row holds a number and the digest of its digits."""
    try:
        row = json.loads(body)
        number = int(row["a"])
    except (ValueError, KeyError, TypeError):
        return False
    digest = hashlib.md5(str(number).encode(), usedforsecurity=False).hexdigest()
    return 1 <= number <= ROWS and row == {"a": f"{number:010}", "b": digest}


def _is_sync(scene: Scene) -> bool:
    return scene.arm.model is Model.PROCESSES


def _set_check(what: str, count: Callable[[Scene], int], asked: Callable[[bool], int]) -> Check:
    """``asked`` is the configuration's number for a sync server, or another."""

    def look(scene: Scene) -> Seen:
        there, wanted = count(scene), asked(_is_sync(scene))
        return Seen(f"{there} for {wanted}", there == wanted)

    return Check(what, "as many as are set", look, always=True)


def _sessions_check(stack: Stack, configuration: Configuration) -> Check:
    """A sync server has one for each worker, if the limit allows; the others have at most the limit."""

    def look(scene: Scene) -> Seen:
        there, limit = int(stack.sessions()), configuration.sessions_of(_is_sync(scene))
        if _is_sync(scene):
            limit = min(limit, configuration.workers_sync)
        return Seen(f"{there} of {limit}", 0 < there <= (limit if stack.pooler else there))

    return Check("sessions with PostgreSQL", "some, and no more than are allowed", look, When.LOADED)
