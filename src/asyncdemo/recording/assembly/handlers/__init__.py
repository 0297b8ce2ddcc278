"""What each message of the traced process means: one function a message, in modules by subject.

A handler is called with the state and the message; it raises ValueError, KeyError or the like for what makes
no sense. A new message is a NamedTuple in ``capture.wire`` and a handler here.
"""

from __future__ import annotations

from asyncdemo.recording.assembly.handlers import blocking, pools, process, requests, resources, stuck, tracks
from asyncdemo.recording.assembly.state import MessageHandlers

__all__ = ["MESSAGES"]

MESSAGES: MessageHandlers = {
    **process.MESSAGES,
    **tracks.MESSAGES,
    **blocking.MESSAGES,
    **resources.MESSAGES,
    **pools.MESSAGES,
    **requests.MESSAGES,
    **stuck.MESSAGES,
}
