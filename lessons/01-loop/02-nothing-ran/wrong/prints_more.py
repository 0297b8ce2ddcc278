"""It prints more than the answers.

Breaks: prints its answer, and nothing else.
Fault: it also printed
"""


async def main() -> None:
    for order in range(1, ORDERS + 1):
        print(handle.__name__, order)
        print(await handle(order))
