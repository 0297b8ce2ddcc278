"""Names the outermost function, the only one that get_stack shows.

Run it alone with:  python outermost.py

Breaks: If one function awaits another, the innermost one
Fault: that function only waits for one that it has called
"""


def stuck() -> list[tuple[str, str, int]]:
    places = []
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        frame = task.get_stack()[-1]
        places.append((task.get_name(), frame.f_code.co_name, frame.f_lineno))
    return places
