"""Goes all the way down: most tasks wait in the same line of asyncio.

Run it alone with:  python lines_of_asyncio.py

Breaks: of this file counts.
Fault: that function isn't in this file
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            place = (task.get_name(), frame.f_code.co_name, frame.f_lineno)
        places.append(place)
    return places
