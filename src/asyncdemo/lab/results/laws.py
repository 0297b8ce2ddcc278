"""What must hold of a load and its answers, whatever serves them: three laws, as plain functions of numbers.

Not for: judging a reported figure by them (``audit``).
"""

from __future__ import annotations


def littles_latency_ms(clients: float, throughput_per_s: float) -> float:
    """The mean latency of a closed loop, in which each client is always waiting for one answer.

    Little, "A proof for the queuing formula L = λW", Operations Research 9 (1961). Raises ValueError.
    """
    _all_positive(clients=clients, throughput_per_s=throughput_per_s)
    return clients / throughput_per_s * 1000


def bound_per_s(
    delay_ms: float, *, clients: float, slots: float | None = None, workers: float | None = None
) -> float:
    """The most requests per second if each waits for delay_ms, whatever the computer can do.

    slots: how many may wait at once for the same thing (sessions, connections, a semaphore). workers: how
    many requests are taken at once, where each is taken to its end. None: no such limit. Raises ValueError.
    """
    limits = {"clients": clients, "slots": slots, "workers": workers}
    given = {name: limit for name, limit in limits.items() if limit is not None}
    _all_positive(delay_ms=delay_ms, **given)
    return min(given.values()) / delay_ms * 1000


def backlog_s(asked_per_s: float, served_per_s: float, run_s: float) -> float:
    """How late the last answer is, if requests keep coming at a rate and are served in order.

    In run_s there were ``served_per_s * run_s`` answers; the last of them was asked for at that number
    divided by asked_per_s, and came at the end. Raises ValueError.
    """
    _all_positive(asked_per_s=asked_per_s, served_per_s=served_per_s, run_s=run_s)
    return max(0.0, 1 - served_per_s / asked_per_s) * run_s


def _all_positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"{name} is {value}; it must be above 0")
