"""aiohttp's server."""

import asyncio

import uvloop
from aiohttp import web
from starting import forked, load

if __name__ == "__main__":
    options, shared = forked()
    loop = uvloop.new_event_loop() if options.loop == "uvloop" else asyncio.new_event_loop()
    # backlog: it calls listen() again
    web.run_app(
        load(options.target), sock=shared, backlog=options.backlog, access_log=None, print=None, loop=loop
    )
