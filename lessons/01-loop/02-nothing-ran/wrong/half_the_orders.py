"""The last order is never handled.

Breaks: main passes each order to handle, once
Fault: order 4 never got there
"""


async def main() -> None:
    for order in range(1, ORDERS):
        answer = await handle(order)
        print(answer)
