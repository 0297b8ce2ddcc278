"""The request is answered before its image has been stored.

Breaks: before its request is answered.
Fault: should be stored before its request is answered
"""

from hashlib import md5


@app.post("/images")
async def upload(request: Request) -> HTTPResponse:
    """Answer one request: a form with a file in its field "image"."""
    if not request.files:
        return json({"error": "send a form with a file in its field image"}, status=400)
    image = request.files["image"][0]
    request.app.add_task(put(app.ctx.s3, f"{request.id}/{image.name}", image.body))
    return json({"etag": md5(image.body).hexdigest()})
