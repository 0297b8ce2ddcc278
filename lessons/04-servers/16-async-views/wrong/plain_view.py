"""Wrong: Quart runs a plain view in a thread, and each thread makes its own loop again."""

import asyncio
import os
import random
import time

from quart import Quart, request
from quart.typing import ResponseReturnValue

PART_MS = 300
SIGN_MS = 80
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("pages")
chance = random.Random(SEED)


async def fetch(part: int) -> str:
    """Fetch one part of the page from another service. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    await asyncio.sleep((PART_MS - 40 * part) / 1000)
    return f"part {part} {code:06}"


def sign(parts: list[str]) -> str:
    """Sign a page. This library blocks until another service has answered. Leave this function as it is."""
    code = chance.randrange(1_000_000)
    time.sleep(SIGN_MS / 1000)
    return f"{code:06} for {', '.join(parts)}"


async def body() -> dict[str, list[int]]:
    return dict(await request.get_json())


async def fetch_all(wanted: list[int]) -> list[str]:
    return list(await asyncio.gather(*(fetch(part) for part in wanted)))


@app.post("/page")
def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = asyncio.run(body())["parts"]
    parts = asyncio.run(fetch_all(wanted))
    return {"parts": parts, "signature": sign(parts)}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
