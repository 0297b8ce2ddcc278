"""What the chosen models must do, in sentences, beside the reference of the same run."""

from collections import Counter
from dataclasses import dataclass
from math import ceil

from asyncdemo.analysis.metrics import most_at_once
from asyncdemo.testing.checks import Seen

P99_BUDGET = 0.6
MEMORY_BUDGET = 0.7
"""Of what the reference has."""
MIB = 1 << 20
KEPT = 0.4
"""At least this share of what the fetches keep is in a sample: on a busy machine it can miss the peak."""


@dataclass(frozen=True)
class Job:
    """As the script returns it. done_s: by a clock that all processes of a machine share."""

    kind: str
    n: int
    result: int
    process: int
    done_s: float


@dataclass(frozen=True)
class Phase:
    """The reference, or what was chosen."""

    name: str
    began_s: float
    jobs: tuple[Job, ...]

    @property
    def p99_s(self) -> float:
        """Of the fetches, from the begin."""
        took = sorted(job.done_s - self.began_s for job in self.jobs if job.kind == "fetch")
        return took[ceil(0.99 * len(took)) - 1]


def check(seen: Seen) -> None:
    both = seen.calls("reference").happen(1).all_return()
    both.end_before(seen.calls("chosen").happen(1).all_return())
    seen.held[:] = ["The reference ran, and then what was chosen."]
    reference, chosen = phases(seen)
    del seen.held[1:]
    all_is_done(seen, reference)
    processes, wanted = len({job.process for job in reference.jobs}), int(seen.knobs["PROCESSES"])
    seen.expect(
        processes == wanted,
        f"The reference has {wanted} processes.",
        f"The reference should have {wanted} processes; its jobs ran in {processes}. If this machine is "
        "busy, one may have started too late to get a job: check again. If it is not, leave reference "
        "as it is.",
        at=seen.calls("reference"),
    )
    all_is_done(seen, chosen)
    none_is_lighter(seen)
    computed_elsewhere(seen)
    nothing_blocks_the_loop(seen)
    p99_s, mib = chosen.p99_s, grown_mib(seen, "chosen")
    within(seen, "p99 of the fetches", f"{p99_s:.2f} s", p99_s / reference.p99_s, P99_BUDGET)
    within(seen, "memory", f"{mib:.0f} MiB", mib / grown_mib(seen, "reference"), MEMORY_BUDGET)
    all_is_kept(seen, mib)
    fetched_here(seen, chosen)
    handed_to_processes(seen)
    seen.ends_well()
    seen.no_warnings()


def phases(seen: Seen) -> tuple[Phase, Phase]:
    """As main returned them; fails if that is something else."""
    (returned,) = seen.calls("main").happen(1).all_return().values
    try:
        read = [(began_s, tuple(Job(*job) for job in jobs)) for began_s, jobs in returned]
        first, second = (
            Phase(*named) for named in zip(("reference", "chosen"), *zip(*read, strict=True), strict=True)
        )
    except (TypeError, ValueError):
        seen.expect(
            False,
            "",
            "main should return what reference and chosen did: for each job the tuple that fetch, "
            "fetch_async or add_up returned. Leave main and these as they are.",
        )
        raise
    return first, second


def all_is_done(seen: Seen, phase: Phase) -> None:
    """Each job once, with its result."""
    kept, squares = int(seen.knobs["KEEPS_MIB"]) * MIB, int(seen.knobs["SQUARES"])
    fetches = {("fetch", n): n * kept for n in range(int(seen.knobs["FETCHES"]))}
    numbers = range(int(seen.knobs["SUMS"]))
    sums = {("sum", n): sum(i * i % (1009 + n) for i in range(squares)) for n in numbers}
    for nouns, wanted in (("fetches", fetches), ("sums", sums)):
        kind = next(iter(wanted))[0]
        done = Counter((job.kind, job.n) for job in phase.jobs if job.kind == kind)
        seen.expect(
            dict(done) == dict.fromkeys(wanted, 1),
            f"{phase.name}: {len(wanted)} {nouns}.",
            f"{phase.name} should do {len(wanted)} {nouns}, each once; {done.total()} came back. No job may "
            "be left out, or done twice.",
            at=seen.calls(phase.name),
        )
    odd = [job for job in phase.jobs if job.result != {**fetches, **sums}[job.kind, job.n]]
    seen.expect(
        not odd,
        f"{phase.name}: each job has its result.",
        f"{len(odd)} jobs of {phase.name} have a wrong result. Leave fetch, fetch_async and "
        "add_up as they are, and call them with FETCH_MS, KEEPS_MIB and SQUARES.",
        at=seen.calls(phase.name),
    )
    seen.held[-3:] = [f"All {len(phase.jobs)} jobs of {phase.name} were done, with their results."]


def none_is_lighter(seen: Seen) -> None:
    """Of those in the program's own process: the tracer sees what happens there."""
    for function in ("fetch", "fetch_async"):
        calls = seen.calls(function)
        if len(calls):
            calls.take_at_least(int(seen.knobs["FETCH_MS"]) / 1000 - 0.002)  # a timer may fire a tick early
            seen.held.pop()


def computed_elsewhere(seen: Seen) -> None:
    here = seen.calls("add_up")
    seen.expect(
        not len(here),
        "No sum was computed in the program's own process.",
        f"{len(here)} sums were computed in the program's own process. All its threads share one "
        "interpreter, where sums take turns. Let other processes compute.",
        at=here,
    )


def handed_to_processes(seen: Seen) -> None:
    """The number of a process is easily made up. The thread that feeds a pool of processes isn't."""
    (lane,) = seen.calls("chosen").lanes
    feeders = [
        track
        for track in seen.run.tracks
        if track.function.startswith(("_ExecutorManagerThread.", "Pool._handle_"))
        and lane.start_ns <= track.start_ns < lane.end_ns
    ]
    seen.expect(
        bool(feeders),
        "The sums were computed by a pool of processes.",
        "The sums should be computed by other processes; no pool of processes was given any work.",
        at=seen.calls("chosen"),
    )


def fetched_here(seen: Seen, chosen: Phase) -> None:
    """Each fetch that main returns is what a recorded call returned."""
    recorded = {Job(*value) for name in ("fetch", "fetch_async") for value in seen.calls(name).values}
    fetches = [job for job in chosen.jobs if job.kind == "fetch"]
    made_up = [job for job in fetches if job not in recorded]
    seen.expect(
        not made_up,
        "Each fetch ran in the program's own process.",
        f"Each fetch should run in the program's own process, with fetch or fetch_async; of {len(fetches)} "
        f"fetches that chosen returned, {len(made_up)} did not.",
        at=seen.calls("chosen"),
    )


def nothing_blocks_the_loop(seen: Seen) -> None:
    """Judged by the call, and not by how long a step took: to fill memory takes its time on a busy machine.

    When the last fetch is over nobody is kept waiting: a pool may be closed then.
    """
    fetches = [*seen.calls("fetch").lanes, *seen.calls("fetch_async").lanes]
    last_ns = max(lane.end_ns for lane in fetches or seen.calls("chosen").lanes)
    calls = [call for call in seen.run.blocking_calls if call.start_ns < last_ns]
    seen.expect(
        not calls,
        "Nothing that blocks was called on an event loop.",
        f"{len(calls)} calls that block were made on the event loop, the first one"
        f"{f' at line {calls[0].site.line}' if calls and calls[0].site else ''}: each keeps all other tasks "
        "waiting. There is fetch_async for tasks, and fetch for threads.",
        at=seen.calls("fetch"),
    )


def grown_mib(seen: Seen, function: str) -> float:
    """The most that all processes had in memory meanwhile, over what there was before."""
    (lane,) = seen.calls(function).lanes
    before = [one.resident_bytes for one in seen.run.memory if one.at_ns <= lane.start_ns]
    meanwhile = [one.resident_bytes for one in seen.run.memory if lane.start_ns < one.at_ns <= lane.end_ns]
    if not meanwhile:
        seen.too_busy("nobody got to look at the memory.")
    return max((max(meanwhile) - (before or meanwhile)[-1 if before else 0]) / MIB, 1.0)


def all_is_kept(seen: Seen, mib: float) -> None:
    """By the fetches in the program's own process: the tracer sees how many are there at the same time."""
    lanes = [*seen.calls("fetch").lanes, *seen.calls("fetch_async").lanes]
    most = most_at_once((lane.start_ns, lane.end_ns) for lane in lanes)
    kept = most * int(seen.knobs["KEEPS_MIB"])
    seen.expect(
        mib >= KEPT * kept,
        "",
        f"{most} fetches that are open at the same time keep {kept} MiB; the memory grew by {mib:.0f} MiB. "
        "Leave fetch and fetch_async as they are.",
        at=seen.calls("chosen"),
    )


def within(seen: Seen, what: str, ours: str, share: float, budget: float) -> None:
    seen.expect(
        share <= budget,
        f"The {what} is {share:.0%} of the reference's ({ours}); {budget:.0%} is the budget.",
        f"The {what} may be {budget:.0%} of the reference's; it is {share:.0%} ({ours}).",
        at=seen.calls("chosen"),
    )
