"""What to send, how often, and for how long: plain data, which travels as JSON.

Not for: when each request is due (``schedule``) or sending it (``engine``).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

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

    Exactly one of clients (closed loop: each sends its next request when the last is answered) and rate
    (open loop: so many a second, whether or not there are answers); one or both of requests and duration_s.

    Attributes:
        host: A name or an address.
        port: A number from 1 to 65535.
        sends: What to send, in rotation: request n is ``sends[n % len(sends)]``.
        requests: How many to send in all.
        duration_s: No request is due later. Those that are under way, or were due and are late, are waited
            for.
        clients: How many send at the same time, in a closed loop.
        rate: How many requests are due in a second, in an open loop.
        arrivals: When requests of an open loop are due: "uniform", or "poisson", which is independent of each
            other, as those of many strangers are.
        seed: The seed of the Poisson arrivals.
        timeout_s: The time limit of one request, from its intended send.
        keep_alive: Whether a connection serves many requests. If not, ``Connection: close`` is sent, and each
            request has its own.
        traces: Whether every request has a fresh W3C traceparent.
        report: Whether to tell of every request as it happens.
        keep_answers: With ``report``, how many bytes of each response body to keep.
        cpus: The processors to pin the client to, where the system can.

    Raises:
        UsageError: If the plan makes no sense; the text says what to change.
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
                "give either clients (so many at once) or rate (so many a second)",
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
        """One line."""
        plan = asdict(self)
        for send in plan["sends"]:
            send["body"] = base64.b64encode(send["body"]).decode()
        return json.dumps(plan)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The plan that ``to_json`` wrote.

        Raises:
            UsageError: If the text is no plan.
        """
        try:
            plan = json.loads(text)
            plan["sends"] = tuple(_send(send) for send in plan["sends"])
            plan["cpus"] = tuple(plan.get("cpus", ()))
            return cls(**plan)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"load: this is no plan: {error}") from error


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
