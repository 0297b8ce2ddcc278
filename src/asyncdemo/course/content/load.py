"""The load for the servers of a lesson, as described in the table ``[load]`` of its manifest.

Not here: sending it (see ``load``), or the server (see ``serving``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from asyncdemo.course.content.bodies import file_body, json_body
from asyncdemo.course.content.manifest import Knobs, Table
from asyncdemo.errors import UsageError

if TYPE_CHECKING:
    from asyncdemo.load.plan import Plan

_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
_ARRIVALS: Final = ("uniform", "poisson")
_HOST, _PORT = "127.0.0.1", 1
"""Placeholders until the server's address is known."""

Amount = float | str
"""A number, or the name of a knob of the load."""


@dataclass(frozen=True, slots=True)
class Sending:
    """One kind of request, sent ``times`` times in a row before the next kind.

    ``status`` is the status that the response must have; None: any that is not an error.
    """

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    times: Amount = 1
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """The load. ``sends`` rotate.

    Attributes:
        knobs: The constants of the load, as written.
        clients: How many send at the same time, each as soon as it has its response (a closed loop).
        rate: Requests per second, whatever the server does (an open loop).
        requests: How many in total; or ``duration_s``.
        workers: How many worker processes must be running before anything is sent; or the script's constant.
    """

    sends: tuple[Sending, ...]
    knobs: Knobs
    clients: Amount | None = None
    rate: Amount | None = None
    requests: Amount | None = None
    duration_s: Amount | None = None
    arrivals: str = "uniform"
    seed: int = 0
    timeout_s: Amount = 30.0
    keep_alive: bool = False
    workers: int | str = 0

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the requests, each once, without the query."""
        return tuple(dict.fromkeys(sending.path.partition("?")[0] for sending in self.sends))

    def plan(self, knobs: Knobs, keep_answers: int = 0) -> Plan:
        """Return the plan for the load client, without the server's port.

        ``knobs`` has their values in this run; missing ones are as written. ``keep_answers`` is how many
        bytes of each response's body to keep. Raises UsageError if nothing is left to send.
        """
        from asyncdemo.load.plan import Plan, Send

        values = {**self.knobs, **knobs}

        def amount(given: Amount | None) -> float | None:
            return float(values[given]) if isinstance(given, str) else given

        def whole(given: Amount | None) -> int | None:
            number = amount(given)
            return None if number is None else round(number)

        sends = [
            Send(sending.method, sending.path, sending.headers, sending.body)
            for sending in self.sends
            for _ in range(whole(sending.times) or 0)
        ]
        if not sends:
            raise UsageError("With these knobs nothing would be sent: no request has a turn.")
        return Plan(
            host=_HOST,
            port=_PORT,
            sends=tuple(sends),
            requests=whole(self.requests),
            duration_s=amount(self.duration_s),
            clients=whole(self.clients),
            rate=amount(self.rate),
            arrivals=self.arrivals,
            seed=self.seed,
            timeout_s=amount(self.timeout_s) or 0.0,
            keep_alive=self.keep_alive,
            report=True,
            keep_answers=keep_answers,
        )


def read_load(table: Table) -> Load:
    """Read the table ``[load]`` of a lesson or an exercise. Raises CourseError with file and field."""
    knobs = table.values("knobs")
    for name, value in knobs.items():
        if not re.fullmatch("[A-Z][A-Z0-9_]*", name) or isinstance(value, bool | str):
            raise table.error("knobs", f"{name} = {value!r} must be: a name in capitals = a number")
    load = Load(
        sends=table.each("sends", lambda entry: _sending(entry, knobs)),
        knobs=knobs,
        clients=_amount(table, "clients", knobs, least=1),
        rate=_amount(table, "rate", knobs),
        requests=_amount(table, "requests", knobs, least=1),
        duration_s=_amount(table, "duration_s", knobs),
        arrivals=table.choice("arrivals", _ARRIVALS, "uniform"),
        seed=table.whole("seed", 0),
        timeout_s=_amount(table, "timeout_s", knobs) or 30.0,
        keep_alive=table.flag("keep_alive", False),
        workers=_workers(table),
    )
    if not load.sends:
        raise table.error("sends", "are missing; a load sends at least one request")
    if (load.clients is None) == (load.rate is None):
        raise table.error("clients", "give either clients (a closed loop) or rate (an open loop)")
    if (load.requests is None) == (load.duration_s is None):
        raise table.error("requests", "give either requests (how many in all) or duration_s")
    if load.rate is None and load.arrivals != "uniform":
        raise table.error("arrivals", "belong to a rate: clients send when they have their answer")
    _refuse_idle(table, load)
    table.close()
    return load


def _workers(table: Table) -> int | str:
    given = table.number_or_text("workers", None)
    if isinstance(given, str):
        if not given.isupper():
            raise table.error("workers", f"must be a number, or a constant of the scripts, not {given!r}")
        return given
    if given is not None and (not isinstance(given, int) or given < 0):
        raise table.error("workers", f"must be a whole number, not {given:g}")
    return given or 0


def _refuse_idle(table: Table, load: Load) -> None:
    if not any(load.knobs.get(s.times) if isinstance(s.times, str) else s.times for s in load.sends):
        raise table.error("sends", "send nothing: times is 0 for each of them")
    used = [load.clients, load.rate, load.requests, load.duration_s, load.timeout_s]
    used += [sending.times for sending in load.sends]
    for name in load.knobs:
        if name not in used:
            raise table.error("knobs", f"{name} is not used in the load")


def _sending(entry: Table, knobs: Mapping[str, object]) -> Sending:
    path = entry.text("path")
    if not re.fullmatch(r"/[!-~]*", path):
        raise entry.error("path", f"must begin with / and be ASCII without spaces, not {path!r}")
    content_type, body = _body(entry)
    headers = [(name, str(value)) for name, value in entry.values("headers").items()]
    if content_type and all(name.lower() != "content-type" for name, _ in headers):
        headers.append(("Content-Type", content_type))
    times = _amount(entry, "times", knobs, least=0)
    return Sending(
        method=entry.choice("method", _METHODS, "GET"),
        path=path,
        headers=tuple(headers),
        body=body,
        times=1 if times is None else times,
        status=_status(entry),
    )


def _status(entry: Table) -> int | None:
    status = entry.whole("status", 0)
    if status and not 200 <= status < 600:
        raise entry.error("status", f"must be 200 to 599, not {status}")
    return status or None


def _body(entry: Table) -> tuple[str, bytes]:
    """Return (content type, body), both empty if none is given."""
    data, text, file = entry.anything("json"), entry.text("body", ""), entry.table("file")
    if sum((data is not None, bool(text), file is not None)) > 1:
        raise entry.error("body", "give one of json, body and file")
    if data is not None:
        try:
            return json_body(data)
        except TypeError as error:
            raise entry.error("json", f"cannot be written as JSON: {error}") from None
    if file is not None:
        size = file.whole("bytes")
        if not 0 < size <= 1 << 26:
            raise file.error("bytes", f"must be 1 to {1 << 26}, not {size}")
        body = file_body(file.text("field"), file.text("name"), size)
        file.close()
        return body
    return ("text/plain; charset=utf-8", text.encode()) if text else ("", b"")


def _amount(table: Table, field: str, knobs: Mapping[str, object], least: int | None = None) -> Amount | None:
    """Return a number, or a knob's name. ``least``: the minimum of whole numbers; None: any above 0."""
    given = table.number_or_text(field, None)
    if given is None:
        return None
    if isinstance(given, str) and given not in knobs:
        known = _listed(tuple(knobs))
        raise table.error(field, f"must be a number or a knob of the load ({known}), not {given!r}")
    value = knobs[given] if isinstance(given, str) else given
    assert isinstance(value, int | float)
    if value <= 0 if least is None else (value < least or not isinstance(value, int)):
        what = f"{given}, which is {value:g}," if isinstance(given, str) else f"{value:g}"
        wanted = "above 0" if least is None else f"a whole number, {least} or more"
        raise table.error(field, f"must be {wanted}; {what} is not")
    return given


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "it has none"
