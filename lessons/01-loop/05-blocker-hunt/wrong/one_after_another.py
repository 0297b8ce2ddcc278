"""Nothing blocks any more, but the orders are sent off one after another.

Breaks: All orders are still shipped at the same time.
Fault: All 4 calls of postage should be open at one moment
"""


async def main() -> list[str]:
    """Send all orders off at the same time; what ship returned, in order."""
    with socket.create_server(("127.0.0.1", 0)) as office:
        return [await ship(n, office) for n in range(1, ORDERS + 1)]
