"""The tracer: runs inside the traced process and streams what every task and thread does.

Standard library only, so that it works in any environment a script runs in. Imports nothing of
the rest of asyncdemo: the other end of the stream is ``asyncdemo.recording.runner``.
"""
