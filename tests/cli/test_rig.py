"""``asyncdemo lab rig-it`` on a real terminal with real servers: nothing is left of them."""

from __future__ import annotations

import signal
import uuid
from pathlib import Path

import pytest

from tests.cli.terminals import Terminal
from tests.hostile.traced import marked, until

pytestmark = [pytest.mark.slow, pytest.mark.lab]

SMALL = [
    *("--set", "workers=2", "--set", "async-workers=1"),
    *("--set", "sessions=4", "--set", "clients=4", "--set", "delay=20"),
]


def test_the_rig_is_set_and_measured_and_q_ends_it(tmp_path: Path) -> None:
    mark = f"rigged-{uuid.uuid4().hex}"
    with Terminal("lab", "rig-it", *SMALL, size=(80, 40), cwd=tmp_path, MARK=mark) as terminal:
        terminal.wait_to_see("min(2 workers, 4 sessions, 4 clients) / 20 ms = 100/s")
        terminal.wait_to_see("async / sync 2.00")
        terminal.wait_to_see("round 2 of 7")
        terminal.type("\x1b[B\x1b[B-")  # down, down
        terminal.wait_to_see("async / sync 1.00")
        terminal.wait_to_see("round 1 of 7")  # it has begun anew, with the servers that there were
        terminal.type("q")
        assert terminal.end() == 0
        assert terminal.shows_keys()
    assert until(lambda: not marked(mark))


@pytest.mark.parametrize("seen", ["starting", "round 1 of 7"])
def test_ctrl_c_ends_what_is_measured_and_the_next_one_the_rig(tmp_path: Path, seen: str) -> None:
    mark = f"rigged-{uuid.uuid4().hex}"
    with Terminal("lab", "rig-it", *SMALL, size=(80, 24), cwd=tmp_path, MARK=mark) as terminal:
        terminal.wait_to_see(seen)
        terminal.type("\x03")
        terminal.wait_to_see("to measure, press Space")
        terminal.type("\x03")
        assert terminal.end() == 128 + signal.SIGINT
        assert terminal.shows_keys()
    assert until(lambda: not marked(mark))
