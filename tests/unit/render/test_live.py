"""The live view on a recorded terminal: what one sees at a moment, and what is left at the end."""

from __future__ import annotations

import pytest

from asyncdemo.model import Outcome, Run, Site, State
from asyncdemo.render.terminal.live import LiveView, picture_lines
from asyncdemo.render.terminal.panel import LivePanel
from asyncdemo.render.terminal.report import report_lines
from asyncdemo.render.terminal.theme import UNICODE
from tests.support.replay import replay
from tests.support.runs import Story, at_line, ns
from tests.support.screens import Terminal, text_of
from tests.support.server_runs import one_at_a_time, pooled, threaded

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def lanes_of(panel: LivePanel, names: str, state: State = State.WAITING) -> None:
    for lane, name in enumerate(names.split()):
        panel.lane_opened(lane, name, ns(0), state)


def seen(*panels: LivePanel, width: int = 120, height: int = 30) -> list[str]:
    terminal = Terminal(width, height)
    with LiveView(panels, terminal.console):
        return terminal.lines


def test_panels_say_that_they_have_not_started() -> None:
    lines = seen(LivePanel("first"), LivePanel("second"))
    assert lines[0].count("not started") == 2


def test_the_headline_counts_lanes_and_states() -> None:
    panel = LivePanel("gate")
    lanes_of(panel, "a b c d")
    panel.lane_changed(0, ns(10), State.RUNNING, "")
    panel.lane_changed(1, ns(10), State.QUEUED, "semaphore")
    panel.lane_closed(3, ns(20), Outcome.RETURNED)
    panel.clock(ns(250))
    assert "250 ms, 3 of 4 open: 1 running, 1 waiting, 1 queued" in seen(panel)[0]


def test_lanes_have_a_row_each_with_their_states() -> None:
    panel = LivePanel("two")
    lanes_of(panel, "brew(0) brew(1)")
    panel.lane_changed(0, ns(50), State.QUEUED, "")
    panel.clock(ns(100))
    rows = seen(panel)[2:4]
    assert rows[0].startswith("brew(0)")
    assert rows[0].count("─") == pytest.approx(rows[0].count("•"), abs=1)
    assert set(rows[1].removeprefix("brew(1)").strip()) == {"─"}


def test_requests_show_what_they_wait_for_and_are_called_so() -> None:
    panel = LivePanel("server", noun="request")
    assert "no request has opened yet" not in seen(panel)[1]
    panel.clock(0)
    assert "no request has opened yet" in seen(panel)[1]
    lanes_of(panel, "GET_/_1 GET_/_2", state=State.QUEUED)
    panel.lane_changed(0, ns(50), State.WAITING, "redis")
    panel.clock(ns(100))
    lines = seen(panel, width=200)
    assert "1 waiting, 1 queued" in lines[0]
    assert lines[2].count("·") == pytest.approx(lines[2].count("≈"), abs=1)
    assert "•" not in lines[3]
    assert "waiting for Redis" in lines[-1] and "not accepted" in lines[-1]


@pytest.mark.parametrize("server", [one_at_a_time(8), threaded(8), pooled(8)])
def test_a_server_replayed_to_its_end_looks_like_its_report(server: Run) -> None:
    panel = LivePanel(server.name, noun="request")
    replay(server, panel, ns(100_000))
    live = [line.split() for line in seen(panel, width=100, height=40) if line.startswith(("GET", "POST"))]
    drawn = [line.split() for line in text_of(list(report_lines([server], UNICODE, 100)))]
    names = [line[:3] for line in drawn if line and line[0] in ("GET", "POST")]
    assert [line[:3] for line in live] == names
    glyphs = "─≈≡═○·┊›"

    def most(line: list[str]) -> str:
        return max(glyphs, key="".join(line[3:]).count)

    # The first ones do two things for as long, so that a cell more or less decides.
    expected = [most(line) for line in drawn if line[:1] in (["GET"], ["POST"])]
    assert [most(line) for line in live][2:] == expected[2:]


def test_stalled_program_says_why_below_its_lanes_while_it_lasts() -> None:
    panel = LivePanel("bank")
    lanes_of(panel, "ab")
    panel.clock(ns(4000))
    assert not any("Nothing has happened" in line for line in seen(panel, width=40, height=14))
    panel.stands_still(["a holds lock `left` and waits for lock `right`.", "Ctrl-C ends it."], ns(3000))
    shown = seen(panel, width=40, height=14)
    assert "Nothing has happened for 3.00 s." in shown
    assert shown[shown.index("Ctrl-C ends it.") - 2 :][:2] == [
        "a holds lock `left` and waits for lock",
        "  `right`.",
    ]
    panel.clock(ns(5000))
    assert "Nothing has happened for 4.00 s." in seen(panel, width=40, height=14)
    panel.stands_still([], 0)
    assert not any("Nothing has happened" in line for line in seen(panel, width=40, height=14))


class TestBlocking:
    def blocked(self) -> LivePanel:
        panel = LivePanel("loop")
        lanes_of(panel, "a b")
        panel.lane_changed(0, ns(100), State.RUNNING, "")
        panel.loop_blocked(ns(100), ns(1_300), Site("/x/app.py", 12, "pour"), Site("/x/main.py", 3))
        panel.clock(ns(1_300))
        return panel

    def test_the_line_is_named_while_it_still_blocks(self) -> None:
        lines = seen(self.blocked())
        assert "blocking: app.py:12 in pour, called from main.py:3 for 1.20 s" in lines
        assert "╳" in lines[2]
        assert "╳" not in lines[3]

    def test_it_is_past_when_the_lane_goes_on(self) -> None:
        panel = self.blocked()
        panel.lane_changed(0, ns(1_400), State.WAITING, "sleep")
        panel.clock(ns(1_500))
        lines = seen(panel)
        assert "the loop was blocked: app.py:12 in pour, called from main.py:3 for 1.30 s" in lines

    def test_a_lane_that_opens_within_the_step_blocks_too(self) -> None:
        panel = self.blocked()
        panel.lane_opened(2, "inner", ns(700), State.RUNNING)
        panel.clock(ns(1_400))
        assert "╳" in seen(panel)[4]

    def test_a_thread_that_runs_meanwhile_does_not_block(self) -> None:
        panel = self.blocked()
        panel.lane_changed(1, ns(900), State.RUNNING, "")
        panel.clock(ns(1_400))
        row = seen(panel)[3]
        assert "╳" not in row
        assert "█" in row

    def test_step_that_is_reported_at_its_end_is_drawn_as_blocking(self) -> None:
        panel = LivePanel("loop")
        lanes_of(panel, "a")
        panel.loop_blocked(ns(100), ns(1_000), at_line(12), None)
        panel.lane_changed(0, ns(100), State.RUNNING, "")
        panel.lane_changed(0, ns(1_100), State.WAITING, "sleep")
        panel.clock(ns(1_200))
        lines = seen(panel)
        assert lines[2].count("╳") > 4 * lines[2].count("─")
        assert "the loop was blocked: app.py:12 for 1.00 s" in lines


def test_the_scripts_output_is_apart_and_harmless() -> None:
    panel = LivePanel("noisy")
    lanes_of(panel, "a")
    panel.output("stdout", "hello\n\x1b[31mworld\x1b[0m\n")
    panel.output("stderr", "oops\n")
    lines = seen(panel)
    at = lines.index("── output: 3 lines")
    assert lines[at + 1 : at + 4] == ["│  hello", "│  world", "│! oops"]


def test_in_a_race_no_panel_moves_while_rows_open_in_it() -> None:
    def titles(*panels: LivePanel) -> list[int]:
        lines = text_of(picture_lines(panels, UNICODE, 80, 24, race=True))
        return [at for at, line in enumerate(lines) if line.startswith("── ")]

    slow, quick = LivePanel("slow"), LivePanel("quick")
    before = titles(slow, quick)
    lanes_of(quick, "a b c d e f g h i j k l")
    lanes_of(slow, "a")
    at_first = titles(slow, quick)
    lanes_of(slow, "a b c d e")
    assert len(before) == 2 and before == at_first == titles(slow, quick)


@pytest.mark.parametrize(("width", "height"), [(40, 12), (80, 24), (160, 45), (200, 10)])
def test_any_number_of_lanes_fits_the_terminal(width: int, height: int) -> None:
    panels = [LivePanel("one"), LivePanel("two")]
    for panel in panels:
        for lane in range(300):
            panel.lane_opened(lane, f"t{lane}", lane * 1_000, State(lane % 4))
        panel.clock(ns(100))
        panel.output("stdout", "x" * 500 + "\n")
    lines = seen(*panels, width=width, height=height)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    assert any("folded" in line or "to a row" in line for line in lines)


def test_both_panels_have_the_scale_of_the_longer() -> None:
    short, long = LivePanel("short"), LivePanel("long")
    lanes_of(short, "a")
    short.lane_closed(0, ns(100), Outcome.RETURNED)
    lanes_of(long, "b")
    long.clock(ns(1_000))
    row = seen(short, long, width=160)[2]
    assert row[:80].count("─") == pytest.approx(row[80:].count("─") / 10, abs=1.5)


class TestTerminal:
    def test_the_view_is_gone_when_it_closes(self) -> None:
        terminal = Terminal(80, 24)
        panel = LivePanel("one")
        lanes_of(panel, "a b c")
        with LiveView([panel], terminal.console) as view:
            panel.clock(ns(100))
            view.update(now=True)
            assert terminal.lines
            assert terminal.screen.cursor.hidden
        assert terminal.lines == []
        assert not terminal.screen.cursor.hidden

    @pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
    def test_the_cursor_comes_back_whatever_happens(self, error: type[BaseException]) -> None:
        terminal = Terminal()
        with pytest.raises(error), LiveView([LivePanel("one")], terminal.console):
            raise error
        assert terminal.written.count(HIDE) == terminal.written.count(SHOW) == 1
        assert terminal.lines == []

    def test_there_are_no_more_than_fifteen_frames_a_second(self) -> None:
        clock = Clock()
        with LiveView([LivePanel("one")], Terminal().console, clock) as view:
            for _ in range(1_000):
                clock.now_s += 0.001
                view.update()
        assert 10 <= view.frames <= 16

    def test_a_terminal_that_gets_narrower_starts_afresh(self) -> None:
        terminal = Terminal(120, 30)
        panel = LivePanel("one")
        lanes_of(panel, "a b")
        with LiveView([panel], terminal.console) as view:
            terminal.resize(60, 20)
            panel.clock(ns(100))
            view.update(now=True)
            cleared = terminal.written.index("\x1b[2J")
            after = Terminal(60, 20)
            after.stream.write(terminal.written[cleared:])
            assert sum("one" in line for line in after.lines) == 1
        assert terminal.written.count(HIDE) == terminal.written.count(SHOW)


def test_running_program_gets_the_room_of_programs_on_one_axis() -> None:
    story = Story()
    for number in range(10):
        story.task(f"done{number}").sleeps(100).returns()
    over, running, later = LivePanel("over"), LivePanel("running"), LivePanel("later")
    done = story.run(name="over")
    replay(done, over, ns(200))
    for lane in range(10):
        running.lane_opened(lane, f"now{lane}", lane, State.WAITING)
    running.clock(ns(50))
    lines = seen(over, running, later, width=80, height=21)
    assert sum("╷0" in line for line in lines) == 1
    assert sum(line.startswith("now") for line in lines) == 10
    assert any("── over" in line and "to a row" in line for line in lines)
    # Between its end and the start of the next nothing jumps.
    running.ended(done)
    assert sum(line.startswith("now") for line in seen(over, running, later, width=80, height=21)) == 10
