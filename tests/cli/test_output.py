"""Outputs that fail or that nobody reads: the verdict decides the exit code, and a signal ends all."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.commands import ROOT, Done, asyncdemo_command, environment, in_process
from tests.cli.terminals import Terminal
from tests.hostile.traced import until
from tests.support.small_course import BROKEN, FIXED, make_course

pytestmark = pytest.mark.slow

NO_SPACE = "asyncdemo: The output was not written: no space left on device."
CLOSED = "asyncdemo: The output was not written: standard output is closed."
NO_READER = "asyncdemo: The rest of the output was not written: broken pipe."
HOSTILE_NAME = "=HYPERLINK(1)\x1b]0;owned\x07\u202e\udcff"


def shell(script: str, cwd: Path) -> Done:
    """Run a script of bash, in which ``asyncdemo`` is the command, and whose own code is the last one's."""
    defined = f'asyncdemo() {{ "{sys.executable}" -m asyncdemo "$@"; }}; set -o pipefail\n'
    done = subprocess.run(
        ["bash", "-c", defined + script],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


class Desk:
    def __init__(self, tmp_path: Path) -> None:
        self.course = make_course(tmp_path / "course")
        self.folder = tmp_path / "mine"
        in_process("start", self.folder, "--course", self.course, cwd=tmp_path)
        self.tea = self.folder / "01-hot" / "01-tea.py"

    def hand_in(self, pile: Path, name: str, text: str) -> None:
        in_process("start", pile / name, "--course", self.course, cwd=pile.parent)
        (pile / name / "01-hot" / "01-tea.py").write_text(text)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("script", "code", "words"),
    [
        ("asyncdemo list > /dev/full", 1, NO_SPACE),
        ("asyncdemo list >&-", 1, CLOSED),
        ("asyncdemo list --json > /dev/full", 1, NO_SPACE),
        ("asyncdemo list | true", 0, ""),
        ("asyncdemo list > /dev/full 2> /dev/full", 1, ""),
        ("asyncdemo list >&- 2>&- <&-", 1, ""),
        ("asyncdemo hint nonsense 2>&-", 2, ""),
        ("asyncdemo --help > /dev/full", 1, NO_SPACE),
    ],
)
def test_output_that_fails_is_reported(desk: Desk, script: str, code: int, words: str) -> None:
    done = shell(script, desk.folder)
    assert (done.code, done.err.strip()) == (code, words)


@pytest.mark.parametrize(("text", "code"), [(BROKEN, 1), (FIXED, 0)])
@pytest.mark.parametrize(
    ("where", "words"), [("> /dev/full", NO_SPACE), (">&-", CLOSED), ("| true", NO_READER)]
)
def test_verdict_is_the_exit_code_of_a_check(
    desk: Desk, text: str, code: int, where: str, words: str
) -> None:
    desk.tea.write_text(text)
    done = shell(f"asyncdemo check tea {where}", desk.folder)
    assert (done.code, done.err.strip()) == (code, words)


def test_table_is_written_without_a_reader(desk: Desk, tmp_path: Path) -> None:
    pile = tmp_path / "pile"
    pile.mkdir()
    for name in ("ada", "bob", "cid"):
        desk.hand_in(pile, name, BROKEN)
    check = f"asyncdemo check --all --handed-in {pile} --course {desk.course} --csv table.csv"
    done = shell(f"{check} | :", tmp_path)
    assert (done.code, done.err.strip()) == (1, NO_READER)
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 4


def test_hostile_folder_name_is_safe_in_every_table(desk: Desk, tmp_path: Path) -> None:
    pile = tmp_path / "pile"
    pile.mkdir()
    try:
        desk.hand_in(pile, "ada", BROKEN)
        (pile / "ada").rename(pile / HOSTILE_NAME)
    except OSError:
        pytest.skip("this file system takes only UTF-8")
    words: list[str | Path] = ["check", "--all", "--handed-in", pile, "--course", desk.course]
    printed = in_process(*words, "--csv", "t.csv", "--junit", "t.xml", cwd=tmp_path)
    assert printed.code == 1
    assert all(char.isprintable() or char == "\n" for char in printed.out + printed.err)
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1][0].startswith("'=HYPERLINK")
    suite = ElementTree.parse(tmp_path / "t.xml").getroot()[0]
    assert suite.attrib["name"].isprintable()
    data = json.loads(in_process(*words, "--json", cwd=tmp_path).out)
    assert data["workspaces"][0]["name"].encode()


def test_watch_ends_when_its_reader_leaves(desk: Desk) -> None:
    desk.tea.write_text(BROKEN)
    done = shell("asyncdemo watch tea --plain | head -1 > /dev/null", desk.folder)
    assert (done.code, done.err.strip()) == (130, NO_READER)


@contextmanager
def unread(*arguments: str, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command whose stdout is a full pipe that nobody reads."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    fcntl.fcntl(write_end, 1031, 4096)  # F_SETPIPE_SZ: one page
    with suppress(BlockingIOError):
        while True:
            os.write(write_end, b"x" * 4096)
    os.set_blocking(write_end, True)
    process = subprocess.Popen(
        asyncdemo_command(*arguments),
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=write_end,
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        os.close(read_end)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("arguments", [("check", "tea"), ("watch", "tea", "--plain"), ("list",)])
def test_signal_ends_a_command_that_nobody_reads(
    desk: Desk, arguments: Sequence[str], number: signal.Signals
) -> None:
    desk.tea.write_text(BROKEN)
    with unread(*arguments, cwd=desk.folder) as process:
        waiting = Path(f"/proc/{process.pid}/wchan")
        assert until(lambda: "pipe" in waiting.read_text())
        process.send_signal(number)
        assert process.wait(30) == 130


HANGS = """
import sys
from asyncdemo.tui.drawing import Drawing

def draw_for_ever(*arguments):
    open("drawing", "w").close()
    while True:
        pass

Drawing.render_line = draw_for_ever
from asyncdemo.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("way", ["q", "\x03", signal.SIGTERM, signal.SIGINT])
def test_screen_that_draws_for_ever_can_be_left(desk: Desk, way: str | signal.Signals) -> None:
    (desk.folder / "hangs.py").write_text(HANGS)
    with Terminal("watch", "tea", cwd=desk.folder, module="hangs", PYTHONPATH=f"{ROOT}/src:.") as terminal:
        terminal.wait_until((desk.folder / "drawing").exists)
        if isinstance(way, str):
            terminal.type(way)
        else:
            os.kill(terminal.pid, way)
        assert terminal.end() == 130
        assert terminal.shows_keys()
        assert "Traceback" not in terminal.text


INTERRUPTED_WRITES = """
import io, os, random, signal
from asyncdemo.cli.output import _Target

class Raised(Exception): pass

def raise_it(*_): raise Raised

reading, writing = os.pipe()
signal.signal(signal.SIGALRM, raise_it)
writer, draw, raised = io.BufferedWriter(_Target(writing)), random.Random(1), 0
for n in range(4000):
    try:
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(3e-6, 4e-5))
        writer.write(b"%d\\n" % n)
        writer.flush()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Raised:
        raised += 1
        writer.flush()
lines = os.read(reading, 1 << 16).split()
print(raised > 100, len(lines) - len(set(lines)))
"""


def test_write_that_a_signal_interrupts_is_not_repeated() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WRITES], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "True 0\n"
