"""Five bookings at the same time, and one of them fails: what becomes of its siblings?

Predict which bookings go on, and until when:  python gathered.py
"""

import asyncio

BOOKINGS = 5
FAIL_AT = 2
STEP_S = 0.2
LATER_S = 1.2

paid: list[int] = []


class SoldOutError(Exception):
    """There is no place left."""


async def book(n: int) -> None:
    """The higher n is, the longer it takes. What is booked has to be paid for."""
    await asyncio.sleep(n * STEP_S)
    if n == FAIL_AT:
        raise SoldOutError(f"booking {n} is sold out")
    paid.append(n)


async def plan_trip() -> None:
    """All or nothing: if one booking fails, the others are of no use."""
    await asyncio.gather(*(book(n) for n in range(1, BOOKINGS + 1)))


async def main() -> None:
    try:
        await plan_trip()
        print("the trip is planned")
    except SoldOutError as error:
        print("no trip:", error)
    await asyncio.sleep(LATER_S)
    print("paid for:", *paid)


if __name__ == "__main__":
    asyncio.run(main())
