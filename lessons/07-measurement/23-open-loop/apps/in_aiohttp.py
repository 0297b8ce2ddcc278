"""Hello world as text, in aiohttp.

Served by the server that aiohttp brings along, one process.
"""

from aiohttp import web


async def hello(request: web.Request) -> web.Response:
    return web.Response(text="Hello, world!")


app = web.Application()
app.add_routes([web.get("/", hello)])


if __name__ == "__main__":
    web.run_app(app, port=8000)
