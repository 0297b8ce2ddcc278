"""Greenlets under gevent's hub: what their lanes did, compared with the marks of the scripts themselves."""

from __future__ import annotations

import select
from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics import measure
from asyncdemo.analysis.metrics.steps import blocking_steps
from asyncdemo.model import Outcome, RunOutcome, State, TrackKind
from asyncdemo.recording.runner import Options, Target, record
from asyncdemo.testing.checks import CheckFailed, Seen
from tests.support.truth import Recorded, recorded

pytest.importorskip("gevent")

SLEEPERS = """
    import gevent, time

    def cooperative():
        mark("c0")
        gevent.sleep(0.2)
        mark("c1")

    def blocking():
        gevent.sleep(0.05)
        mark("b0")
        time.sleep(0.3)
        mark("b1")

    gevent.joinall([gevent.spawn(cooperative), gevent.spawn(blocking)])
"""


@pytest.fixture(scope="module")
def patched(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return recorded(tmp_path_factory.mktemp("patched"), PATCHED, lanes=list(LANES))


class TestStates:
    def test_sleeping_greenlet_waits_and_a_busy_one_blocks_the_hub(self, tmp_path: Path) -> None:
        trace = recorded(tmp_path, SLEEPERS, lanes=["cooperative", "blocking"])
        assert trace.at("cooperative()", trace.between("c0", "b0")) == "waiting (sleep)"
        assert trace.at("blocking()", trace.between("c0", "b0")) == "waiting (sleep)"
        assert trace.at("blocking()", trace.between("b0", "b1")) == "running"
        assert trace.at("cooperative()", trace.marks["b1"] - 20_000_000) == "ready"
        (step,) = blocking_steps(trace.run)
        assert step.reason == "sleep"
        assert step.site is not None and step.site.function == "blocking"
        (finding,) = diagnose(trace.run)
        assert finding.message.startswith("time.sleep held the hub")
        assert finding.advice.startswith("Call `gevent.monkey.patch_all()`")
        with pytest.raises(CheckFailed, match=r"No step may hold the hub longer than 50 ms\. blocking"):
            Seen(trace.run).never_blocked()

    def test_one_that_was_spawned_and_has_not_begun_is_ready(self, tmp_path: Path) -> None:
        """The thread that only runs the hub is no row."""
        script = """
            import gevent, time
            def work():
                time.sleep(0.1)
            gevent.joinall([gevent.spawn(work) for _ in range(3)])
        """
        trace = recorded(tmp_path, script)
        assert sorted(lane.name for lane in trace.run.lanes) == [f"greenlet-{n} work" for n in range(1, 4)]
        last = trace.lane("greenlet-3 work")
        assert [span.state for span in last.spans if span.duration_ns] == [State.READY, State.RUNNING]
        assert last.spans[0].duration_ns > last.spans[1].duration_ns
        assert measure(trace.run).blocks == 3

    def test_what_it_prints_as_is_as_without_the_tracer(self, tmp_path: Path) -> None:
        """gevent shows a greenlet's name once somebody has asked for it."""
        script = tmp_path / "script.py"
        script.write_text("import gevent\ng = gevent.spawn(len, ())\ng.join()\nassert '\"' not in repr(g)")
        assert record(Target(str(script)), Options(timeout_s=30)).outcome is RunOutcome.OK

    def test_one_that_is_spawned_for_later_waits(self, tmp_path: Path) -> None:
        script = """
            import gevent
            gevent.spawn_later(0.1, len, ()).join()
        """
        (lane,) = recorded(tmp_path, script).run.lanes
        assert [(span.state, span.wait.reason) for span in lane.spans][:1] == [(State.WAITING, "sleep")]

    def test_the_main_greenlet_waits_is_ready_and_blocks_too(self, tmp_path: Path) -> None:
        script = """
            import gevent, time
            def work():
                gevent.sleep(0.1)
                mark("w0")
                time.sleep(0.5)
                mark("w1")
            greenlet = gevent.spawn(work)
            gevent.sleep(0.3)
            mark("m0")
            other = gevent.spawn(gevent.sleep, 0.01)
            gevent.sleep(0)
            time.sleep(0.2)
            mark("m1")
            other.join()
        """
        trace = recorded(tmp_path, script)
        assert trace.at("MainThread", trace.marks["w0"] - 30_000_000) == "waiting (sleep)"
        assert trace.at("MainThread", trace.marks["w1"] - 20_000_000) == "ready"
        assert trace.at("MainThread", trace.between("m0", "m1")) == "running"
        assert trace.at("greenlet-2 sleep", trace.marks["m1"] - 20_000_000) == "ready"
        assert [step.reason for step in blocking_steps(trace.run)] == ["sleep", "sleep"]

    def test_without_greenlets_a_blocking_call_is_a_threads_wait(self, tmp_path: Path) -> None:
        script = """
            import gevent, time
            gevent.spawn(gevent.sleep, 0.01).join()
            time.sleep(0.2)
        """
        trace = recorded(tmp_path, script)
        assert "waiting (sleep)" in trace.order_of("MainThread")
        assert not blocking_steps(trace.run)

    @pytest.mark.skipif(not hasattr(select, "epoll"), reason="only epoll may be asked by another thread")
    def test_one_whose_data_has_arrived_is_ready(self, tmp_path: Path) -> None:
        script = """
            import gevent, gevent.socket, threading, time
            here, there = gevent.socket.socketpair()
            def reads():
                here.recv(1)
            def blocks():
                gevent.sleep(0.05)
                mark("b0")
                time.sleep(0.4)
                mark("b1")
            def answers():
                time.sleep(0.2)
                mark("sent")
                there._sock.send(b"x")
            threading.Thread(target=answers).start()
            gevent.joinall([gevent.spawn(reads), gevent.spawn(blocks)])
        """
        trace = recorded(tmp_path, script, lanes=["reads"])
        assert trace.marks["b0"] < trace.marks["sent"] < trace.marks["b1"]
        assert trace.at("reads()", trace.between("b0", "sent")) == "waiting (net.read)"
        assert trace.at("reads()", trace.marks["b1"] - 20_000_000) == "ready"


class TestEnds:
    SCRIPT = """
        import gevent
        def returns():
            gevent.sleep(0.01)
        def raises():
            gevent.sleep(0.01)
            raise LookupError
        def is_killed():
            gevent.sleep(100)
        def never_begins():
            gevent.sleep(100)
        greenlets = [gevent.spawn(one) for one in (returns, raises, is_killed)]
        gevent.sleep(0.05)
        gevent.killall(greenlets)
        last = gevent.spawn(never_begins)
        last.kill()
        gevent.sleep(0.2)
    """

    def test_each_in_its_way(self, tmp_path: Path) -> None:
        trace = recorded(tmp_path, self.SCRIPT)
        outcomes = {lane.function: (lane.outcome, lane.error) for lane in trace.run.lanes if lane.function}
        assert outcomes == {
            "returns": (Outcome.RETURNED, None),
            "raises": (Outcome.RAISED, "LookupError"),
            "is_killed": (Outcome.CANCELLED, None),
            "never_begins": (Outcome.CANCELLED, None),
        }
        killed = trace.run.lanes[-1]
        assert killed.function == "never_begins"
        assert {span.state for span in killed.spans} == {State.READY}
        assert trace.run.lanes[0].end_ns - killed.end_ns > 100_000_000

    def test_greenlet_that_is_left_is_described_in_gevents_words(self, tmp_path: Path) -> None:
        script = """
            import gevent
            def waits():
                gevent.sleep(100)
            kept = [gevent.spawn(waits) for _ in range(2)]
            gevent.sleep(0.01)
        """
        (finding,) = diagnose(recorded(tmp_path, script).run)
        assert finding.message.startswith("2 greenlets of waits() made at")
        assert "gevent.joinall" in finding.advice

    def test_hanging_greenlet_is_named_with_its_line(self, tmp_path: Path) -> None:
        script = tmp_path / "hangs.py"
        script.write_text(
            "import gevent\n"
            "def waits():\n"
            "    gevent.sleep(100)\n"
            "gevent.joinall([gevent.spawn(waits) for _ in range(2)])\n"
        )
        run = record(Target(str(script)), Options(timeout_s=2.0))
        assert run.outcome is RunOutcome.TIMEOUT
        assert {(one.function, one.site.line if one.site else 0, one.state) for one in run.stuck} == {
            ("waits", 3, State.WAITING)
        }


LANES = ("sleeps", "reads", "waits_for_a_process", "limited", "in_a_thread")
PATCHED = """
    from gevent import monkey
    monkey.patch_all()
    import queue, socket, subprocess, sys, threading, time
    import gevent
    from gevent.pool import Pool

    def sleeps():
        mark("s0")
        time.sleep(0.1)
        mark("s1")

    def reads(here):
        mark("r0")
        here.recv(1)
        mark("r1")

    def answers(there):
        gevent.sleep(0.1)
        there.sendall(b"x")

    def waits_for_a_process():
        mark("p0")
        subprocess.run([sys.executable, "-c", "import time; time.sleep(0.1)"], check=True)
        mark("p1")

    def limited(n):
        time.sleep(0.05)

    def in_a_thread(results):
        with lock:
            time.sleep(0.05)
        results.put(threading.current_thread().name)

    lock = threading.Lock()

    def main():
        gevent.spawn(sleeps).join()
        here, there = socket.socketpair()
        gevent.joinall([gevent.spawn(reads, here), gevent.spawn(answers, there)])
        gevent.spawn(waits_for_a_process).join()
        pool = Pool(2)
        for n in range(6):
            pool.spawn(limited, n)
        pool.join()
        results = queue.Queue()
        threads = [threading.Thread(target=in_a_thread, args=(results,), name=f"t{n}") for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(sorted(results.get() for _ in threads))

    main()
"""


class TestMonkeyPatched:
    """The tracer wraps first, gevent patches after."""

    def test_what_is_patched_waits_and_nothing_holds_the_hub(self, patched: Recorded) -> None:
        assert "['t0', 't1', 't2']" in patched.stdout
        for function, marks, reason in (
            ("sleeps", ("s0", "s1"), "sleep"),
            ("reads", ("r0", "r1"), "net.read"),
            ("waits_for_a_process", ("p0", "p1"), "subprocess"),
        ):
            (found,) = (one for one in patched.run.lanes if one.name.startswith(function))
            assert patched.at(found.name, patched.between(*marks)) == f"waiting ({reason})"
        seen = Seen(patched.run, functions=LANES)
        seen.calls("limited").happen(6).all_return().peak_is(2)
        seen.never_blocked()

    def test_threads_are_greenlets_of_the_one_thread(self, patched: Recorded) -> None:
        tracks = patched.run.tracks
        assert len({tracks[lane.track].thread for lane in patched.run.lanes}) == 1
        assert {"t0", "t1", "t2"} <= {tracks[lane.track].name for lane in patched.run.lanes}
        assert [track.name for track in tracks if track.kind == "thread"] == ["MainThread"]
        assert not patched.run.resources, "gevent's own locks are none"

    def test_only_what_was_patched_is(self, tmp_path: Path) -> None:
        script = """
            from gevent import monkey
            monkey.patch_all(time=False)
            import time, gevent
            def naps():
                time.sleep(0.1)
            gevent.joinall([gevent.spawn(naps) for _ in range(2)])
        """
        trace = recorded(tmp_path, script)
        assert [step.reason for step in blocking_steps(trace.run)] == ["sleep", "sleep"]


class TestBesideOthers:
    def test_each_thread_has_a_hub_of_its_own(self, tmp_path: Path) -> None:
        script = """
            import gevent, threading
            def naps():
                gevent.sleep(0.05)
            def host():
                gevent.joinall([gevent.spawn(naps) for _ in range(2)])
            threads = [threading.Thread(target=host) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        """
        trace = recorded(tmp_path, script, lanes=["naps"])
        assert len(trace.run.lanes) == 4
        assert len({trace.run.tracks[lane.track].thread for lane in trace.run.lanes}) == 2
        for lane in trace.run.lanes:
            assert {span.wait.reason for span in lane.spans} == {"", "sleep"}

    def test_asyncio_after_gevent_is_asyncio(self, tmp_path: Path) -> None:
        script = """
            import asyncio, gevent, time
            gevent.spawn(gevent.sleep, 0.01).join()
            async def main():
                await asyncio.sleep(0.01)
                time.sleep(0.1)
            asyncio.run(main())
        """
        trace = recorded(tmp_path, script)
        (finding,) = diagnose(trace.run)
        assert finding.message.startswith("time.sleep held the event loop")

    def test_greenlets_without_a_hub_and_a_foreign_tracer_are_left(self, tmp_path: Path) -> None:
        script = """
            import greenlet
            assert greenlet.gettrace() is None
            greenlet.greenlet(len).switch("")
            seen = []
            greenlet.settrace(lambda event, arguments: seen.append(event))
            import gevent
            gevent.spawn(gevent.sleep, 0.01).join()
            print("MARK", "switches", len(seen), flush=True)
        """
        trace = recorded(tmp_path, script)
        assert trace.marks["switches"] > 2
        assert sum(track.kind == "task" for track in trace.run.tracks) == 1

    def test_a_failing_hook_does_not_reach_the_script(self, tmp_path: Path) -> None:
        script = """
            import gevent, sys
            hooks = next(m for name, m in sys.modules.items() if name.endswith("loops.greenlets"))
            def fails(frame):
                raise LookupError("on purpose")
            hooks.greenlet_waits.reason = fails
            def naps():
                gevent.sleep(0.01)
            gevent.joinall([gevent.spawn(naps)])
            print("MARK", "end", 1)
        """
        trace = recorded(tmp_path, script)
        assert trace.marks["end"] == 1
        assert trace.run.outcome is RunOutcome.OK
        assert any("hook there failed" in note for note in trace.run.notes)

    def test_gevents_own_threads_are_threads(self, tmp_path: Path) -> None:
        script = """
            import gevent, time
            def blocks(n):
                time.sleep(0.1)
            pool = gevent.get_hub().threadpool
            for one in [pool.spawn(blocks, n) for n in range(3)]:
                one.get()
        """
        trace = recorded(tmp_path, script, lanes=["blocks"])
        assert {trace.run.tracks[lane.track].kind for lane in trace.run.lanes} == {TrackKind.THREAD}
        seen = Seen(trace.run, functions=["blocks"])
        seen.calls("blocks").happen(3).all_return().peak_is(3)
        seen.never_blocked()

    def test_a_gevent_that_is_not_known_is_noted(self, tmp_path: Path) -> None:
        package = tmp_path / "gevent"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "hub.py").write_text("class Hub:\n    pass\n")
        trace = recorded(tmp_path, "import gevent.hub\n")
        assert any("does not support this version of gevent" in note for note in trace.run.notes)
