"""Servers under the lens, with the services that they need and the load that is sent to them.

A session drives all of it like a plain recording, and gives one ``Run``, with its requests.
Not for: what a lesson sends (``course.content.load``), the load client (``load``) or the services themselves.
"""

from asyncdemo.serving.kept import KeptServices
from asyncdemo.serving.run_context import RunContext
from asyncdemo.serving.session import Session, open_recording

__all__ = ["KeptServices", "RunContext", "Session", "open_recording"]
