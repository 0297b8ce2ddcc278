"""What becomes of the jobs when SIGTERM comes, in sentences."""

from collections import Counter

from asyncdemo.model import Lane, Outcome
from asyncdemo.testing.checks import Calls, Seen

LATE_S = 0.3
"""What a busy machine may need to notice a signal, or a cancellation. Jobs end and begin QUICK_S apart."""


def check(seen: Seen) -> None:
    workers = int(seen.knobs["WORKERS"])
    takes, does, backs = seen.calls("take"), seen.calls("do", "jobs"), seen.calls("hand_back")
    (signal,) = seen.calls("deploy").happen(1).lanes
    taken = [value for value in takes.values if value is not None]
    the_same(seen, sorted(taken) == list(range(1, len(taken) + 1)), "take, and the queue that main fills,")
    the_same(seen, all(took_s(lane) >= quickest_s(seen, lane) for lane in does.lanes), "do")
    nothing_taken_later(seen, signal, takes)
    does.open_is(workers)
    all_work_until_then(seen, signal, takes, does)
    each_taken_job_is_begun_once(seen, taken, does)
    what_is_quick_is_finished(seen, signal, does)
    none_is_handed_back_early(seen, does, backs)
    the_rest_is_cancelled(seen, signal, does)
    what_is_cancelled_is_handed_back(seen, does, backs)
    seen.ends_well()
    seen.never_blocked()
    seen.no_warnings()


def nothing_taken_later(seen: Seen, signal: Lane, takes: Calls) -> None:
    late = [lane for lane in takes.lanes if after_s(signal, lane.start_ns) > LATE_S]
    seen.expect(
        not late,
        "After SIGTERM, no job was taken.",
        f"After SIGTERM, no job may be taken; take was called {len(late)} more times, the last time "
        f"{after_s(signal, late[-1].start_ns) if late else 0:.1f} s after it.",
        at=takes,
    )


def all_work_until_then(seen: Seen, signal: Lane, takes: Calls, does: Calls) -> None:
    """SIGTERM comes at a moment that is drawn, more than GRACE_S after the one that the program knows.

    In the second run it comes so much later that no fixed time fits both.
    """
    workers, jobs = int(seen.knobs["WORKERS"]), int(seen.knobs["JOBS"])
    ended = sum(after_s(signal, lane.end_ns) < -LATE_S for lane in does.lanes)
    before = sum(lane.start_ns < signal.start_ns for lane in takes.lanes)
    last_s = -after_s(signal, max(lane.start_ns for lane in takes.lanes))
    seen.expect(
        before >= min(workers + ended, jobs),
        "Until SIGTERM, each worker took the next job as soon as it was done with one.",
        f"Only SIGTERM may stop the workers. Before it came, {ended} jobs had ended, and {workers} workers "
        f"had taken {before} in all, the last one {last_s:.1f} s before that.",
        at=does,
    )


def each_taken_job_is_begun_once(seen: Seen, taken: list[int], does: Calls) -> None:
    seen.expect(
        Counter(job(lane) for lane in does.lanes) == Counter(taken),
        "Each job that was taken was begun once.",
        f"Each job that was taken should be done by one call of do; {len(taken)} were taken, and do was "
        f"called {len(does)} times.",
        at=does,
    )


def what_is_quick_is_finished(seen: Seen, signal: Lane, does: Calls) -> None:
    quick = [lane for lane in does.lanes if not is_slow(seen, lane)]
    cut = [lane for lane in quick if lane.outcome is not Outcome.RETURNED]
    seen.expect(
        not cut,
        "Each job that could be done in time was finished.",
        f"{cut[0].name if cut else ''} could be done within GRACE_S seconds after SIGTERM, and should be "
        f"finished; it was ended {after_s(signal, cut[0].end_ns) if cut else 0:.1f} s after SIGTERM.",
        at=does,
    )


def the_rest_is_cancelled(seen: Seen, signal: Lane, does: Calls) -> None:
    grace_s = float(seen.knobs["GRACE_S"])
    for lane in does.lanes:
        if not is_slow(seen, lane):
            continue
        ended_s = after_s(signal, lane.end_ns)
        how = "was cancelled" if lane.outcome is Outcome.CANCELLED else lane.outcome.value
        seen.expect(
            lane.outcome is Outcome.CANCELLED and grace_s - 0.05 <= ended_s < grace_s + LATE_S,
            "",
            f"{lane.name} takes too long, and should be cancelled {grace_s:g} s after SIGTERM; it {how} "
            f"{ended_s:.1f} s after SIGTERM.",
            at=does,
        )
    seen.held.append(f"The other jobs were cancelled {grace_s:g} s after SIGTERM.")


def none_is_handed_back_early(seen: Seen, does: Calls, backs: Calls) -> None:
    ended = {job(lane): lane.end_ns for lane in does.lanes}
    early = [lane for lane in backs.lanes if lane.start_ns < ended[job(lane)]]
    seen.expect(
        not early,
        "No job was handed back while somebody worked on it.",
        "A job should be handed back when nobody is working on it any more; "
        f"{early[0].name if early else ''} was called while it was still being done.",
        at=backs,
    )


def what_is_cancelled_is_handed_back(seen: Seen, does: Calls, backs: Calls) -> None:
    back = Counter(job(lane) for lane in backs.lanes)
    for lane in does.lanes:
        wanted = int(is_slow(seen, lane))
        seen.expect(
            back[job(lane)] == wanted,
            "",
            f"{lane.name} was {'cancelled' if wanted else 'finished'}, so it should be handed back "
            f"{'once' if wanted else 'never'}; hand_back was called {back[job(lane)]} times for it.",
            at=backs,
        )
    seen.held.append("Each cancelled job was handed back once.")
    backs.all_return()


def is_slow(seen: Seen, lane: Lane) -> bool:
    return job(lane) % int(seen.knobs["SLOW_EVERY"]) == 0


def quickest_s(seen: Seen, lane: Lane) -> float:
    """A job that was ended may have been shorter."""
    wanted = seen.knobs["SLOW_S" if is_slow(seen, lane) else "QUICK_S"]
    return float(wanted) if lane.outcome is Outcome.RETURNED else 0.0


def the_same(seen: Seen, holds: bool, functions: str) -> None:
    seen.expect(holds, "", f"Leave {functions} as the exercise has it.")


def job(lane: Lane) -> int:
    """The last argument of the call: ``do(..., 3)``."""
    return int(lane.name.rpartition(" ")[2].rpartition("(")[2].rstrip(")"))


def after_s(signal: Lane, time_ns: int) -> float:
    return (time_ns - signal.start_ns) / 1e9


def took_s(lane: Lane) -> float:
    return (lane.end_ns - lane.start_ns) / 1e9
