"""What the orders must do, in sentences."""

from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    many, connections = int(seen.knobs["ORDERS"]), int(seen.knobs["CONNECTIONS"])
    orders, pool = seen.calls("order", "orders"), seen.pool("redis")
    # First, because a pool for each order keeps every limit of its own.
    pool.opened_and_closed_once_per_process()
    orders.all_return().happen(many)
    each_product_once(seen, orders, many)
    orders.take_at_least(float(seen.knobs["HOLD_S"]))
    pool.held_exactly(connections).held_in_each(orders).none_leaked()
    left_in_order(seen, orders)
    seen.never_blocked()
    seen.no_warnings()


def product(name: str) -> int:
    """That an order is for, from the call's name: ``order(3)``."""
    return int(name.partition("(")[2].partition(")")[0].partition(",")[0])


def each_product_once(seen: Seen, orders: Calls, many: int) -> None:
    products = [product(lane.name) for lane in orders.lanes]
    missing = [n for n in range(1, many + 1) if n not in products]
    seen.expect(
        not missing,
        "Each product was ordered once.",
        f"There should be one order for each of the products 1 to {many}; there was none for product "
        f"{missing[0] if missing else 0}.",
        at=orders,
    )


def left_in_order(seen: Seen, orders: Calls) -> None:
    """Nobody can know beforehand how many there are of a product."""
    left = {product(lane.name): value for lane, value in zip(orders.lanes, orders.values, strict=True)}
    wanted, results = [left[n] for n in sorted(left)], seen.calls("main").values
    returned = results[0] if results else None
    numbers = returned if isinstance(returned, list) and all(isinstance(n, int) for n in returned) else []
    in_another_order = numbers != wanted and sorted(numbers) == sorted(wanted)
    seen.expect(
        not in_another_order,
        "",
        "main() should return what is left in the order of the products; it returned the right numbers "
        "in another order. It doesn't matter who is done first.",
        at=seen.calls("main"),
    )
    seen.calls("main").return_values([wanted])
