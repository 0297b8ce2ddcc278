"""Every order is handled, but nobody sees the answers.

Breaks: prints its answer, and nothing else.
Fault: was printed 0 times
"""


async def main() -> None:
    for order in range(1, ORDERS + 1):
        await handle(order)
