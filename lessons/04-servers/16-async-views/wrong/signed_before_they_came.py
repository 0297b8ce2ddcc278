"""Wrong: the numbers of the parts are signed, not the parts."""

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


@app.post("/page")
async def page() -> ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = (await request.get_json())["parts"]
    signing = asyncio.to_thread(sign, [str(part) for part in wanted])
    *parts, signature = await asyncio.gather(*(fetch(part) for part in wanted), signing)
    return {"parts": parts, "signature": signature}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, use_reloader=False)


if __name__ == "__main__":
    main()
