"""The run viewer: every key does what it says, at any size."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from asyncdemo.course.workspace.context import locate
from asyncdemo.model import Run, Wake, Wakes
from asyncdemo.tui.app import Application
from asyncdemo.tui.row_states import RowStates
from asyncdemo.tui.run_rows import RunRows
from asyncdemo.tui.viewer import ViewerScreen
from tests.support.runs import Story, at_line, ns
from tests.support.server_runs import threaded
from tests.tui.learner import shown

pytestmark = pytest.mark.anyio
SIZES = [(80, 24), (160, 48)]


def gated(name: str = "gated", tasks: int = 100) -> Run:
    """Tasks that queue for a gate, one after the other, 10 ms each; each is woken by the one before."""
    story = Story()
    gate = story.semaphore(limit=1, made=at_line(9, "main"))
    for i in range(tasks):
        teller = story.task(f"upload({i})")
        if i:
            teller.queues(gate, 10 * i)
        teller.takes(gate).sleeps(9).runs(1).gives_back(gate).returns()
    wakes = Wakes(Wake(ns(10 * i), i - 1, i) for i in range(1, tasks))
    return story.run(name=name, wakes=wakes)


def blocked() -> Run:
    story = Story()
    story.task("cook").sleeps(100).blocks(200, at=at_line(7, "pour")).returns()
    return story.run(name="blocked")


@asynccontextmanager
async def viewing(
    *runs: Run, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Pilot[int], ViewerScreen]]:
    screen = ViewerScreen(runs or (gated(),))
    async with Application(locate(None), lambda: screen).run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot, screen


def lines(screen: ViewerScreen, pane: int = 0) -> list[str]:
    rows = screen.query(RunRows)[pane]
    return [rows.render_line(y).text for y in range(rows.size.height)]


def details(screen: ViewerScreen) -> str:
    widget = screen.query_one("#details")
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


@pytest.mark.parametrize("size", SIZES)
async def test_it_fills_the_screen_with_rows_and_counts(size: tuple[int, int]) -> None:
    async with viewing(size=size) as (pilot, screen):
        drawn = lines(screen)
        below = 7 if size[1] < 30 else 8  # what is said of the cursor, the legend, the keys
        assert len(drawn) == size[1] - below
        assert f"lanes 1-{len(drawn) - 2} of 100" in drawn[0]
        assert all(line.startswith("upload(") for line in drawn[2:])
        await pilot.press("c")
        drawn = lines(screen)[-4:]
        starts = (" open █100", "semaphore: limit 1, made at app.py:9", " held █1", " queued █99")
        assert all(line.startswith(start) for line, start in zip(drawn, starts, strict=True))
        bars = drawn[3].split()[-1]
        assert (bars[0], bars[-1]) == ("█", "▁")
        await pilot.press("c")
        assert lines(screen)[-1].startswith("upload(")


@pytest.mark.parametrize("size", SIZES)
async def test_servers_rows_are_requests_with_a_legend_of_what_shows(
    size: tuple[int, int],
) -> None:
    async with viewing(threaded(20), size=size) as (pilot, screen):
        assert ("requests 1-15 of 21" if size[1] < 30 else "21 requests") in lines(screen)[0]
        words = shown(pilot.app)
        assert all(
            word in words for word in ("running", "queued", "blocking the loop", "response", "ran briefly")
        )
        await pilot.press(*["plus"] * 9)
        assert "ran briefly" not in shown(pilot.app), "it is seen as what it is"
        await pilot.press("0", "G", "up")
        assert "POST /upload 20" in details(screen)
        assert "answered 200" in details(screen)


@pytest.mark.parametrize("size", SIZES)
async def test_several_runs_share_a_scale_and_m_enlarges_one(size: tuple[int, int]) -> None:
    async with viewing(gated("long"), gated("short", 20), size=size) as (pilot, screen):
        first, second = screen.query(RunRows)
        beside = size[0] >= 100
        assert (first.region.y == second.region.y) == beside
        axes = [lines(screen, pane)[1].replace("▼", "╷").split() for pane in (0, 1)]
        assert axes[0] == axes[1]
        shared = second.size
        await pilot.press("tab", "down", "m")
        assert (first.row, second.row) == (0, 1)
        assert (first.display, second.display) == (False, True)
        assert second.size.width > 2 * shared.width if beside else second.size.height > 2 * shared.height - 2
        await pilot.press("m")
        assert first.size.height == pytest.approx(shared.height, abs=1)


async def test_the_rows_follow_the_cursor_which_finds_a_part_of_a_name() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("pagedown", "pagedown", "down")
        rows = screen.query_one(RunRows)
        assert rows.row == 2 * 15 + 1
        assert "upload(31)" in details(screen)
        assert any(line.startswith("upload(31)") for line in lines(screen))
        await pilot.press("G")
        assert lines(screen)[-1].startswith("upload(99)")
        await pilot.press("g")
        assert lines(screen)[2].startswith("upload(0)")
        await pilot.press("slash", *"(7", "enter", "n")
        assert "upload(70)" in details(screen)
        await pilot.press("N")
        assert "upload(7)" in details(screen)
        await pilot.press("slash", "end", *"x9", "escape")
        assert "No row has '(7x9' in its name." in details(screen)
        await pilot.press("g")
        await pilot.click(rows, offset=(40, 10))
        assert (rows.row, lines(screen)[1][40]) == (8, "▼")
        assert "upload(8)" in details(screen)


async def test_zooming_keeps_what_is_at_the_cursor_and_time_follows_it() -> None:
    async with viewing() as (pilot, screen):
        whole = lines(screen)[1]
        await pilot.press(*["right"] * 30)
        place = lines(screen)[1].index("▼")
        before = details(screen)
        await pilot.press("+", "+")
        assert lines(screen)[1].index("▼") == pytest.approx(place, abs=1)
        assert lines(screen)[1] != whole
        assert details(screen) == before
        await pilot.press("-", "0", "home")
        assert lines(screen)[1] == whole
        await pilot.press("+", "+", "+", "end")
        assert "1.00 s" in details(screen)
        assert "╷900 ms" in lines(screen)[1] or "╷950 ms" in lines(screen)[1]
        await pilot.press("shift+left")
        await pilot.press("home")
        assert lines(screen)[1].rstrip().startswith(" " * 8)
        assert "▼0" in lines(screen)[1]


@pytest.mark.parametrize("tasks", [1, 10])
async def test_list_of_states_leaves_each_run_a_row_and_no_empty_line(tasks: int) -> None:
    busy = Story()
    task = busy.task("upload(0)")
    for _ in range(tasks):
        task.sleeps(9).runs(1)
    async with viewing(busy.run(), gated(), gated()) as (pilot, screen):
        await pilot.press("enter")
        await pilot.pause()
        for pane in range(3):
            assert lines(screen, pane)[2].startswith("upload(0)")
        states = screen.query_one(RowStates)
        assert states.render_line(states.size.height - 1).text.strip()


async def test_states_of_a_row_have_reason_length_line_and_a_list() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("down")
        assert "queued: semaphore, made at app.py:9 in main, for 10 ms (0 s to 10 ms)" in details(screen)
        await pilot.press("full_stop")
        assert "At 10 ms: waiting: sleep, for 9.0 ms (10 ms to 19 ms)" in details(screen)
        await pilot.press("comma")
        assert "At 0 s: queued" in details(screen)
        await pilot.press("down", "enter", "down")
        states = screen.query_one(RowStates)
        listed = [states.render_line(y).text for y in range(3)]
        for line, words in zip(listed, ("queued", "waiting: sleep", "running"), strict=True):
            assert words in line
        assert "At 20 ms: waiting: sleep" in details(screen)
        await pilot.press("enter")
        assert not states.display
        await pilot.press("down")
        assert "upload(3)" in details(screen)
        await pilot.press("enter", "escape")  # closes the states before the viewer
        assert not states.display
        assert pilot.app.return_value is None
        await pilot.press("escape")
        assert pilot.app.return_value == 0


async def test_what_blocked_the_loop_is_named_with_its_line() -> None:
    async with viewing(blocked()) as (pilot, screen):
        await pilot.press("full_stop")
        assert "blocking the loop: sleep at app.py:7 in pour, for 200 ms" in details(screen)
        assert "╳" in lines(screen)[2]


async def test_w_goes_to_who_woke_it_and_b_back() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press(*["down"] * 50, "w", "w")
        assert "upload(48)" in details(screen)
        assert "Woken by upload(48)." in details(screen)
        assert "At 490 ms" in details(screen)
        await pilot.press("b", "b")
        assert "upload(50)" in details(screen)
        await pilot.press("b")
        assert "nothing to go back to" in details(screen)
        await pilot.press("g", "w")
        assert "No task or thread woke it" in details(screen)


async def test_space_draws_it_as_it_happened_and_ends_that() -> None:
    def drawn() -> list[int]:
        return [len(line.replace(" ", "")) for line in lines(screen)[2:]]

    async with viewing() as (pilot, screen):
        await pilot.press("G")
        whole = drawn()
        await pilot.press("space", "space", "space")
        await pilot.pause(0.3)
        assert sum(drawn()) < sum(whole)
        assert "as it happened, 2.0x slower" in details(screen)
        await pilot.press("ctrl+c", "end")
        assert drawn() == whole


async def test_a_run_without_rows_and_one_of_no_length_do_no_harm() -> None:
    keys = ["+", "right", "down", "w", "b", "enter", "c", "slash", "x", "escape", "n", "comma", "space", "G"]
    brief = Story()
    brief.task("brief").returns()

    async with viewing(Story().run(name="empty"), brief.run(name="brief")) as (pilot, screen):
        await pilot.press(*keys, "escape", "tab", *keys)
        assert "nothing was recorded" in "".join(lines(screen, 0))


async def test_any_narrow_screen_is_drawn() -> None:
    async with viewing(gated("one"), gated("two")) as (pilot, screen):
        for width in (*range(12, 0, -1), 80):
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
        assert "one" in lines(screen)[0]
