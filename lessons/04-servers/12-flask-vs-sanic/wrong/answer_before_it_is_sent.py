"""The image is sent after the answer, which has a receipt that is made up.

Breaks: after its image has been sent,
Breaks: Send the image on to the store, then answer with the store's receipt.
Fault: should be answered with the receipt of a send
"""


async def send_later(image: bytes) -> None:
    async with gate:
        await asyncio.to_thread(send, image)


@app.post("/upload")
async def upload(request: Request) -> HTTPResponse:
    """Send the image on to the store, then answer with the store's receipt."""
    request.app.add_task(send_later(request.body))
    return json({"receipt": f"{draw.randrange(1_000_000):06}"})
