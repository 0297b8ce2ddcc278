"""Observes what holds up a thread: locks, queues, sockets, executors, and code that blocks a loop."""
