"""Names the line at which the function begins.

Run it alone with:  python where_it_begins.py

Breaks: and the number of the line.
Fault: that's the right function, but another line of it
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), frame.f_code.co_name, frame.f_code.co_firstlineno)
        places.append(place)
    return places
