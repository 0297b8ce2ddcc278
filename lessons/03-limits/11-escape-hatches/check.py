"""What the counting must do, in sentences."""

from itertools import compress

from asyncdemo.analysis.metrics import blocking_steps, most_at_once
from asyncdemo.model import Resource, ResourceKind, TrackKind
from asyncdemo.testing.checks import Seen

STARTING = ("outside Python", "gil")
"""Why a step is long that starts a worker, or that the pool's own thread delays. Nobody can help that."""


def check(seen: Seen) -> None:
    requests, workers, limit = (int(seen.knobs[name]) for name in ("REQUESTS", "WORKERS", "LIMIT"))
    answers = seen.calls("answer", "answers")
    answers.happen(requests)
    computed_elsewhere(seen)
    pool = one_pool(seen, workers)
    the_pool_did_it(seen, pool)
    loop_goes_on(seen)
    answers.all_overlap()
    most = most_in_use(pool)
    seen.expect(
        most >= workers,
        "All workers were in use at the same time.",
        f"All {workers} workers of the pool should be in use at the same time; "
        f"there were never more than {most}.",
        at=answers,
    )
    heart_is_open(seen)
    wanted = {n: limit // n for n in range(1, requests + 1)}
    for n in range(1, requests + 1):
        answers.only(f"answer({n})", f"answer({n}, ...)").return_values([primes_below(wanted[n])])
    seen.calls("main").return_values([[primes_below(below) for below in wanted.values()]])
    seen.no_warnings()


def computed_elsewhere(seen: Seen) -> None:
    """What a worker process calls is not recorded. So each recorded call was made in this process."""
    here = seen.calls("primes_below")
    where = ""
    for lane in here.lanes:
        if seen.run.tracks[lane.track].kind is TrackKind.TASK:
            where = "in the event loop itself. While it computes there, nothing else gets a turn"
            break
        where = (
            "in a thread of the event loop's own process. Its threads share one interpreter, and only one of "
            "them computes at a time"
        )
    seen.expect(
        not len(here),
        "No prime was counted in the process of the event loop.",
        f"The counting should be done by processes of a pool; primes_below was called {where}.",
        at=seen.calls("answer"),
    )


def one_pool(seen: Seen, workers: int) -> Resource:
    """Threads have pools, too (asyncio.to_thread uses one): only a pool of processes has such a thread."""
    pools = [one for one in seen.run.resources if one.kind is ResourceKind.EXECUTOR and one.slots]
    managers = sum(track.function.startswith("_ExecutorManagerThread.") for track in seen.run.tracks)
    seen.expect(
        managers > 0,
        "The work was handed to a pool of processes.",
        "The counting should be done by processes of a pool; no such pool was ever given any work.",
        at=seen.calls("answer"),
    )
    seen.expect(
        managers == 1,
        "All requests shared one pool.",
        f"All requests should share one pool; {managers} were made{line_of(pools)}. Each has its "
        "own workers, which are started for it and ended after it.",
        at=seen.calls("answer"),
    )
    right = [one for one in pools if one.limit == workers]
    seen.expect(
        bool(right),
        f"The pool has {workers} workers.",
        f"The pool should have as many workers as WORKERS says, {workers}; it has {pools[0].limit}"
        f"{line_of(pools)}.",
        at=seen.calls("answer"),
    )
    return max(right, key=most_in_use)


def the_pool_did_it(seen: Seen, pool: Resource) -> None:
    """Neither before the requests nor beside the pool: while one is open, the pool is at work."""
    answers, main = seen.calls("answer").lanes, seen.calls("main").happen(1).lanes[0]
    before_ns = main.start_ns - min(track.start_ns for track in seen.run.tracks)
    start_ns, end_ns = min(lane.start_ns for lane in answers), max(lane.end_ns for lane in answers)
    busy_ns, until_ns = 0, start_ns
    for slot in sorted([*pool.slots, *pool.queue], key=lambda slot: slot.start_ns):
        busy_ns += max(0, slot.end_ns - max(slot.start_ns, until_ns))
        until_ns = max(until_ns, slot.end_ns)
    where = "" if busy_ns > 0.7 * (end_ns - start_ns) else "while the requests were open"
    if before_ns > busy_ns:
        where = "before main began"
    seen.expect(
        not where and len(pool.slots) == len(answers),
        "The pool did the counting, one piece of work for each request.",
        f"The pool should do the counting, as one piece of work for each of the {len(answers)} requests; "
        + (f"something else went on {where}." if where else f"it got {len(pool.slots)} pieces of work."),
        at=seen.calls("answer"),
    )


def heart_is_open(seen: Seen) -> None:
    heart, answers = seen.calls("heart").happen(1).lanes[0], seen.calls("answer").lanes
    ended = max(answers, key=lambda lane: lane.end_ns)
    first = min(answers, key=lambda lane: lane.end_ns)
    seen.expect(
        heart.start_ns <= first.end_ns,
        "The heart beat while requests were open.",
        f"The heart should beat while the requests are open; it started when {first.name} had ended.",
        at=seen.calls("heart"),
    )
    seen.expect(
        heart.end_ns >= ended.end_ns,
        "The heart beat until the last answer.",
        f"The heart should beat until all requests are answered; it ended before {ended.name} did.",
        at=seen.calls("heart"),
    )


def most_in_use(pool: Resource) -> int:
    return most_at_once((slot.start_ns, slot.end_ns) for slot in pool.slots)


def loop_goes_on(seen: Seen) -> None:
    """A step that waits for a result lasts as long as the computing, on a fast machine too."""
    answers = seen.calls("answer")
    end_ns = max(lane.end_ns for lane in answers.lanes)
    steps = [
        step for step in blocking_steps(seen.run) if step.start_ns < end_ns and step.reason not in STARTING
    ]
    worst = max(steps, key=lambda step: step.held_ns, default=None)
    what = "it computed" if worst is None or not worst.reason else "it waited"
    line = f" at line {worst.site.line}" if worst is not None and worst.site is not None else ""
    seen.expect(
        worst is None,
        "The event loop went on while the workers computed.",
        f"The event loop should go on while the workers compute; {what}{line}, and nothing else got a turn.",
        at=answers,
    )


def line_of(pools: list[Resource]) -> str:
    """Where the first was made; that of the others is the same, or the next to look at."""
    return f", at line {pools[0].site.line}" if pools and pools[0].site else ""


def primes_below(limit: int) -> int:
    """With the sieve of Eratosthenes, which is another way than the exercise's."""
    prime = bytearray([1]) * limit
    prime[:2] = b"\0\0"
    for n in compress(range(int(limit**0.5) + 1), prime):
        prime[n * n :: n] = bytes(len(range(n * n, limit, n)))
    return sum(prime)
