"""Names the coroutine, which several tasks run, and not the task.

Run it alone with:  python name_of_the_coroutine.py

Breaks: it returns a tuple of the task's name,
Fault: which is no task
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        awaited: Any = task.get_coro()
        name = awaited.__name__
        place = (name, "", 0)
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (name, frame.f_code.co_name, frame.f_lineno)
        places.append(place)
    return places
