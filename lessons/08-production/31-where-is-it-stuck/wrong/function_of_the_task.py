"""The line is right, and the function is the one that the task was made of.

Run it alone with:  python function_of_the_task.py

Breaks: the function that waits,
Fault: that line is in another function
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        place = (task.get_name(), "", 0)
        awaited: Any = task.get_coro()
        function = awaited.__name__
        while hasattr(awaited, "cr_await"):
            frame, awaited = awaited.cr_frame, awaited.cr_await
            if frame.f_code.co_filename == __file__:
                place = (task.get_name(), function, frame.f_lineno)
        places.append(place)
    return places
