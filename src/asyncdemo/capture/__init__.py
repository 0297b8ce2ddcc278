"""The tracer: it runs inside the traced process and streams what every task and thread does.

It uses only the standard library, so it works in any environment that a script runs in, and imports nothing
else from asyncdemo. The other end of the stream is ``asyncdemo.recording.runner``.
"""
