"""All images are stored under one key, so that each replaces the one before.

Breaks: under its own key,
Fault: Each image should be stored under its own key
"""


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    return json({"etag": await put(app.ctx.s3, "image.png", image.body)})
