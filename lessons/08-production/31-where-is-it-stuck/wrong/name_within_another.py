"""Takes order 1 for named already, once it has named order 10.

Breaks: for each task that isn't done,
Fault: stuck said nothing of it
"""


def stuck() -> list[tuple[str, str, int]]:
    places: list[tuple[str, str, int]] = []
    named = ""  # each task is named once
    for task in sorted(asyncio.all_tasks(), key=asyncio.Task.get_name, reverse=True):
        if task is asyncio.current_task() or task.get_name() in named:
            continue
        named += f"{task.get_name()}\n"
        where: list[tuple[str, int]] = []
        awaited: object = task.get_coro()
        while (frame := getattr(awaited, "cr_frame", None)) is not None:
            if frame.f_code.co_filename == stuck.__code__.co_filename:
                where.append((frame.f_code.co_name, frame.f_lineno))
            awaited = getattr(awaited, "cr_await", None)
        if where:
            places.append((task.get_name(), *where[-1]))
    return places
