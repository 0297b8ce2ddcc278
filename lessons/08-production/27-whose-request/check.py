"""What the log of the server must say, in sentences."""

import ast
import random

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.model import Resource, ResourceKind, TrackKind
from asyncdemo.testing.checks import Lane, Seen

NOBODY = ("-", "-")


def check(seen: Seen) -> None:
    requests, threads = int(seen.knobs["REQUESTS"]), int(seen.knobs["THREADS"])
    pictures = 2 * requests
    seen.calls("main").happen(1)
    pool = the_pool_shrinks(seen, threads)
    again = [f"shrink({n})" for n in range(1, threads + 1)]
    named = sorted(lane.name for lane in seen.calls("shrink").lanes)
    wanted = sorted([*(f"shrink({n})" for n in range(1, pictures + 1)), *again])
    seen.expect(
        named == wanted,
        f"Each picture was shrunk once for its request, and the first {threads} once more.",
        f"Each of the {pictures} pictures should be shrunk once for its request, and the first {threads} "
        f"once more, outside any request, by shrink as it is. These calls were made: {', '.join(named)}.",
        at=seen.calls("shrink"),
    )
    seen.expect(
        len(seen.calls("in_pool")) <= pictures,
        "",
        "The pictures that are shrunk again should get to the pool without in_pool. Leave the second half of "
        "main as the exercise has it.",
        at=seen.calls("shrink"),
    )
    shrunk = seen.calls("shrink").all_return().take_at_least(float(seen.knobs["SHRINK_S"]))
    each_line_names_its_request(seen, shrunk.lanes, pictures)
    shrunk.open_is(threads)
    most = most_at_once((slot.start_ns, slot.end_ns) for slot in [*pool.slots, *pool.queue])
    seen.expect(
        most >= pictures,
        "The pool got all pictures of all requests at the same time.",
        f"The pool should get all {pictures} pictures at the same time, to shrink them or to keep them "
        f"waiting; it never had more than {most}.",
        at=seen.calls("shrink"),
    )
    seed = int(seen.knobs["SEED"])
    sizes = [random.Random(seed + picture).randint(10, 999) for picture in range(1, pictures + 1)]
    for lane, size in zip(seen.calls("shrink").lanes, seen.calls("shrink").values, strict=True):
        the_same(seen, size == sizes[number(lane) - 1], "shrink")
    seen.calls("main").return_values([[sizes[n : n + 2] for n in range(0, pictures, 2)]])
    seen.no_warnings()


def the_pool_shrinks(seen: Seen, threads: int) -> Resource:
    shrinks = seen.calls("shrink", "pictures")
    inline = any(seen.run.tracks[lane.track].kind is TrackKind.TASK for lane in shrinks.lanes)
    seen.expect(
        not inline,
        "No picture was shrunk in the thread of the event loop.",
        "Threads of the pool should shrink the pictures; shrink was called in the event loop itself, and "
        "nothing else got a turn.",
        at=shrinks,
    )
    used = [one for one in seen.run.resources if one.kind is ResourceKind.EXECUTOR and one.slots]
    right = [one for one in used if one.limit == threads]
    seen.expect(
        len(used) == 1 == len(right) and len(right[0].slots) == len(shrinks),
        f"The pool shrank all pictures, in {threads} threads.",
        f"The one pool with {threads} threads should shrink all pictures; {pools_words(used)}.",
        at=shrinks,
    )
    return right[0]


def pools_words(used: list[Resource]) -> str:
    each = (f"one with {one.limit} threads got {len(one.slots)} calls" for one in used)
    return ", ".join(each) or "no pool got any call"


def each_line_names_its_request(seen: Seen, shrinks: tuple[Lane, ...], pictures: int) -> None:
    senders = senders_of(seen, pictures // 2)
    lines, done = seen.calls("line", "lines"), set[int]()
    for lane in shrinks:
        picture = number(lane)
        inside = [
            line
            for line in lines.lanes
            if line.track == lane.track and lane.start_ns <= line.start_ns <= lane.end_ns
        ]
        said = [ast.literal_eval(line.name.removeprefix("line")) for line in inside]
        words = f"picture {picture}"
        the_same(seen, len(said) == 1 and len(said[0]) == 3 and said[0][0] == words, "line, log and shrink")
        names, request = said[0][1:], (picture + 1) // 2
        wanted = NOBODY if picture in done else senders[request]
        belongs = "to no request, the second time" if picture in done else f"to request {request}"
        still = (
            " What is set in a thread of a pool stays there, and the next call finds it."
            if picture in done and names in senders.values()
            else ""
        )
        seen.expect(
            names == wanted,
            "",
            f'{words} belongs {belongs}, so its line should be marked "{wanted[0]}" and "{wanted[1]}"; it '
            f'was marked "{names[0]}" and "{names[1]}".{still}',
            at=lines,
        )
        done.add(picture)
    the_same(seen, len(lines) == len(shrinks) == len(seen.calls("log")), "log")
    seen.held.append("Each line was marked with the id and the customer of the request that it belongs to.")


def senders_of(seen: Seen, requests: int) -> dict[int, tuple[str, str]]:
    """By the number of the request."""
    seed = int(seen.knobs["SEED"])
    asked = seen.calls("sender", "questions for the sender").happen(requests).all_return()
    found = {number(lane): value for lane, value in zip(asked.lanes, asked.values, strict=True)}
    wanted = {n: sender(seed, n) for n in range(1, requests + 1)}
    the_same(seen, found == wanted, "sender")
    return found


def sender(seed: int, n: int) -> tuple[str, str]:
    return f"r{random.Random(seed + n).randint(1000, 9999)}", f"c{random.Random(seed - n).randint(100, 999)}"


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")


def number(lane: Lane) -> int:
    """The one argument of the call."""
    return int(lane.name.partition("(")[2].rstrip(")"))


def is_within(lane: Lane, scope: Lane) -> bool:
    return scope.start_ns <= lane.start_ns <= scope.end_ns
