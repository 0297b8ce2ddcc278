"""Tornado's server."""

import asyncio

import uvloop
from starting import forked, load
from tornado.httpserver import HTTPServer


def log_nothing(handler: object) -> None:
    pass


async def main() -> None:
    app = load(options.target)
    app.settings["log_function"] = log_nothing
    server = HTTPServer(app)
    server.add_socket(shared)
    await asyncio.Event().wait()


if __name__ == "__main__":
    options, shared = forked()
    new_loop = uvloop.new_event_loop if options.loop == "uvloop" else asyncio.new_event_loop
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())
