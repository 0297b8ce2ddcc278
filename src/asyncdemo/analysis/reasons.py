"""The reasons why something waits or queues, with the words for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

IN_A_THREAD: Final = "`await asyncio.to_thread(...)`"
_ASYNC_FORM: Final = f"or {IN_A_THREAD} for a call that has no async form."
_CLIENT: Final = f"Use an async client, {_ASYNC_FORM}"
_IMPORT_FIRST: Final = "Import it at the top of the file, so that it's loaded before anything runs."
_PATCH: Final = "Call `gevent.monkey.patch_all()` before anything else is imported, or use gevent's own "
_PATCH_SOCKETS: Final = f"{_PATCH}`gevent.socket`."


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why something waits.

    Attributes:
        waits: What a waiting track does, such as "waits for {}"; {} is the resource that it waits for.
        unnamed: What it waits for, if that is not known.
        for_others: What it does if it is known which other tracks it waits for; {} is those.
        outside: Whether that is time, or something outside the process: such waits may come one after another
            although they need not. Waits for other lanes say nothing about order.
        call: A blocking call that waits for this, in "... held the event loop".
        instead: What to do in a task instead of such a call; "" if only a thread helps.
        instead_in_hub: What to do in a greenlet instead.
    """

    waits: str = ""
    unnamed: str = ""
    for_others: str = ""
    outside: bool = False
    call: str = ""
    instead: str = ""
    instead_in_hub: str = ""


def _between_tasks(noun: str) -> str:
    return f"Between tasks use asyncio's own {noun}; wait for a thread in {IN_A_THREAD}."


def _network(waits: str, call: str = "") -> Reason:
    return Reason(waits, outside=True, call=call, instead=_CLIENT, instead_in_hub=_PATCH_SOCKETS)


def _service(call: str, client: str, instead_in_hub: str = "") -> Reason:
    instead = f"Use {client}, or {IN_A_THREAD} around the call."
    return Reason(outside=True, call=call, instead=instead, instead_in_hub=instead_in_hub)


REASONS: Final[Mapping[str, Reason]] = {
    # time and the system
    "sleep": Reason(
        "sleeps",
        outside=True,
        call="time.sleep",
        instead=f"Use `await asyncio.sleep(...)`, {_ASYNC_FORM}",
        instead_in_hub=f"{_PATCH}`gevent.sleep`.",
    ),
    "timer": Reason(outside=True),
    "subprocess": Reason(
        "waits for a subprocess",
        outside=True,
        call="Waiting for a process",
        instead=f"Use `await asyncio.create_subprocess_exec(...)`, or {IN_A_THREAD}.",
    ),
    "interpreter": Reason(outside=True, call="Waiting for another interpreter"),
    "import": Reason(call="An import", instead=_IMPORT_FIRST, instead_in_hub=_IMPORT_FIRST),
    "i/o": Reason("waits for a file, pipe or socket", outside=True),
    "stdin": Reason("waits for input"),
    "signal": Reason("waits for a signal"),
    "outside Python": Reason("waits outside Python"),
    # the network
    "net.read": _network("waits for data from the network", "A blocking read from the network"),
    "net.write": _network("waits for the network to accept its data", "A blocking write to the network"),
    "net.connect": _network("waits for a connection to be made", "A blocking connect"),
    "net.accept": _network("waits for a client to connect", "A blocking accept"),
    "net.close": _network(""),
    "dns": _network("waits for a name to be looked up", "A blocking name lookup"),
    # services; libraries of others may report any other name
    "redis": _service("A blocking call of a Redis client", "`redis.asyncio`"),
    "s3": _service("A blocking call of an S3 client", "`aioboto3`"),
    "sql": _service(
        "A blocking call of a database client",
        "an async driver (asyncpg, or psycopg's `AsyncConnection`)",
        "`monkey.patch_all()` cannot reach a driver that waits in C: make it cooperate before it "
        "connects (psycopg2: `psycogreen.gevent.patch_psycopg()`), or move the call to a thread.",
    ),
    # a turn at something limited
    "lock": Reason(
        "waits for {}", "a lock", call="Waiting for a thread lock", instead=_between_tasks("lock")
    ),
    "semaphore": Reason(
        "waits for {}",
        "a slot of a semaphore",
        call="Waiting for a thread semaphore",
        instead=_between_tasks("semaphore"),
    ),
    "full queue": Reason(
        "waits for room in {}", "a queue", call="Waiting for a full queue", instead=_between_tasks("queue")
    ),
    "connection pool": Reason(
        "waits for a connection of {}", "a pool", call="Waiting for a connection of a pool"
    ),
    "executor": Reason("waits for a free worker of {}", "an executor", outside=True),
    # others in the process
    "empty queue": Reason(
        "waits for an item of {}",
        "a queue",
        call="Waiting for an empty queue",
        instead=_between_tasks("queue"),
    ),
    "queue.join": Reason("waits until every item of {} is done", "a queue"),
    "event": Reason("waits for an event to be set"),
    "condition": Reason("waits for a condition to be notified"),
    "barrier": Reason("waits for the others at a barrier"),
    "future": Reason(
        "waits for a future to get its result",
        call="Future.result()",
        instead=(
            "Use `await asyncio.wrap_future(...)`, or `await loop.run_in_executor(...)` in place of submit."
        ),
    ),
    "thread": Reason(
        "waits for work in a thread",
        for_others="waits for {} to end",
        outside=True,
        call="Waiting for a thread",
    ),
    "greenlet": Reason(),
    "task": Reason(for_others="awaits {}"),
    "gather": Reason(for_others="awaits {}"),
    "tasks": Reason(for_others="awaits {}"),
    "taskgroup": Reason(for_others="waits for the tasks of its group ({})"),
    "event loop": Reason("runs an event loop"),
    "idle": Reason("waits for work"),
}
_UNKNOWN: Final = Reason()
_OTHER_SERVICE: Final = Reason(outside=True)


def find_reason(name: str) -> Reason:
    """Return what is known of a reason: if it's the name of a service, that this is outside the process."""
    return REASONS.get(name, _OTHER_SERVICE if name else _UNKNOWN)
