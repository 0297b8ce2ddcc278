"""This process with other standard streams for a while, down to the descriptors."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from unittest.mock import patch


@dataclass
class Said:
    """What was written to each of them; known when they are put back."""

    out: bytes = b""
    err: bytes = b""


@contextmanager
def own_streams(stdin: bytes = b"") -> Iterator[Said]:
    """As without a terminal. In files: a pipe stays open as long as anybody who was started holds it."""
    said = Said()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        with _redirected([given.fileno(), out.fileno(), err.fileno()]):
            yield said
        out.seek(0)
        err.seek(0)
        said.out, said.err = out.read(), err.read()


@contextmanager
def own_pipes(stdin: bytes = b"") -> Iterator[Said]:
    """As ``subprocess`` has them, for a script that looks at what they are."""
    said = Said()
    (given, give), (out, out_end), (err, err_end) = os.pipe(), os.pipe(), os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), open(give, "wb", closefd=True) as file:
            file.write(stdin)

    def read(descriptor: int, name: str) -> None:
        with open(descriptor, "rb") as file:
            setattr(said, name, file.read())

    threads = [
        threading.Thread(target=write),
        threading.Thread(target=read, args=(out, "out")),
        threading.Thread(target=read, args=(err, "err")),
    ]
    for thread in threads:
        thread.start()
    try:
        with _redirected([given, out_end, err_end]):
            yield said
    finally:
        for descriptor in (given, out_end, err_end):
            os.close(descriptor)
        for thread in threads:
            thread.join()


@contextmanager
def _redirected(descriptors: Sequence[int]) -> Iterator[None]:
    """0, 1 and 2 are these, and ``sys`` has streams on them as Python makes them."""
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
        with (
            open(0, encoding="utf-8", closefd=False) as stdin,
            open(1, "w", encoding="utf-8", closefd=False) as out,
            open(2, "w", buffering=1, encoding="utf-8", closefd=False) as err,
            patch.multiple(sys, stdin=stdin, stdout=out, stderr=err),
        ):
            yield
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)
