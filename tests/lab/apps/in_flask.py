"""Hello world in Flask."""

import os

from flask import Flask

app = Flask(__name__)


@app.get("/")
def hello() -> str:
    return "hello"


@app.get("/knob")
def knob() -> str:
    return os.environ.get("LAB_DELAY_MS", "none")
