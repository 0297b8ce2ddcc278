"""What the orders must do, in sentences."""

from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    orders, connections, stock = (int(seen.knobs[name]) for name in ("ORDERS", "CONNECTIONS", "STOCK"))
    calls, pool = seen.calls("order", "orders"), seen.pool("redis")
    # First, because a pool for each order keeps every limit of its own.
    pool.opened_and_closed_once_per_process()
    calls.all_return().happen(orders)
    calls.take_at_least(float(seen.knobs["HOLD_S"]))
    pool.held_exactly(connections).none_leaked()
    left = [stock + n - 1 for n in range(1, orders + 1)]
    calls.return_values_in_any_order(left)
    seen.calls("main").return_values([left])
    seen.never_blocked()
    seen.no_warnings()
