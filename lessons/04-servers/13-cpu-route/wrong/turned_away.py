"""What takes long is not offered any more.

Breaks: All requests get the right answers,
Fault: should be answered with status 200
"""


@app.get("/describe")
async def described(request: Request) -> HTTPResponse:
    """Describe the next picture."""
    return json({"error": "too expensive"}, status=503)


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, single_process=True)
