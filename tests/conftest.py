"""Every test's surroundings: a known environment, its own state folder, and a way to be alone."""

from __future__ import annotations

import fcntl
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Final

import hypothesis
import pytest

pytest.register_assert_rewrite("tests.support.plain_and_traced")  # so that it says what differs

EXAMPLES: Final = {"asyncdemo": 25, "release": 100}
for name, examples in EXAMPLES.items():
    hypothesis.settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,  # a test that is slow on a busy machine is not wrong
        derandomize="CI" in os.environ,  # CI judges a change, so it must not find what was there before
        print_blob=True,
    )
hypothesis.settings.load_profile("asyncdemo")  # `make test-all` asks for the other

# What a developer's shell may hold that changes what a terminal program prints or how Python runs.
UNWANTED = (
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "LINES",
    "NO_COLOR",
    "PYTHONASYNCIODEBUG",
    "PYTHONDEVMODE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "PYTHONWARNINGS",
    "TTY_COMPATIBLE",
    "TTY_INTERACTIVE",
)


def pytest_configure(config: pytest.Config) -> None:
    """Keep away from the developer's own progress, and undo what a shell does to signals.

    Fixtures of a module begin before ``surroundings``. A shell's ``command &`` ignores SIGINT, and ``nohup``
    SIGHUP, and so would what tests start.
    """
    state = TemporaryDirectory(prefix="asyncdemo-state-")
    config.add_cleanup(state.cleanup)
    os.environ["XDG_STATE_HOME"] = state.name
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Of ``-n auto``: most tests wait for a program that they have started, slow ones for servers, too."""
    asked = os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS")
    each = 2.5 if str(config.getoption("markexpr")).startswith("slow ") else 2
    return int(asked) if asked else min(int(each * (os.cpu_count() or 1)), 16)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each worker begins with its share of the tests that must be alone.

    Then they follow one another. In between others, each would have all workers wait until the last of
    them is free. Shares are cut as xdist's work stealing cuts them; without workers nothing changes.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 0)
    alone = [item for item in items if item.get_closest_marker("alone")]
    others = [item for item in items if not item.get_closest_marker("alone")]
    items[:] = []
    for left in range(workers, 0, -1):
        share = (len(alone) + len(others)) // left
        first = alone[: len(alone) // left]
        items += first + others[: share - len(first)]
        del alone[: len(first)], others[: share - len(first)]
    items += alone + others


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same environment on every machine; progress goes to a folder of the test's own."""
    for name in UNWANTED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    state = str(tmp_path_factory.mktemp("state"))
    monkeypatch.setenv("XDG_STATE_HOME", state)


class Room:
    """Where tests run: any number of them, or one alone."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._door, self._room = _opened(folder / "door"), _opened(folder / "room")

    def enter(self, alone: bool) -> None:
        """Everybody enters through the door, and who waits to be alone stands in it: else those who may
        share the room would keep it occupied for ever."""
        with _locked(self._door):
            fcntl.flock(self._room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)

    def leave(self) -> None:
        fcntl.flock(self._room, fcntl.LOCK_UN)

    def close(self) -> None:
        self._room.close()
        self._door.close()


ROOM: Final = pytest.StashKey[Room]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test marked ``alone`` waits for the others under way, and the others wait for it."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return (yield)
    with closing(Room(Path(item.config.rootpath, ".cache", "test-locks"))) as room:
        room.enter(alone=item.get_closest_marker("alone") is not None)
        item.stash[ROOM] = room
        return (yield)


@pytest.fixture
def become_alone(request: pytest.FixtureRequest) -> Callable[[], None]:
    """For a test that finds out whether it must be alone: from the call on it is."""
    room = request.node.stash.get(ROOM, None)

    def wait() -> None:
        if room is not None:
            room.leave()
            room.enter(alone=True)

    return wait


def _opened(path: Path) -> IO[str]:
    return path.open("w", encoding="utf-8")


@contextmanager
def _locked(file: IO[str]) -> Iterator[None]:
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
