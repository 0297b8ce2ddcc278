"""What each message of the traced process means: one function per message, in modules by subject.

A handler is called with the state and the message; it raises ValueError, KeyError or the like if that makes
no sense. To add a message, add a NamedTuple to ``capture.wire`` and a handler here.
"""

from __future__ import annotations

from asyncdemo.recording.assembly.handlers import blocking, pools, process, requests, resources, stuck, tracks
from asyncdemo.recording.assembly.state import MessageHandlers

__all__ = ["HANDLERS"]

HANDLERS: MessageHandlers = {
    **process.HANDLERS,
    **tracks.HANDLERS,
    **blocking.HANDLERS,
    **resources.HANDLERS,
    **pools.HANDLERS,
    **requests.HANDLERS,
    **stuck.HANDLERS,
}
