"""The script's captured output: from bytes on pipes or terminals to text for a listener."""

from __future__ import annotations

import codecs
import os
import subprocess
from collections.abc import Iterator, Mapping

from asyncdemo.recording.assembly import Listener
from asyncdemo.recording.terminals import set_size


class CapturedOutput:
    """The open descriptors that it is read from, which must be closed."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        self._streams: dict[int, tuple[str, codecs.IncrementalDecoder]] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(tuple(self._streams))

    def __bool__(self) -> bool:
        return bool(self._streams)

    def open(self, descriptors: Mapping[int, str]) -> None:
        """Take ownership of descriptors, given with the names of their streams."""
        for descriptor, stream in descriptors.items():
            self._streams[descriptor] = stream, codecs.getincrementaldecoder("utf-8")("replace")

    def read(self, descriptor: int) -> None:
        stream, decoder = self._streams[descriptor]
        try:
            data = os.read(descriptor, 1 << 16)
        except OSError:  # a terminal whose other end is closed
            data = b""
        text = decoder.decode(data, final=not data)
        if text and self._listener is not None:
            self._listener.output(stream, text)
        if not data:
            self._close(descriptor)

    def resize(self, size: tuple[int, int]) -> None:
        """Set rows and columns of the terminals."""
        for descriptor in self:
            set_size(descriptor, size)

    def hand_over(self) -> None:
        """Give up all descriptors; what is written from now on reaches our own streams without us."""
        for descriptor, (stream, _) in list(self._streams.items()):
            subprocess.run(
                ["sh", "-c", "exec 3<&0; cat <&3 2>/dev/null &"],  # in the background, stdin is /dev/null
                stdin=descriptor,
                stdout=1 if stream == "stdout" else 2,
                start_new_session=True,
                check=False,
            )
            self._close(descriptor)

    def close(self) -> None:
        """Close all descriptors. May be called twice."""
        for descriptor in list(self._streams):
            self._close(descriptor)

    def _close(self, descriptor: int) -> None:
        self._streams.pop(descriptor)
        os.close(descriptor)
