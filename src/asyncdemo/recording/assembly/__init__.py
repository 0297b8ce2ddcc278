"""From the events of a traced process to a ``Run``."""

from asyncdemo.recording.assembly.assembly import Assembly
from asyncdemo.recording.assembly.live_feed import Listener
from asyncdemo.recording.assembly.requests import RequestMatcher

__all__ = ["Assembly", "Listener", "RequestMatcher"]
