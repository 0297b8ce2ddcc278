"""What the report of the sizes must do, in sentences."""

from collections.abc import Sequence
from statistics import median

from asyncdemo.model import MemorySample
from asyncdemo.testing.checks import Calls, Seen

TOLERANCE = 0.2
EXPLAINED = 0.03
"""Apart by at most so much, a number is taken for what it nearly is."""
KIB = 1024
NAMES = ("in memory (resident)", "reserved (virtual)")

Sizes = tuple[float, float]
"""KiB in memory, KiB reserved."""


def check(seen: Seen) -> None:
    threads, tasks = int(seen.knobs["THREADS"]), int(seen.knobs["TASKS"])
    in_threads = seen.calls("wait_in_thread", "waiting threads").happen(threads).all_return().all_overlap()
    in_tasks = seen.calls("wait_in_task", "waiting tasks").happen(tasks).all_return().all_overlap()
    in_threads.end_before(in_tasks)
    for function, waiters in (("per_thread", in_threads), ("per_task", in_tasks)):
        reported = returned(seen, function)
        slept_twice(seen, function, waiters)
        own = growth(seen, function, waiters)
        kept_as_given(seen, waiters, own)
        for place, name in enumerate(NAMES):
            seen.expect(
                near(reported[place], own[place]),
                f"{function} reported what each waiter has {name}, within {TOLERANCE:.0%}.",
                f"{function} should report {kib(own[place])} {name} for each of its {len(waiters)} waiters, "
                f"as seen from outside; it reports {kib(reported[place])}"
                f"{what_it_is(seen, waiters, reported[place], own, place)}.",
                at=seen.calls(function),
            )
    results = [seen.calls(function).values[0] for function in ("per_thread", "per_task")]
    seen.calls("main").return_values([dict(zip(("thread", "task"), results, strict=True))])
    seen.no_warnings()


def returned(seen: Seen, function: str) -> Sizes:
    """The two numbers; fails if it returned something else."""
    sizes = seen.calls(function).happen(1).all_return().values[0]
    two = isinstance(sizes, tuple | list) and len(sizes) == 2
    seen.expect(
        two and all(isinstance(size, int | float) for size in sizes),
        f"{function} returned two numbers.",
        f"{function} should return two numbers, the KiB in memory (resident) and the KiB reserved (virtual) "
        f"for each waiter; it returned {sizes!r}.",
        at=seen.calls(function),
    )
    return float(sizes[0]), float(sizes[1])


def slept_twice(seen: Seen, function: str, waiters: Calls) -> None:
    """Before the waiters start, and while they wait: half of HOLD_S, because the last may start late."""
    hold_ns = float(seen.knobs["HOLD_S"]) * 1e9
    first_ns, last_ns = (pick(lane.start_ns for lane in waiters.lanes) for pick in (min, max))
    before_ns = first_ns - seen.calls(function).lanes[0].start_ns
    during_ns = min(lane.end_ns for lane in waiters.lanes) - last_ns
    short = min(before_ns, during_ns)
    seen.expect(
        short >= hold_ns / 2,
        f"{function} slept before the waiters started, and while they waited.",
        f"{function} should sleep for HOLD_S before its waiters start, and again while they wait; one of "
        f"these times was {short / 1e9:.2g} s. Leave the two sleeps in.",
        at=seen.calls(function),
    )


def kept_as_given(seen: Seen, waiters: Calls, own: Sizes) -> None:
    """Half, because what earlier waiters have freed may be used again, and then the process grows by less."""
    keeps = int(seen.knobs["KEEPS_KIB"])
    name = waiters.lanes[0].name.split("(")[0]
    seen.expect(
        own[0] >= keeps / 2,
        f"{name} kept what it was given to keep.",
        f"Each call of {name} fills {keeps} KiB and keeps it while it waits, but the process grew by "
        f"only {kib(own[0])} for each. Leave the function as it is.",
        at=waiters,
    )


def growth(seen: Seen, function: str, waiters: Calls) -> Sizes:
    """By how many KiB the process grew for each waiter, in the samples that were taken from outside.

    The one before must be of this call: what the threads of the other one had is free by then.
    """
    called_ns = seen.calls(function).lanes[0].start_ns
    first_ns, last_ns = (pick(lane.start_ns for lane in waiters.lanes) for pick in (min, max))
    end_ns = min(lane.end_ns for lane in waiters.lanes)
    before = [sample for sample in seen.run.memory if called_ns < sample.at_ns < first_ns]
    during = [sample for sample in seen.run.memory if last_ns < sample.at_ns < end_ns]
    if not (before and during):
        seen.too_busy("nobody got to look at the process from outside.")
    return per_waiter(before[-1:], during, len(waiters))


def per_waiter(before: Sequence[MemorySample], after: Sequence[MemorySample], count: int) -> Sizes:
    resident = median(one.resident_bytes for one in after) - median(one.resident_bytes for one in before)
    virtual = median(one.virtual_bytes for one in after) - median(one.virtual_bytes for one in before)
    return resident / KIB / count, virtual / KIB / count


def near(reported: float, wanted: float, tolerance: float = TOLERANCE) -> bool:
    return abs(reported - wanted) <= tolerance * abs(wanted)


def what_it_is(seen: Seen, waiters: Calls, reported: float, own: Sizes, place: int) -> str:
    """What the number is instead, if that can be known; goes on after it."""
    grown, count = own[place], len(waiters)
    begun_ns, gone_ns = (
        max(times) for times in zip(*((w.start_ns, w.end_ns) for w in waiters.lanes), strict=True)
    )
    before = [sample for sample in seen.run.memory if sample.at_ns < waiters.lanes[0].start_ns]
    then = [sample for sample in seen.run.memory if sample.at_ns > begun_ns]
    whole = [size / KIB for one in then for size in (one.resident_bytes, one.virtual_bytes)]
    left = [per_waiter(before[-1:], [one], count)[place] for one in then if one.at_ns > gone_ns]
    known = {
        f"that is the {('virtual', 'resident')[place]} size": [own[1 - place]],
        "that is the growth in bytes": [grown * KIB],
        "that is the growth in MiB": [grown / KIB],
        "that is the growth for all waiters together": [grown * count],
        "that is the growth for all waiters together, in bytes": [grown * count * KIB],
        "that is the size of the whole process": whole,
        "that is the size of the whole process, shared out among the waiters": [
            size / count for size in whole
        ],
        "that is what is left of the growth when the waiters are gone": left,
    }
    for what, sizes in known.items():
        if any(near(reported, size, EXPLAINED) for size in sizes):
            return f": {what}"
    return ": as if no waiter had begun to wait between the two looks" if abs(reported) < grown / 20 else ""


def kib(size: float) -> str:
    return f"{size:,.0f} KiB" if abs(size) >= 100 else f"{size:.3g} KiB"
