"""Learn and teach sync and async Python by seeing what a program waits for."""

__version__ = "0.1.0"
