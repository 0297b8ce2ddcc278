"""Hello world in aiohttp."""

from aiohttp import web


async def hello(request: web.Request) -> web.Response:
    return web.Response(text="hello")


app = web.Application()
app.add_routes([web.get("/", hello)])
