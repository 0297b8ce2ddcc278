"""Servers under the tracer, with the services that they need and the load sent to them.

A session has the interface of a plain recording, and returns one ``Run``, with its requests.
"""

from asyncdemo.serving.batch import Batch, Job
from asyncdemo.serving.run_context import RunContext
from asyncdemo.serving.service_cache import ServiceCache
from asyncdemo.serving.session import Session, open_recording

__all__ = ["Batch", "Job", "RunContext", "ServiceCache", "Session", "open_recording"]
