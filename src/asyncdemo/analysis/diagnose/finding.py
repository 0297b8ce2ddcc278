"""Findings, and the phrases that all of them share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from asyncdemo.model import Site


class FindingKind(StrEnum):
    """Kinds of findings, the most serious first.

    Each value is the name in lower case with hyphens, and part of the JSON contract.

    Attributes:
        MISTAKEN_CALL: The program failed or hung at a call that asyncio can't take; says what was meant.
        DEADLOCK: Threads or tasks wait for each other, or for what its holder never gave back. The message
            says whether anything can end that.
        BLOCKS_THE_LOOP: A step or another callback held the event loop longer than the threshold.
        GIL_HELD_ELSEWHERE: The event loop stood still because another thread kept the GIL.
        NEVER_AWAITED: A coroutine was called, but never awaited.
        LEFT_PENDING: A task was not done when the program's main coroutine was.
        HELD_WHILE_ACQUIRING: A connection of a pool was held while a second one of the same pool was
            requested.
        LEAKED_CONNECTION: A connection was taken from a pool and never given back.
        REFUSED_BY_POOL: A pool had no connection left and turned callers away.
        SEQUENTIAL_AWAITS: Consecutive waits that do not depend on each other.
        UNBOUNDED_FAN_OUT: Very many tasks at the same time, with nothing that limits them.
        POOL_PER_CALL: A connection pool, or a client that has one, was created for each call.
        LIMIT_PER_CALL: A semaphore or lock was created for each call, so that it limits nothing.
        SMALL_POOL: Callers queued for the connections of a pool.
        SATURATED_EXECUTOR: Every worker of an executor was busy while work queued.
        IDLE_LIMIT: A semaphore or lock that never made anyone wait.
        REOPENED_CONNECTIONS: A pool closed connections and opened others in their place.
    """

    MISTAKEN_CALL = "mistaken-call"
    DEADLOCK = "deadlock"
    BLOCKS_THE_LOOP = "blocks-the-loop"
    GIL_HELD_ELSEWHERE = "gil-held-elsewhere"
    NEVER_AWAITED = "never-awaited"
    LEFT_PENDING = "left-pending"
    HELD_WHILE_ACQUIRING = "held-while-acquiring"
    LEAKED_CONNECTION = "leaked-connection"
    REFUSED_BY_POOL = "refused-by-pool"
    SEQUENTIAL_AWAITS = "sequential-awaits"
    UNBOUNDED_FAN_OUT = "unbounded-fan-out"
    POOL_PER_CALL = "pool-per-call"
    LIMIT_PER_CALL = "limit-per-call"
    SMALL_POOL = "small-pool"
    SATURATED_EXECUTOR = "saturated-executor"
    IDLE_LIMIT = "idle-limit"
    REOPENED_CONNECTIONS = "reopened-connections"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the author of the program may want to change.

    Attributes:
        kind: The kind of finding.
        message: What was observed, with figures and the place.
        advice: What to do about it.
        site: The line it is about.
        called_from: The nearest line of the user's own code that led there.
    """

    kind: FindingKind
    message: str
    advice: str
    site: Site | None
    called_from: Site | None


def finding(kind: FindingKind, message: str, advice: str, site: Site | None) -> Finding:
    """Return one about a line that nothing but itself led to."""
    return Finding(kind, message, advice, site, own(site))


def own(site: Site | None) -> Site | None:
    """Return the site if it is in the user's own code, not in an installed package."""
    return None if site is None or site.installed else site


def duration(ns: int) -> str:
    """Format a duration: "0.12 s", "52 ms"."""
    return f"{ns / 1e9:,.2f} s" if ns >= 100_000_000 else f"{ns / 1e6:.0f} ms"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def at(site: Site | None, called_from: Site | None = None) -> str:
    """Return " at client.py:30 in get(), called from app.py:12 in main()"; empty if nothing is known."""
    if site is None:
        return "" if called_from is None else at(called_from)
    words = f" at {_place(site)}"
    if called_from is not None and (called_from.file, called_from.line) != (site.file, site.line):
        words += f", called from {_place(called_from)}"
    return words


def location(site: Site) -> str:
    """Return "bank.py:14"."""
    file = re.split(r"[/\\]", site.file)[-1]
    return f"{file}:{site.line}"


def _place(site: Site) -> str:
    function = site.function.rpartition("<locals>.")[2]
    inside = "" if not function or function.startswith("<") else f" in {function}()"
    return f"{location(site)}{inside}"
