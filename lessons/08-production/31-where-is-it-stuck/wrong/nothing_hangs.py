"""The orders miss nothing, so nobody waits and there is nothing to tell.

Run it alone with:  python nothing_hangs.py

Breaks: Leave the rest of the file as it is.
Fault: as the exercise has it
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), frame.f_code.co_name, frame.f_lineno)
        places.append(place)
    return places


async def main() -> None:
    async with asyncio.TaskGroup() as group:
        orders: list[Steps] = [{step: asyncio.Event() for step in STEPS} for _ in range(ORDERS)]
        for n, steps in enumerate(orders, 1):
            group.create_task(handle(n, steps), name=f"order {n}")
            for step in STEPS[:5]:
                steps[step].set()
        group.create_task(watchdog(orders), name="watchdog")
