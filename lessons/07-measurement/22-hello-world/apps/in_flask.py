"""Hello world in Flask. The lab serves it with Flask's own server, one request at a time and with threads."""

from flask import Flask, Response

app = Flask("hello")


@app.get("/")
def hello() -> Response:
    return Response("Hello, World!", mimetype="text/plain")


if __name__ == "__main__":
    app.run(port=8888)
