"""Names the orders, and not the tasks that these have started.

Run it alone with:  python only_orders.py

Breaks: for each task that isn't done,
Fault: stuck said nothing of it
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        if not task.get_name().startswith("order"):
            continue
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), frame.f_code.co_name, frame.f_lineno)
        places.append(place)
    return places
