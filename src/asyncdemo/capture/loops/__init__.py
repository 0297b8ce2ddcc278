"""Observes event loops: asyncio's, uvloop's, gevent's hub, and the virtual clock."""
