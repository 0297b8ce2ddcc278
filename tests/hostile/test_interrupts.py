"""Ctrl-C, other signals and a terminal that goes away, in the middle of a script: what was recorded is shown,
nothing is left running, and the terminal is as it was."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import termios
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from asyncdemo import store
from asyncdemo.model import RunOutcome
from tests.cli.commands import asyncdemo_command, environment
from tests.cli.terminals import Terminal
from tests.hostile.traced import MARK, marked, nothing_left, until

pytestmark = pytest.mark.slow

CURSOR_HIDDEN, CURSOR_SHOWN = "\x1b[?25l", "\x1b[?25h"

STARTED = """
import asyncio, os, signal, sys, time

async def before(n): await asyncio.sleep(0.15)
async def main(): await asyncio.gather(before(1), before(2))
asyncio.run(main())

def started():
    with open("started", "w"): pass
    print("half" + "way", flush=True)
"""

SCRIPTS = {
    "sleeps": "started()\ntime.sleep(600)",
    "runs a loop": "async def wait():\n    started()\n    await asyncio.sleep(600)\nasyncio.run(wait())",
    "spins": "started()\nwhile True: pass",
    "cleans up": "try:\n    started()\n    time.sleep(600)\n"
    "except KeyboardInterrupt:\n    print('clean' + 'ed up')\n    raise",
    "exits well": "signal.signal(signal.SIGINT, lambda *_: sys.exit(0))\nstarted()\ntime.sleep(600)",
    "ignores it": "signal.signal(signal.SIGINT, signal.SIG_IGN)\nstarted()\ntime.sleep(600)",
    "has children": "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    "for _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(600)\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\nstarted()\ntime.sleep(600)",
}


@contextlib.contextmanager
def command(folder: Path, text: str, mark: str) -> Iterator[subprocess.Popen[bytes]]:
    """A trace under way in the folder, its script as far as ``started``."""
    (folder / "script.py").write_text(STARTED + text)
    with open(folder / "out", "wb") as out, open(folder / "err", "wb") as err:
        process = subprocess.Popen(
            asyncdemo_command("trace", "--save", "run.jsonl", "script.py"),
            cwd=folder,
            env=environment(**{MARK: mark}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,  # else the signals of the test's own terminal would reach it
        )
    try:
        assert until((folder / "started").exists), (folder / "err").read_text()
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def mark() -> Iterator[str]:
    mark = uuid.uuid4().hex
    with nothing_left(mark):
        yield mark


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, signal.SIGINT) for name in SCRIPTS),
        ("runs a loop", signal.SIGTERM),
        ("has children", signal.SIGTERM),
        ("has children", signal.SIGHUP),
    ],
)
def test_a_signal_ends_all_and_shows_what_was_recorded(
    tmp_path: Path, mark: str, name: str, number: signal.Signals
) -> None:
    with command(tmp_path, SCRIPTS[name], mark) as process:
        process.send_signal(number)
        if name == "ignores it":
            assert until(lambda: "It was asked to end" in (tmp_path / "err").read_text())
            process.send_signal(number)
        assert process.wait(30) == 130
    run = store.load(tmp_path / "run.jsonl")
    assert run.outcome is RunOutcome.INTERRUPTED
    assert {"Task-1 main", "Task-2 before", "Task-3 before"} <= {lane.name for lane in run.lanes}
    out = (tmp_path / "out").read_text()
    assert "script: interrupted; time " in out
    assert "/src/asyncdemo/" not in (tmp_path / "err").read_text()
    if name == "cleans up":
        assert "cleaned up" in out


def test_signal_that_no_terminal_sends_reaches_only_the_script(tmp_path: Path, mark: str) -> None:
    child = (
        "import signal, sys\n"
        "got = []\n"
        "signal.signal(signal.SIGINT, lambda *_: got.append(1))\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
        "open('child', 'w').write(str(len(got)))\n"
    )
    text = f"""
import subprocess
child = subprocess.Popen([sys.executable, "-c", {child!r}], stdin=-1, stdout=-1)
child.stdout.readline()
try:
    started()
    time.sleep(600)
except KeyboardInterrupt:
    child.stdin.close()
    child.wait()
"""
    with command(tmp_path, text, mark) as process:
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert (tmp_path / "child").read_text() == "0"


@pytest.mark.parametrize("name", ["runs a loop", "spins", "ignores it"])
def test_if_the_command_is_killed_the_script_ends_too(tmp_path: Path, mark: str, name: str) -> None:
    with command(tmp_path, SCRIPTS[name], mark) as process:
        process.kill()
        process.wait()
        assert until(lambda: not marked(mark), 15)


class Watched(Terminal):
    """A trace of script.py on a terminal whose settings are looked at."""

    def __init__(self, folder: Path, text: str, mark: str, *options: str) -> None:
        (folder / "script.py").write_text(STARTED + text)
        variables: dict[str, Any] = {MARK: mark}
        super().__init__("trace", *options, "script.py", cwd=folder, **variables)
        self.before = self.settings()

    def __enter__(self) -> Watched:
        return self

    def settings(self) -> list[object]:
        return list(termios.tcgetattr(self._screen))

    @property
    def cursor_is_shown(self) -> bool:
        return self.text.rfind(CURSOR_HIDDEN) <= self.text.rfind(CURSOR_SHOWN)


@pytest.mark.parametrize(
    ("name", "options"),
    [*((name, []) for name in SCRIPTS), ("sleeps", ["--plain"]), ("has children", ["--plain"])],
)
def test_ctrl_c_on_a_terminal(tmp_path: Path, mark: str, name: str, options: list[str]) -> None:
    with Watched(tmp_path, SCRIPTS[name], mark, *options) as terminal:
        terminal.wait_for("halfway")
        terminal.type("\x03")
        if name == "ignores it":
            terminal.wait_for("It was asked to end")
            terminal.type("\x03")
        assert terminal.end() == 130
        assert terminal.settings() == terminal.before
        assert terminal.cursor_is_shown
        assert "interrupted" in terminal.text
        assert "--plain" in options or "Task-2 before" in terminal.text


SPOILS = {
    "raw": "import tty\ntty.setraw(0)",
    "no echo": "import termios\nnew = termios.tcgetattr(0)\nnew[3] &= ~termios.ECHO\n"
    "termios.tcsetattr(0, termios.TCSANOW, new)",
}


@pytest.mark.parametrize("options", [[], ["--plain"]], ids=["picture", "plain"])
@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "time.sleep(600)"])
@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_a_script_that_leaves_the_terminal_changed(
    tmp_path: Path, mark: str, spoil: str, end: str, options: list[str]
) -> None:
    text = f"{spoil}\nstarted()\n{end}"
    with Watched(tmp_path, text, mark, "--timeout", "1", *options) as terminal:
        assert terminal.end() == 1
        assert terminal.settings() == terminal.before
        assert terminal.cursor_is_shown


def test_what_a_script_draws_stays_off_the_picture(tmp_path: Path, mark: str) -> None:
    """Clears the screen, hides the cursor, takes the other screen: none of it reaches the terminal."""
    text = "sys.stdout.write('\\x1b[2J\\x1b[?25l\\x1b[?1049h\\x1b]0;ti' + 'tle\\x07')\nstarted()"
    with Watched(tmp_path, text, mark) as terminal:
        assert terminal.end() == 0
        assert "\x1b[?1049h" not in terminal.text
        assert "title\x07" not in terminal.text
        assert terminal.cursor_is_shown
