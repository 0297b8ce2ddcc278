"""Hello world in aioflask, whose views are coroutines."""

import asyncio

from aioflask import Flask

app = Flask(__name__)


async def hello() -> str:
    await asyncio.sleep(0)
    return "hello"


app.route("/")(hello)
