"""A thread for each request, and in each thread an event loop for one view.

Breaks: Move it to Quart.
Breaks: on one event loop,
Fault: All pages should be made on one event loop
"""

import flask
import flask.typing

app = flask.Flask("pages")


@app.post("/page")
async def page() -> flask.typing.ResponseReturnValue:
    """Return the parts that the client asks for, in that order, and their signature."""
    wanted = flask.request.get_json()["parts"]
    parts = await asyncio.gather(*(fetch(part) for part in wanted))
    return {"parts": parts, "signature": sign(parts)}


def main() -> None:
    app.run(host="127.0.0.1", port=PORT, threaded=True)
