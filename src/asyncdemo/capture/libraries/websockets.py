"""Tells when tasks wait for a message of websockets."""

from __future__ import annotations

from asyncdemo.capture.libraries.library import READ, Library, Package

LIBRARY = Library(packages={"websockets": Package({"Assembler.get": READ, "Assembler.get_iter": READ})})
