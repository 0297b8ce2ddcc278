"""A task is made for each order, and main ends without waiting for one of them.

Breaks: Make everything run.
Fault: nobody waited for them
"""


async def main() -> None:
    for order in range(1, ORDERS + 1):
        answer = asyncio.create_task(handle(order))
        print(answer)
