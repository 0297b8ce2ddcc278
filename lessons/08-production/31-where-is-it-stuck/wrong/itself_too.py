"""Names the task that calls it, too.

Run it alone with:  python itself_too.py

Breaks: except the one that calls stuck,
Fault: which is the one that calls it
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks():
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), frame.f_code.co_name, frame.f_lineno)
        places.append(place)
    return places
