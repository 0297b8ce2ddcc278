"""What stuck must say of the tasks, in sentences. Where they really waited was recorded."""

import ast
import random
from pathlib import Path

from asyncdemo.model import Lane, Outcome, State, Track, TrackKind
from asyncdemo.testing.checks import Seen

Place = tuple[str, int]
"""(function, line)"""
Row = tuple[str, str, int]
"""(name of the task, function, line)"""
EXERCISE = Path(__file__).with_name("exercise.py")
KNOBS = {"ORDERS", "SEED"}
STEPS = 6
TAKEN = (2, 5)
"""Of the steps of an order, before the first report: at least, at most."""


def check(seen: Seen) -> None:
    script = Path(seen.run.script)
    nothing_else_is_changed(seen, script)
    asked = reports_of(seen)
    said = [what_is_said(seen, lane) for lane in asked]
    nobody_is_cancelled(seen)
    for n, (lane, places) in enumerate(zip(asked, said, strict=True), 1):
        right = who_waits_where(seen, lane)
        it_looks_again(seen, n, said, right)
        each_place_is_right(seen, script, n, places, right)
        nobody_else_is_named(seen, n, seen.run.tracks[lane.track].name, places, right)
    seen.held.append("Each report named each task that wasn't done, once, and the line that it waited at.")
    the_orders_hang(seen, len(asked))
    seen.calls("handle", "orders").happen(int(seen.knobs["ORDERS"])).all_return()
    seen.never_blocked()
    seen.no_warnings()


def nothing_else_is_changed(seen: Seen, script: Path) -> None:
    """But stuck, the imports and the numbers. What is new may stand beside it."""
    given, now = statements(EXERCISE), statements(script)
    changed = [name for name, text in given.items() if now.get(name) != text]
    seen.expect(
        not changed,
        "",
        f"Leave {' and '.join(changed[:2])} as the exercise has it: only stuck is to be written.",
    )


def statements(file: Path) -> dict[str, str]:
    """What each name at the top of the file stands for, in the end."""
    found: dict[str, str] = {}
    for statement in ast.parse(file.read_text("utf-8")).body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [statement.name]
            if ast.get_docstring(statement) is not None:
                statement.body = statement.body[1:]
        elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = [node.id for one in targets for node in ast.walk(one) if isinstance(node, ast.Name)]
        elif isinstance(statement, ast.If):
            names = ["the end of the file"]
        else:
            continue
        found.update({name: ast.dump(statement) for name in names if name not in KNOBS | {"stuck"}})
    return found


def reports_of(seen: Seen) -> list[Lane]:
    """The calls by the watchdog: the first of all that are made at the same time, if stuck calls itself."""
    first: dict[int, Lane] = {}
    for lane in seen.calls("stuck").lanes:
        first.setdefault(lane.start_ns, lane)
    return list(first.values())


def what_is_said(seen: Seen, lane: Lane) -> list[Row]:
    value = None if lane.result is None else ast.literal_eval(lane.result)
    good = isinstance(value, list) and all(
        isinstance(one, (tuple, list)) and [type(part) for part in one] == [str, str, int] for one in value
    )
    shown = "something that isn't made of these" if lane.result is None else shortened(repr(value))
    seen.expect(
        good,
        "",
        "stuck should return a list of plain tuples, each with the name of a task, a function and the "
        f"number of a line: ('parcel 1', 'pack', 60). It returned {shown}.",
        at=seen.calls("stuck"),
    )
    return [tuple(one) for one in value] if isinstance(value, list) else []


def shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]} ..."


def nobody_is_cancelled(seen: Seen) -> None:
    cancelled = [track.name for track in tasks(seen) if track.outcome is Outcome.CANCELLED]
    seen.expect(
        not cancelled,
        "",
        f"stuck should only look, and all orders should be handled in the end; {''.join(cancelled[:1])} was "
        "cancelled.",
        at=seen.calls("handle"),
    )


def it_looks_again(seen: Seen, n: int, said: list[list[Row]], right: dict[str, Place]) -> None:
    now = sorted(said[n - 1])
    seen.expect(
        n == 1
        or now != sorted(said[n - 2])
        or now == sorted((name, *place) for name, place in right.items()),
        "",
        f"stuck should look again each time; report {n} says the same as the one before, though orders have "
        "gone on.",
    )


def each_place_is_right(seen: Seen, script: Path, n: int, said: list[Row], right: dict[str, Place]) -> None:
    lines = script.read_text("utf-8").splitlines()
    for name, place in right.items():
        places = [(function, line) for one, function, line in said if one == name]
        if len(places) > 1:
            fault = f"stuck should name each task once; in report {n} it named {name} {len(places)} times."
        else:
            function, line = place
            renamed = [repr(one) for one, *where in said if one not in right and tuple(where) == place]
            nothing = f"that of {renamed[0]}, which is no task" if renamed else "nothing of it"
            instead = said_instead(places[0], place) if places else nothing
            fault = (
                f"In report {n}, {name} waited in {function}, at line {line}: {lines[line - 1].strip()} — "
            )
            fault += f"stuck said {instead}."
        seen.expect(places == [place], "", fault)


def nobody_else_is_named(seen: Seen, n: int, asking: str, said: list[Row], right: dict[str, Place]) -> None:
    more = min((name for name, *_ in said if name not in right), default=None)
    known = more in {track.name for track in tasks(seen)}
    why = "was done by then" if known else "is the name of no task"
    seen.expect(
        more is None,
        "",
        f"stuck should name the tasks that aren't done, except the one that calls it; report {n} has "
        f"{more!r}, which {'is the one that calls it' if more == asking else why}.",
    )


def who_waits_where(seen: Seen, lane: Lane) -> dict[str, Place]:
    """As the tracer has it, at that moment; of all tasks but the one that asks, main's last."""
    found: dict[str, Place] = {}
    for track in sorted(tasks(seen), key=lambda track: track.function == "main"):
        for span in track.spans:
            site = span.wait.site
            now = span.start_ns < lane.start_ns <= span.end_ns and span.state is State.WAITING
            if now and site and track.index != lane.track:
                found[track.name] = site.function, site.line
    return found


def the_orders_hang(seen: Seen, times: int) -> None:
    wanted = reports(int(seen.knobs["SEED"]), int(seen.knobs["ORDERS"]))
    seen.expect(
        times >= wanted,
        f"There were {times} reports.",
        "stuck should only look, and let the watchdog make the orders go on. Then they hang for "
        f"{wanted} reports; there {'were' if times > 1 else 'was'} {times}.",
        at=seen.calls("handle"),
    )


def tasks(seen: Seen) -> list[Track]:
    return [track for track in seen.run.tracks if track.kind is TrackKind.TASK and not track.own]


def said_instead(place: Place, right: Place) -> str:
    function, line = place
    words = f"{function!r}, line {line}"
    functions = statements(EXERCISE)
    if line == right[1]:
        return f"{words}; that line is in another function"
    if function == right[0]:
        return f"{words}; that's the right function, but another line of it"
    if function in functions:
        return f"{words}; that function only waits for one that it has called"
    return f"{words}; that function isn't in this file"


def reports(seed: int, orders: int) -> int:
    """One for each step that an order misses: as many as that order needs which misses the most."""
    chance = random.Random(seed)
    return STEPS - min(len(chance.sample(range(STEPS), chance.randint(*TAKEN))) for _ in range(orders))
