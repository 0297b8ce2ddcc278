"""Servers under the tracer, with the services that they need and the load that is sent to them.

A session drives all of it like a plain recording, and gives one ``Run``, with its requests.
Not for: what a lesson sends (``course.content.load``), the load client (``load``) or the services themselves.
"""

from asyncdemo.serving.batch import Batch, Job
from asyncdemo.serving.run_context import RunContext
from asyncdemo.serving.service_cache import ServiceCache
from asyncdemo.serving.session import Session, open_recording

__all__ = ["Batch", "Job", "RunContext", "ServiceCache", "Session", "open_recording"]
