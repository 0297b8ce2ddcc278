"""The protocol between the traced process and its parent: each message is encoded, checked and handled."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from asyncdemo.capture import wire
from asyncdemo.recording.assembly.handlers import HANDLERS

TASK = wire.Task(1, "Task-1", "brew", None, 3, None, 5, 0, False)


def test_every_message_is_handled() -> None:
    assert set(HANDLERS) == set(get_args(wire.Message))


def test_messages_arrive_as_they_were_sent() -> None:
    sent: list[wire.Message] = [
        wire.Site(0, "tea.py", 7, "brew"),
        TASK,
        wire.Forked(),
        wire.Pending([1, 2]),
        wire.Result(None),
    ]
    (frame,) = wire.FrameReader().feed(wire.messages_frame(sent))
    assert frame[0] == wire.MESSAGES
    received = list(wire.messages(frame[1]))
    assert received == sent
    assert list(map(type, received)) == list(map(type, sent))


@pytest.mark.parametrize(
    "wrong",
    [
        ["Nonsense", 1],
        ["Task", *TASK[:-1]],
        ["Task", *TASK, 0],
        ["Task", True, *TASK[1:]],
        ["Task", *TASK[:-1], 0],
        ["Site", 0, "tea.py", "7", "brew"],
        ["Result", 5],
        [],
        [[]],
    ],
)
def test_what_is_no_message_is_refused_also_the_second_time(wrong: list[object]) -> None:
    for _ in range(2):
        with pytest.raises((ValueError, TypeError, KeyError)):
            list(wire.messages(json.dumps([wrong]).encode()))
