"""What to send, how often, and for how long: plain data, with a JSON format."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from asyncdemo.errors import UsageError

ARRIVALS = ("uniform", "poisson")


@dataclass(frozen=True, slots=True)
class Send:
    """One kind of request. Host, Connection, Content-Length and traceparent are added to its headers.

    Attributes:
        method: The method of the request line.
        path: Its path, with the query.
        headers: (name, value) of each.
        body: The body; it may be empty.
    """

    method: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def name(self) -> str:
        """Method and path, without the query."""
        return f"{self.method} {self.path.partition('?')[0]}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A load.

    Set exactly one of clients (closed loop: each sends its next request when the previous one is answered)
    and rate (open loop: requests at this rate, whether or not they are answered), and at least one of
    requests and duration_s.

    Attributes:
        host: A name or an address.
        port: A number from 1 to 65535.
        sends: What to send, in rotation: request n is ``sends[n % len(sends)]``.
        requests: The total number of requests.
        duration_s: No request is due later. Those under way, or due earlier but late, are waited for.
        clients: How many send at the same time, in a closed loop.
        rate: How many requests are due per second, in an open loop.
        arrivals: When requests of an open loop are due: "uniform", or "poisson" (independent of each other,
            like those of many strangers).
        seed: The seed of the Poisson arrivals.
        timeout_s: The time limit of one request, from its intended send.
        keep_alive: Whether a connection serves many requests. If not, ``Connection: close`` is sent, and each
            request has its own.
        traces: Whether every request has a fresh W3C traceparent.
        report: Whether to report every request as it happens.
        keep_answers: With ``report``, how many bytes of each response body to keep.
        cpus: The processors to pin the client to, if the system supports that.

    Raises:
        UsageError: If the plan makes no sense; the message says what to change.
    """

    host: str
    port: int
    sends: tuple[Send, ...]
    requests: int | None = None
    duration_s: float | None = None
    clients: int | None = None
    rate: float | None = None
    arrivals: str = "uniform"
    seed: int = 0
    timeout_s: float = 30.0
    keep_alive: bool = False
    traces: bool = True
    report: bool = False
    keep_answers: int = 0
    cpus: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for wrong, problem in self._problems():
            if wrong:
                raise UsageError(f"load: {problem}")

    def _problems(self) -> tuple[tuple[bool, str], ...]:
        return (
            (not self.host, "host is empty"),
            (not 0 < self.port < 65536, f"port is {self.port}; it must be from 1 to 65535"),
            (not self.sends, "there is nothing to send; give at least one of sends"),
            (
                (self.clients is None) == (self.rate is None),
                "give either clients (how many at the same time) or rate (how many per second)",
            ),
            (self.requests is None and self.duration_s is None, "give requests or duration_s"),
            _too_small("requests", self.requests, least=1),
            _too_small("clients", self.clients, least=1),
            _not_positive("rate", self.rate),
            _not_positive("duration_s", self.duration_s),
            _not_positive("timeout_s", self.timeout_s),
            (
                self.arrivals not in ARRIVALS,
                f"arrivals is {self.arrivals!r}; it must be one of {', '.join(ARRIVALS)}",
            ),
            _too_small("keep_answers", self.keep_answers, least=0),
        )

    def to_json(self) -> str:
        """Return one line of JSON."""
        plan = asdict(self)
        for send in plan["sends"]:
            send["body"] = base64.b64encode(send["body"]).decode()
        return json.dumps(plan)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Parse a plan written by ``to_json``.

        Raises:
            UsageError: If the text is not a plan.
        """
        try:
            plan = json.loads(text)
            plan["sends"] = tuple(_send(send) for send in plan["sends"])
            plan["cpus"] = tuple(plan.get("cpus", ()))
            return cls(**plan)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"load: this is not a plan: {error}") from error


def read_url(text: str) -> tuple[str, int, str]:
    """Return host, port, and path with its query. Raises UsageError if this client cannot load it."""
    try:
        url = urlsplit(text)
        port = 80 if url.port is None else url.port
    except ValueError as error:
        raise UsageError(f"load: {text!r} is not a URL: {error}") from error
    if url.scheme != "http" or not url.hostname:
        raise UsageError(f"load: {text!r} is not a URL that this client knows; it must begin with http://")
    return url.hostname, port, (url.path or "/") + (f"?{url.query}" if url.query else "")


def _send(fields: Mapping[str, Any]) -> Send:
    return Send(
        fields["method"],
        fields["path"],
        tuple((name, value) for name, value in fields.get("headers", ())),
        base64.b64decode(fields.get("body", "")),
    )


def _too_small(name: str, value: int | None, least: int) -> tuple[bool, str]:
    return value is not None and value < least, f"{name} is {value}; it must be at least {least}"


def _not_positive(name: str, value: float | None) -> tuple[bool, str]:
    # `not >` also finds a NaN; infinity would never end
    wrong = value is not None and not 0 < value < float("inf")
    return wrong, f"{name} is {value}; it must be a number above 0"
