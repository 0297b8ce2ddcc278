"""Laws for any load and its answers, whatever the server: three plain functions of numbers."""

from __future__ import annotations


def littles_latency_ms(clients: float, throughput_per_s: float) -> float:
    """Return the mean latency of a closed loop, in which each client is always waiting for one answer.

    Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961).
    """
    return clients / throughput_per_s * 1000


def bound_per_s(
    delay_ms: float, *, clients: float, slots: float | None = None, workers: float | None = None
) -> float:
    """Return the most requests per second if each waits for delay_ms, however fast the computer is.

    ``slots``: how many may wait for the same thing at a time (sessions, connections, a semaphore).
    ``workers``: how many requests are handled at a time, each to its end. None: no limit.
    """
    return min(limit for limit in (clients, slots, workers) if limit is not None) / delay_ms * 1000


def backlog_s(asked_per_s: float, served_per_s: float, run_s: float) -> float:
    """Return how late the last answer is, if requests keep arriving at a rate and are served in order.

    In run_s there were ``served_per_s * run_s`` answers; the last of them was requested at that number
    divided by asked_per_s, and came at the end.
    """
    return max(0.0, 1 - served_per_s / asked_per_s) * run_s
