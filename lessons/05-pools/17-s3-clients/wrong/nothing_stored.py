"""The checksum is worked out here, and nothing is stored.

Breaks: Every image arrives as it was sent
Fault: There should be 12 puts; there were none
"""

from hashlib import md5


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    return json({"etag": md5(image.body).hexdigest()})
