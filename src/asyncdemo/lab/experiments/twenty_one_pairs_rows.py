"""The rows of the report on the twenty-one pairs: each figure that the article publishes, with its bound.

Not for: who is measured under what (``twenty_one_pairs``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from asyncdemo.lab.harness.protocol import THROUGHPUT, Asked, Figure, latency
from asyncdemo.lab.results.comparison import Better, Bound, Published
from asyncdemo.lab.results.laws import littles_latency_ms
from asyncdemo.lab.results.published import Article, Table
from asyncdemo.lab.stack import BASE, PAIRS, Configuration, Pair

__all__ = ["BASE_AGAIN", "reconfigured_rows", "result_rows"]

BASE_AGAIN: Final = f"{BASE}-again"
"""The base, measured a second time: it stands in the article's row of the base, whose ratio is 1."""
_COLUMNS: Final = {
    "p50": latency("50"),
    "p99": latency("99"),
    "sessions": Figure("counted.db_sessions", "Database sessions, at most", "", Better.LESS),
}
"""Of the first table, beside the throughput."""


def result_rows(
    article: Article, setting: str, configuration: Configuration, is_pooled: bool, processors: int
) -> Iterator[Asked]:
    """All columns of the first table but the throughput, which the other one has as well."""
    table = article.table("results")
    base = table.row(PAIRS[BASE].row)
    for pair in PAIRS.values():
        row = table.row(pair.row)
        for key, figure in _COLUMNS.items():
            unit = f" {figure.unit}" if figure.unit else ""
            own, of_base = (_number(table, cells, key) for cells in (row, base))
            yield Asked(
                name=pair.row,
                figure=figure,
                arm=_arm(pair),
                base=BASE,
                setting=setting,
                published=Published(f"{own:g} / {of_base:g}{unit}", own / of_base),
                bound=_bound(key, pair, configuration, is_pooled),
                differs=_differs(pair, configuration, processors),
            )


def reconfigured_rows(
    article: Article,
    column: str,
    setting: str,
    configuration: Configuration,
    is_pooled: bool,
    processors: int,
) -> Iterator[Asked]:
    """column: of the table that has the throughput in three settings; "" if none is published."""
    table = article.table("reconfigured")
    for pair in PAIRS.values():
        ratio = _number(table, table.row(pair.row), column) if column else None
        yield Asked(
            name=pair.row,
            figure=THROUGHPUT,
            arm=_arm(pair),
            base=BASE,
            setting=setting,
            published=None if ratio is None else Published(f"{ratio:.2f} times Flask on Gunicorn", ratio),
            bound=_bound("throughput", pair, configuration, is_pooled),
            differs=_differs(pair, configuration, processors),
        )


def _arm(pair: Pair) -> str:
    return BASE_AGAIN if pair.name == BASE else pair.name


def _number(table: Table, row: tuple[str, ...], column: str) -> float:
    value = table.figure(row, column).value
    if value is None:
        raise ValueError(f"{table.key}: {table.name(row)} has no number in {column}")
    return value


def _bound(key: str, pair: Pair, configuration: Configuration, is_pooled: bool) -> Bound | None:
    """What waiting alone would give; of a 99th percentile it says nothing."""
    own, base = (configuration.bound_per_s(is_sync, is_pooled) for is_sync in (pair.is_sync, True))
    if own is None or base is None:
        return None
    words = [configuration.bound_words(is_sync, is_pooled) for is_sync in (pair.is_sync, True)]
    match key:
        case "throughput":
            return Bound(own / base, " over ".join(words))
        case "p50":
            clients = configuration.clients
            latencies = [littles_latency_ms(clients, bound) for bound in (own, base)]
            shown = " over ".join(f"{latency:,.0f} ms" for latency in latencies)
            return Bound(latencies[0] / latencies[1], f"{clients} clients at these bounds: {shown}")
        case "sessions":
            slots = [_most_sessions(configuration, is_sync, is_pooled) for is_sync in (pair.is_sync, True)]
            return Bound(slots[0] / slots[1], f"at most {slots[0]} over at most {slots[1]}")
        case _:
            return None


def _most_sessions(configuration: Configuration, is_sync: bool, is_pooled: bool) -> int:
    limits = [
        configuration.clients,
        *([configuration.workers_sync] if is_sync else []),
        *([configuration.sessions_of(is_sync)] if is_pooled else []),
    ]
    return min(limits)


def _differs(pair: Pair, configuration: Configuration, processors: int) -> tuple[str, ...]:
    workers = configuration.workers(pair.is_sync)
    driver: Mapping[str, tuple[str, ...]] = {"asyncpg": ("asyncpg, not aiopg",)}
    published = 19 if pair.is_sync else 6
    return (
        *driver.get(pair.driver, ()),
        f"{workers} workers on {processors} processors, not {published} on 6",
    )
