"""Names a task once for each function that it is in.

Run it alone with:  python every_function.py

Breaks: Each task is named once.
Fault: should name each task once
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                places.append((task.get_name(), frame.f_code.co_name, frame.f_lineno))
    return places
