"""The tracer in servers: whatever fault of its own it meets there, the server is as it would be without."""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from asyncdemo.capture import wire
from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.libraries.server_requests import Requests
from asyncdemo.capture.loops.state import Loops
from asyncdemo.capture.recorder import Origins, Recorder
from tests.support.guards import strict_guard

TRACE = "a" * 32
TRACEPARENT = f"00-{TRACE}-{'b' * 16}-01"
PROTOCOL = "sanic.server.protocols.http_protocol"
FLASK = """
class Flask:
    def __call__(self, environ, start_response):
        return start_response(environ)
"""
SANIC = """
class HttpProtocol:
    def connection_made(self, transport):
        self.transport = transport
"""


@pytest.fixture
def recorder() -> Recorder:
    made = Recorder(Origins())
    made.open_thread(threading.get_ident(), "MainThread", None, None, None, 0)
    return made


@pytest.fixture
def patches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Patches]:
    for name in ("flask.app", PROTOCOL):  # another test may have imported the real ones
        monkeypatch.delitem(sys.modules, name, raising=False)
    made = Patches(strict_guard())
    yield made
    made.undo()


def messages(recorder: Recorder) -> list[wire.Message]:
    wanted = (wire.Handling, wire.Handled, wire.Accepted, wire.Note)
    return [one for one in recorder._definitions if isinstance(one, wanted)]


def observed(name: str, source: str, folder: Path, recorder: Recorder, patches: Patches) -> ModuleType:
    """A module that stands for one of a framework, with the hooks that this would get."""
    file = folder / "stand_in.py"
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    Requests(recorder, Loops(recorder)).in_modules(patches)[name](module)
    return module


def test_request_is_recorded_from_beginning_to_end(
    tmp_path: Path, recorder: Recorder, patches: Patches
) -> None:
    app = observed("flask.app", FLASK, tmp_path, recorder, patches).Flask()
    assert app({"HTTP_TRACEPARENT": TRACEPARENT}, len) == 1
    begun, ended = messages(recorder)
    assert isinstance(begun, wire.Handling)
    assert isinstance(ended, wire.Handled)
    assert (begun.trace_id, ended.number) == (TRACE, begun.number)


@pytest.mark.parametrize("header", [None, "", "00-xyz", f"{TRACEPARENT}-more", 7])
def test_a_request_that_is_not_the_load_clients_is_left_alone(
    header: object, tmp_path: Path, recorder: Recorder, patches: Patches
) -> None:
    app = observed("flask.app", FLASK, tmp_path, recorder, patches).Flask()
    assert app({"HTTP_TRACEPARENT": header}, len) == 1
    assert messages(recorder) == []


@pytest.mark.parametrize(
    ("peer", "count"), [(("127.0.0.1", 5000), 1), ("", 0), (b"\0name", 0), (("eth0", "x"), 0)]
)
def test_only_a_connection_with_a_port_is_reported(
    peer: object, count: int, tmp_path: Path, recorder: Recorder, patches: Patches
) -> None:
    class Transport:
        def get_extra_info(self, name: str) -> object:
            return peer

    module = observed(PROTOCOL, SANIC, tmp_path, recorder, patches)
    module.HttpProtocol().connection_made(Transport())
    assert len(messages(recorder)) == count
