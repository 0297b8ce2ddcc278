"""Keeps each task that it has ever seen, and names those that are done, too.

Run it alone with:  python done_too.py

Breaks: for each task that isn't done,
Fault: which was done by then
"""

seen: dict[str, tuple[str, str, int]] = {}


def stuck() -> list[tuple[str, str, int]]:
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), frame.f_code.co_name, frame.f_lineno)
        seen[task.get_name()] = place
    return list(seen.values())
