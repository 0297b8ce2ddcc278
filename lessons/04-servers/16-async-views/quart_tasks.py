"""A page has three parts, each from another service. Twenty clients ask for it: how many at the same time?

Predict the peak of page and the seconds before you run it:  asyncdemo run async-views --variant quart
"""

import asyncio
import os

from quart import Quart
from quart.typing import ResponseReturnValue

PARTS = 3
PART_MS = 100
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("pages")


async def fetch(part: int) -> str:
    """Fetch one part of the page from another service."""
    await asyncio.sleep(PART_MS / 1000)
    return f"part {part}"


@app.get("/page")
async def page() -> ResponseReturnValue:
    parts = await asyncio.gather(*(fetch(part) for part in range(PARTS)))
    return {"parts": parts}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
