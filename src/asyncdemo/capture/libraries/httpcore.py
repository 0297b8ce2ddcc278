"""Tells when tasks queue for a connection of httpcore, which httpx uses. Its pools are not observed."""

from __future__ import annotations

from asyncdemo.capture.libraries.library import POOL, Library, Package

LIBRARY = Library(packages={"httpcore": Package({"AsyncPoolRequest.wait_for_connection": POOL})})
