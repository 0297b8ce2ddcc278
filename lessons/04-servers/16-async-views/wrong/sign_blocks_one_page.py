"""Wrong: a page that is made alone is signed on the event loop."""

import asyncio
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor

from quart import Quart, request
from quart.typing import ResponseReturnValue

PART_MS = 300
SIGN_MS = 80
SEED = 0
PORT = int(os.environ.get("PORT", "8000"))

app = Quart("pages")
signing = ThreadPoolExecutor(max_workers=1000)
open_pages: list[object] = []
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


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    this = object()
    open_pages.append(this)
    try:
        wanted = (await request.get_json())["parts"]
        parts = await asyncio.gather(*(fetch(part) for part in wanted))
        if len(open_pages) == 1:  # this holds up nobody
            return {"parts": parts, "signature": sign(parts)}
        signature = await asyncio.get_running_loop().run_in_executor(signing, sign, parts)
        return {"parts": parts, "signature": signature}
    finally:
        open_pages.remove(this)


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
