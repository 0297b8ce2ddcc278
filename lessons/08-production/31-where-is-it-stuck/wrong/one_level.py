"""Looks one function further than get_stack, and no deeper.

Run it alone with:  python one_level.py

Breaks: If one function awaits another, the innermost one
Fault: that function only waits for one that it has called
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        coroutine: Any = task.get_coro()
        inner = coroutine.cr_await
        if hasattr(inner, "cr_code") and inner.cr_code.co_filename == __file__:
            coroutine = inner
        places.append((task.get_name(), coroutine.cr_code.co_name, coroutine.cr_frame.f_lineno))
    return places
