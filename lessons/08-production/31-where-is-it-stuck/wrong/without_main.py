"""Leaves out the task of main, which waits, too.

Run it alone with:  python without_main.py

Breaks: for each task that isn't done,
Fault: Task-1 waited in main
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        if task.get_name() == "Task-1":
            continue
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), frame.f_code.co_name, frame.f_lineno)
        places.append(place)
    return places
