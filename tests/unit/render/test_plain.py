"""The plain text, word by word, and what is said of a server under load."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from asyncdemo.model import Clock, Outcome, Run, RunOutcome
from asyncdemo.render.facts.runs import account_for
from asyncdemo.render.text.plain import render_plain
from tests.support.runs import Story, at_line
from tests.support.server_runs import one_at_a_time, threaded

in_detail = partial(render_plain, details=True)

GOLDEN = """\
gate: failed with exit code 1
  outcome       failed with exit code 1
  wall          300 ms
  ideal         280 ms; the wall is 1.07x that
  peak          2 at work at the same time, 3 open, of 3 lanes
  throughput    3.3 lanes a second
  in total      running 81 ms, waiting 400 ms, queued 101 ms
  loop blocked  for 80 ms once; the longest 80 ms: sleep at net.py:7 in fetch, called from app.py:30
  semaphore     limit 1, made at app.py:4: 1 held, 1 queued at most; queued 101 ms in total
  lanes:
    first: 0 s to 101 ms, returned: running 1.0 ms, waiting 100 ms (sleep 100 ms)
    second: 0 s to 201 ms, raised: waiting 100 ms, queued 101 ms (semaphore 101 ms, net.read 100 ms)
    third: 20 ms to 300 ms, still open at the end: running 80 ms, waiting 200 ms (task 100 ms, sleep 100 ms)
"""


def gate() -> Run:
    story = Story()
    limit = story.semaphore(1, made=at_line(4))
    story.task("first").takes(limit).runs(1).sleeps(100).gives_back(limit).returns()
    second = story.task("second").queues(limit, 101).takes(limit).waits(100, "net.read").gives_back(limit)
    second.raises("ValueError: no")
    at = at_line(7, "fetch", "/usr/lib/net.py")
    story.task("third", at=20).waits(100, "task").blocks(80, at=at, called_from=at_line(30)).sleeps(100)
    return story.run(name="gate", outcome=RunOutcome.FAILED, exit_code=1, notes=("cut off after 0.30 s",))


def test_a_run_in_words() -> None:
    text = in_detail([gate()])
    facts, rest = text.split("  findings:\n")
    findings, rest = rest.split("  notes:\n")
    notes, lanes = rest.split("  lanes:\n")
    assert [*facts.splitlines(), "  lanes:", *lanes.splitlines()] == GOLDEN.splitlines()
    assert "net.py:7" in findings
    assert notes == "    - second raised after 201 ms: ValueError: no\n    - cut off after 0.30 s\n"


def test_control_codes_are_shown_as_what_they_are() -> None:
    story = Story()
    story.task("\x1b[31m\r\nred\x07").sleeps(10).raises("\x1b[0m")
    text = render_plain([story.run(name="\x1b]0;x\x07")])
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\\x1b[31m\\r\\nred\\x07" in text


def test_a_stream_without_the_letters_gets_escapes() -> None:
    story = Story()
    story.task("名前").sleeps(10).returns()
    text = in_detail([story.run()], encoding="ascii")
    assert "\\u540d\\u524d: 0 s to 10 ms" in text


def crowd(lanes: int) -> Run:
    story = Story()
    for i in range(lanes):
        task = story.task(f"t{i}").sleeps(10 + i)
        task.is_cancelled() if i % 2 else task.returns()
    return story.run()


def test_lanes_beyond_the_bound_share_a_line() -> None:
    text = in_detail([crowd(1_000)], lanes=5)
    lanes = text.split("  lanes:\n")[1].split("  findings:")[0].splitlines()
    assert len(lanes) == 6
    assert lanes[-1] == (
        "    and 995 more lanes: 498 cancelled and 497 returned; open for 15 ms to 1.01 s each; "
        "in total waiting 509 s"
    )
    assert "more lane" not in in_detail([crowd(6)], lanes=5)  # one more is listed itself


def test_a_run_without_lanes() -> None:
    text = in_detail([Story().run()])
    assert "no lanes: nothing was recorded" in text
    assert len(text.splitlines()) == 2


def test_who_leaves_work_out_is_not_called_faster() -> None:
    def trip(name: str, *, second_fails: bool) -> Run:
        story = Story()
        story.task("main").enters("ask(1)").sleeps(100).leaves().returns()
        second = story.task("other").enters("ask(2)").sleeps(30)
        second.leaves(Outcome.RAISED).returns() if second_fails else second.sleeps(270).leaves().returns()
        return replace(story.run(), name=name)

    whole, half = trip("whole", second_fails=False), trip("half", second_fails=True)
    assert "compared" not in in_detail([whole, half])
    assert "compared" in in_detail([whole, trip("again", second_fails=False)])


def slow_and_fast(outcome: RunOutcome) -> list[Run]:
    slow, fast = Story(), Story()
    slow.task("a").sleeps(300).returns()
    fast.task("a").sleeps(100).returns()
    return [slow.run(name="slow", outcome=outcome), fast.run(name="fast")]


@pytest.mark.parametrize(
    ("outcome", "expected", "compared"),
    [
        (RunOutcome.OK, [], True),
        (RunOutcome.FAILED, [], False),
        (RunOutcome.TIMEOUT, [], False),
        (RunOutcome.INTERRUPTED, [], False),
        (RunOutcome.FAILED, ["slow"], True),
    ],
)
def test_whole_runs_are_compared_and_those_meant_to_fail(
    outcome: RunOutcome, expected: list[str], compared: bool
) -> None:
    text = in_detail(slow_and_fast(outcome), expected=expected)
    for words in ("compared      3.00x as long as fast", "compared      3.00x as fast as slow"):
        assert (words in text) == compared


def test_without_lanes_times_count_from_the_first_track() -> None:
    story = Story()
    story.task("main", at=7_560_000).sleeps(20).raises("ValueError: no")
    run = story.run(outcome=RunOutcome.FAILED, exit_code=1)
    assert "main raised after 20 ms: ValueError: no" in render_plain([replace(run, lanes=())])


def test_gil_wait_is_reported_if_much_of_the_running_time() -> None:
    busy, calm = Story(), Story()
    for story, cpu_ms in ((busy, 40), (calm, 98)):
        story.thread("first", cpu_ms=cpu_ms).runs(100).returns()
        story.thread("second", cpu_ms=100).runs(100).returns()
    text = in_detail([busy.run()])
    assert "GIL           threads may have waited for it for up to 60 ms of their running time" in text
    assert "GIL" not in in_detail([calm.run()])


def test_unexplained_running_time_is_reported_as_such() -> None:
    story = Story()
    for name in ("first", "second"):
        story.thread(name, cpu_ms=0).runs(500).returns()
    text = in_detail([story.run()])
    assert "not observed  at least 1.00 s of the running time used no CPU" in text
    assert "GIL" not in text


BRIEF = """\
gate: failed with exit code 1; time 300 ms (at best 280 ms), at most 2 at work
  loop blocked: for 80 ms once; the longest 80 ms: sleep at net.py:7 in fetch, called from app.py:30
"""


def test_in_brief_a_run_is_one_line_and_what_was_found_in_it() -> None:
    text = render_plain([gate()])
    assert text.startswith(BRIEF)
    notes = "  - second raised after 201 ms: ValueError: no\n  - cut off after 0.30 s\n"
    assert text.endswith(notes)
    assert all(line.startswith("  ") for line in text.splitlines()[1:])


def test_in_virtual_time_that_is_said() -> None:
    story = Story()
    story.task("a").sleeps(10).returns()
    virtual = replace(story.run(), clock=Clock.VIRTUAL)
    assert render_plain([virtual]).endswith("at the same time (virtual time)\n")


def test_equal_notes_are_one_with_a_count() -> None:
    story = Story()
    for number in range(4):
        story.task(f"t{number}").sleeps(10).raises("ValueError")
    story.task("other").sleeps(10).raises("KeyError")
    text = render_plain([story.run(notes=("Something is off.", "Well.", "Something is off."))])
    assert text.splitlines()[1:] == [
        "  - t0 raised after 10 ms: ValueError, and so did 3 more",
        "  - other raised after 10 ms: KeyError",
        "  - Something is off. (2 times)",
        "  - Well.",
    ]


# servers under load

GOLDEN_SERVER = Path(__file__).with_name("golden_server.txt")


def film() -> Run:
    story = Story()
    pool = story.pool(2, made=at_line(9), name="redis")
    first = story.task("Task-1", at=10).enters("film(1)").waits(50, "redis").leaves().returns()
    second = story.task("Task-2", at=20).enters("film(2)").waits(30, "redis").leaves().returns()
    story.connection(pool, 10, 15, uses=[(first, 15, 60)], by=first)
    story.refuses(pool, second, 20, 20)
    asker = story.request("GET /film 1").queues_for("accept", 10).is_handled_by(first)
    asker.waits_for_response(1).answered(200)
    asker = story.request("GET /film 2").queues_for("accept", 10).is_ready(10).is_handled_by(second)
    asker.waits_for_response(1).answered(503)
    story.request("GET /film 3").is_late(5).queues_for("accept", 95).fails("timeout")
    story.has_memory(-20, 40, 300, threads=1)
    story.has_memory(30, 45.5, 310, threads=3)
    return story.run(name="pooled", processes=2)


def values_of(run: Run, label: str) -> list[str]:
    return [fact.value for fact in account_for([run])[0].facts if fact.label == label]


def warned(run: Run) -> set[str]:
    return {fact.label for fact in account_for([run])[0].facts if fact.warns}


def without_findings(text: str) -> str:
    before, _, rest = text.partition("  findings:\n")
    return before + rest[rest.index("  requests:\n") :] if rest else text


def test_a_server_in_words() -> None:
    assert (
        without_findings(render_plain([film()], details=True)).splitlines()
        == GOLDEN_SERVER.read_text("utf-8").splitlines()
    )


def test_failure_is_reported_first() -> None:
    assert warned(film()) == {"requests", "pool"}
    assert warned(one_at_a_time(5)) == set()


def test_handlers_are_not_called_lanes() -> None:
    assert values_of(threaded(50, limit=5), "handlers") == [
        "5 at work at the same time, 50 open, of 50 calls"
    ]
    assert values_of(threaded(50, limit=5), "peak") == values_of(threaded(50, limit=5), "throughput") == []


def test_server_that_handled_nothing_says_so_without_figures() -> None:
    story = Story()
    story.task("server").sleeps(10).returns()
    for number in range(3):
        story.request(f"GET / {number + 1}").queues_for("accept", 1).fails("refused")
    run = replace(story.run(named=True), lanes=())
    assert values_of(run, "requests") == ["0 of 3 answered; 3 refused"]
    assert values_of(run, "latency") == values_of(run, "wall") == []


def test_pools_made_at_one_line_are_described_together() -> None:
    story = Story()
    for number in range(50):
        task = story.task(f"t{number}").sleeps(10).returns()
        pool = story.pool(10, made=at_line(12), name="s3")
        story.connection(pool, 0, 1, uses=[(task, 1, 9)])
    (words,) = values_of(story.run(), "pool")
    assert words.startswith(
        "50 of them, s3, limit 10, made at app.py:12: 50 connections opened in all, 1 held each"
    )
