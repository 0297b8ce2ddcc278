"""Tells what tasks wait for in anyio, which starlette, httpx and others are built upon."""

from __future__ import annotations

from asyncdemo.capture.libraries.library import READ, WRITE, Library, Package
from asyncdemo.capture.recorder import QUEUED, WAITING

LIBRARY = Library(
    packages={
        "anyio": Package(
            {
                "AsyncIOBackend.run_sync_in_worker_thread": ("thread", WAITING),
                "CapacityLimiter.acquire_on_behalf_of": ("semaphore", QUEUED),
                "Condition.wait": ("condition", WAITING),
                "ConnectedUDPSocket.receive": READ,
                "Lock.acquire": ("lock", QUEUED),
                "MemoryObjectReceiveStream.receive": ("empty queue", WAITING),
                "MemoryObjectSendStream.send": ("full queue", QUEUED),
                "Semaphore.acquire": ("semaphore", QUEUED),
                "SocketStream.receive": READ,
                "SocketStream.send": WRITE,
                "TaskGroup.__aexit__": ("taskgroup", WAITING),
                "UDPSocket.receive": READ,
            }
        )
    }
)
