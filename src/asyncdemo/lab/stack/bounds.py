"""What limits the pairs under a configuration, besides their code: waiting, and the processors here."""

from __future__ import annotations

import os

from asyncdemo.lab.harness.machine import choose_pinning
from asyncdemo.lab.results.comparison import THROUGHPUT, Bound, Figure, latency
from asyncdemo.lab.results.configuration import Configuration
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.stack.pairs import Pair


def count_processors() -> int:
    """Count those that the lab may use; the servers are kept off the client's."""
    pinning = choose_pinning()
    return len({*pinning.client, *pinning.server}) or os.cpu_count() or 1


def count_server_processors() -> int:
    return len(choose_pinning().server) or os.cpu_count() or 1


def waiting_bound(
    figure: Figure, configuration: Configuration, pairs: tuple[Pair, Pair], is_pooled: bool
) -> Bound | None:
    """Return what waiting alone would give, the first pair to the second.

    It says nothing about a 99th percentile.
    """
    sides = tuple(pair.is_sync for pair in pairs)
    own, base = (configuration.bound_per_s(side, is_pooled) for side in sides)
    if own is None or base is None:
        return None
    if figure == THROUGHPUT:
        return Bound(own / base, " over ".join(configuration.bound_words(side, is_pooled) for side in sides))
    if figure == latency("50"):
        clients = configuration.clients
        latencies = [littles_latency_ms(clients, bound) for bound in (own, base)]
        shown = " over ".join(f"{latency_ms:,.0f} ms" for latency_ms in latencies)
        return Bound(latencies[0] / latencies[1], f"{clients} clients at these bounds: {shown}")
    if figure == latency("99"):
        return None
    slots = [configuration.slots(side, is_pooled) for side in sides]
    return Bound(slots[0] / slots[1], f"at most {slots[0]} over at most {slots[1]}")


def differing(pair: Pair, configuration: Configuration, processors: int) -> tuple[str, ...]:
    """Return what is not as in the article."""
    workers, published = configuration.workers(pair.is_sync), 19 if pair.is_sync else 6
    driver = ("asyncpg, not aiopg",) if pair.driver == "asyncpg" else ()
    return (*driver, f"{workers} workers on {processors} processors, not {published} on 6")
