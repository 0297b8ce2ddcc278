"""A terminal that goes away, as when its window is closed, keeps nobody waiting."""

from __future__ import annotations

import errno
import io
import threading

from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from asyncdemo.tui.driver import TerminalOutput


class Gone(io.StringIO):
    """What is left of a terminal whose window has been closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise OSError(errno.EIO, "Input/output error")


def test_output_to_a_terminal_that_has_gone_away_is_dropped() -> None:
    writer = WriterThread(TerminalOutput(Gone()))  # type: ignore[arg-type]

    def write_much() -> None:
        for _ in range(3 * MAX_QUEUED_WRITES):
            writer.write("x")
        writer.stop()

    writer.start()
    writing = threading.Thread(target=write_much, daemon=True)
    writing.start()
    writing.join(30)
    assert not writing.is_alive()
