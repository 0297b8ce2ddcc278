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
async def test_it_fills_the_screen_with_rows_and_says_which(size: tuple[int, int]) -> None:
    async with viewing(size=size) as (_, screen):
        drawn = lines(screen)
        below = 7 if size[1] < 30 else 8  # what is said of the cursor, the legend, the keys
        assert len(drawn) == size[1] - below
        assert f"lanes 1-{len(drawn) - 2} of 100" in drawn[0]
        assert all(line.startswith("upload(") for line in drawn[2:])


@pytest.mark.parametrize("size", SIZES)
async def test_the_legend_has_what_is_visible(size: tuple[int, int]) -> None:
    async with viewing(threaded(20), size=size) as (pilot, _):
        words = shown(pilot.app)
        assert "running" in words and "queued" in words and "blocking the loop" in words
        assert "response" in words and "ran briefly" in words
        await pilot.press(*["plus"] * 9)
        assert "ran briefly" not in shown(pilot.app), "it is seen as what it is"


@pytest.mark.parametrize("size", SIZES)
async def test_several_runs_have_one_scale_side_by_side_or_below_each_other(size: tuple[int, int]) -> None:
    async with viewing(gated("long"), gated("short", 20), size=size) as (pilot, screen):
        first, second = screen.query(RunRows)
        assert (first.region.y == second.region.y) == (size[0] >= 100)
        axes = [lines(screen, pane)[1].replace("▼", "╷").split() for pane in (0, 1)]
        assert axes[0] == axes[1]
        await pilot.press("tab", "down")
        assert (first.row, second.row) == (0, 1)


async def test_m_gives_all_the_room_to_one_run_and_back() -> None:
    async with viewing(gated("one"), gated("other")) as (pilot, screen):
        first, second = screen.query(RunRows)
        shared = second.size.height
        await pilot.press("tab", "m")
        assert (first.display, second.display) == (False, True)
        assert second.size.height > 2 * shared - 2
        await pilot.press("m")
        assert first.size.height == pytest.approx(shared, abs=1)


async def test_the_rows_follow_the_cursor() -> None:
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


async def test_zooming_keeps_what_is_at_the_cursor_and_0_shows_all() -> None:
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


async def test_what_is_visible_follows_the_cursor_through_time() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("+", "+", "+", "end")
        assert "1.00 s" in details(screen)
        assert "╷900 ms" in lines(screen)[1] or "╷950 ms" in lines(screen)[1]
        await pilot.press("shift+left")
        await pilot.press("home")
        assert lines(screen)[1].rstrip().startswith(" " * 8)
        assert "▼0" in lines(screen)[1]


async def test_a_row_is_found_by_a_part_of_its_name_and_the_next_one_by_n() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("slash", *"(7", "enter", "n")
        assert "upload(70)" in details(screen)
        await pilot.press("N")
        assert "upload(7)" in details(screen)
        await pilot.press("slash", "end", *"x9", "escape")
        assert "No row has '(7x9' in its name." in details(screen)


async def test_the_cursor_says_state_reason_length_and_line() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("down")
        assert "queued: semaphore, made at app.py:9 in main, for 10 ms (0 s to 10 ms)" in details(screen)
        await pilot.press("full_stop")
        assert "At 10 ms: waiting: sleep, for 9.0 ms (10 ms to 19 ms)" in details(screen)
        await pilot.press("comma")
        assert "At 0 s: queued" in details(screen)


async def test_what_blocked_the_loop_is_named_with_its_line() -> None:
    async with viewing(blocked()) as (pilot, screen):
        await pilot.press("full_stop")
        assert "blocking the loop: sleep at app.py:7 in pour, for 200 ms" in details(screen)
        assert "╳" in lines(screen)[2]


async def test_the_states_of_a_row_are_a_list_and_the_picture_follows_it() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("down", "down", "enter", "down")
        states = screen.query_one(RowStates)
        listed = [states.render_line(y).text for y in range(3)]
        assert ["queued" in listed[0], "waiting: sleep" in listed[1], "running" in listed[2]] == [True] * 3
        assert "At 20 ms: waiting: sleep" in details(screen)
        await pilot.press("enter")
        assert not states.display
        await pilot.press("down")
        assert "upload(3)" in details(screen)


async def test_escape_closes_the_states_before_the_viewer() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("enter", "escape")
        assert not screen.query_one(RowStates).display
        assert pilot.app.return_value is None
        await pilot.press("escape")
        assert pilot.app.return_value == 0


async def test_w_goes_to_who_woke_it_and_b_back() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press(*["down"] * 50, "w", "w")
        assert "upload(48)" in details(screen)
        assert "Woken by upload(48)." in details(screen)
        assert "At 490 ms" in details(screen)
        await pilot.press("b", "b")
        assert "upload(50)" in details(screen)
        await pilot.press("b")
        assert "nowhere to go back to" in details(screen)
        await pilot.press("g", "w")
        assert "No task or thread woke it" in details(screen)


@pytest.mark.parametrize("size", SIZES)
async def test_c_draws_how_many_hold_and_queue_for_what(size: tuple[int, int]) -> None:
    async with viewing(size=size) as (pilot, screen):
        await pilot.press("c")
        drawn = lines(screen)[-4:]
        assert drawn[0].startswith(" open █100")
        assert drawn[1].startswith("semaphore: limit 1, made at app.py:9")
        assert drawn[2].startswith(" held █1")
        assert drawn[3].startswith(" queued █99")
        bars = drawn[3].split()[-1]
        assert bars[0] == "█"
        assert bars[-1] == "▁"
        await pilot.press("c")
        assert lines(screen)[-1].startswith("upload(")


async def test_space_draws_it_as_it_happened_and_ends_that() -> None:
    async with viewing() as (pilot, screen):
        await pilot.press("G")
        whole = lines(screen)[2:]
        await pilot.press("space", "space", "space")
        await pilot.pause(0.3)
        early = lines(screen)[2:]
        assert sum(map(_drawn, early)) < sum(map(_drawn, whole))
        assert "as it happened, 2.0x slower" in details(screen)
        await pilot.press("ctrl+c", "end")
        assert list(map(_drawn, lines(screen)[2:])) == list(map(_drawn, whole))


async def test_a_click_puts_the_cursor_there_and_the_wheel_moves_the_rows() -> None:
    async with viewing() as (pilot, screen):
        rows = screen.query_one(RunRows)
        await pilot.click(rows, offset=(40, 10))
        assert rows.row == 8
        assert lines(screen)[1][40] == "▼"
        assert "upload(8)" in details(screen)


async def test_requests_are_the_rows_of_a_server() -> None:
    async with viewing(threaded(20)) as (pilot, screen):
        assert "requests 1-15 of 21" in lines(screen)[0]
        await pilot.press("G", "up")
        assert "POST /upload 20" in details(screen)
        assert "answered 200" in details(screen)


async def test_a_run_without_rows_and_one_of_no_length_do_no_harm() -> None:
    keys = ["+", "right", "down", "w", "b", "enter", "c", "slash", "x", "escape", "n", "comma", "space", "G"]
    brief = Story()
    brief.task("brief").returns()

    async with viewing(Story().run(name="empty"), brief.run(name="brief")) as (pilot, screen):
        await pilot.press(*keys, "escape", "tab", *keys)
        assert "nothing was recorded" in "".join(lines(screen, 0))


def _drawn(line: str) -> int:
    return len(line.replace(" ", ""))
