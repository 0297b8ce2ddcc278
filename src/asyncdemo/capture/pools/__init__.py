"""Observes the connection pools of database and HTTP clients: who opened, held and closed which connection.

One module a library; each names the few functions in which that library makes a pool, opens a connection,
hands it out, takes it back and closes it. A function that a version does not have is left out.
Not for: what a task waits for inside of them (``libraries``, ``reasons``).
"""

from asyncdemo.capture.pools.book import Pools
from asyncdemo.capture.pools.installed import in_modules

__all__ = ["Pools", "in_modules"]
