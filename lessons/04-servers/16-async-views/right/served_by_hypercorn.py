"""Right: the server is started as in production, and the app only made here."""

import asyncio
import os

from hypercorn.asyncio import serve
from hypercorn.config import Config
from quart import Quart, request
from quart.typing import ResponseReturnValue

PART_MS = 300
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("pages")


async def fetch(part: int) -> str:
    """One part of the page, from another service. Leave this function as it is."""
    await asyncio.sleep(PART_MS / 1000)
    return f"part {part}"


@app.post("/page")
async def page() -> ResponseReturnValue:
    """The parts that the client asks for, as JSON."""
    wanted = (await request.get_json())["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts}


def main() -> None:
    config = Config()
    config.bind = [f"127.0.0.1:{PORT}"]
    asyncio.run(serve(app, config))


if __name__ == "__main__":
    main()
