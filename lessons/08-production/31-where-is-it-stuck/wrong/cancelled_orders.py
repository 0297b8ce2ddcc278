"""Cancels the orders, but not main: the program ends early, and without an error.

Run it alone with:  python cancelled_orders.py

Breaks: all orders are handled in the end.
Fault: was cancelled
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
        if task.get_name().startswith("order"):
            task.cancel()
        places.append(place)
    return places
