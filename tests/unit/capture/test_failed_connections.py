"""Connections that failed: the pool closes them and has their place back, so nothing has leaked."""

from __future__ import annotations

from pathlib import Path

import pytest

from asyncdemo.analysis.diagnose import diagnose
from asyncdemo.analysis.metrics.pools import pool_use
from tests.support.truth import recorded

_SCRIPT = """
import socket, threading

silent = socket.create_server(("127.0.0.1", 0))
refused = socket.socket()
refused.bind(("127.0.0.1", 0))  # it doesn't listen
ports = {"refused": refused.getsockname()[1], "timed out": silent.getsockname()[1]}
PORT = ports[WHY]


def work():
    call = make()
    for _ in range(3):
        try:
            call()
        except Exception:
            print("failed")


thread = threading.Thread(target=work)
thread.start()
thread.join()
"""

_MAKES = {
    "requests": """
def make():
    import requests
    session = requests.Session()
    return lambda: session.get(f"http://127.0.0.1:{PORT}/", timeout=0.05)
""",
    "urllib3": """
def make():
    import urllib3
    pool = urllib3.PoolManager(maxsize=2, block=True)
    return lambda: pool.request("GET", f"http://127.0.0.1:{PORT}/", timeout=0.05, retries=1)
""",
    "boto3": """
def make():
    import boto3
    from botocore.config import Config
    config = Config(retries={"max_attempts": 0}, read_timeout=0.05)
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "eu-west-1"}
    return boto3.client("s3", endpoint_url=f"http://127.0.0.1:{PORT}", config=config, **keys).list_buckets
""",
    "redis": """
def make():
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry
    client = redis.Redis(port=PORT, socket_timeout=0.05, retry=Retry(NoBackoff(), 0))
    return lambda: client.get("key")
""",
    "psycopg_pool": """
def make():
    from psycopg_pool import ConnectionPool
    pool = ConnectionPool(f"host=127.0.0.1 port={PORT} connect_timeout=1", min_size=1, timeout=0.1, open=True)
    def call():
        with pool.connection():
            pass
    return call
""",
}


@pytest.mark.parametrize("why", ["refused", "timed out"])
@pytest.mark.parametrize("library", _MAKES)
def test_failed_connection_is_not_leaked(library: str, why: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    seen = recorded(tmp_path, f"WHY = {why!r}\n{_MAKES[library]}\n{_SCRIPT}")
    run = seen.run
    assert seen.stdout == "failed\n" * 3
    assert [use.leaked for use in pool_use(run)] == [0] * len(pool_use(run))
    assert {finding.kind for finding in diagnose(run)} <= {"refused-by-pool"}


def test_response_that_was_never_read_is_leaked(tmp_path: Path) -> None:
    script = """
import http.server, threading
import urllib3


class Answer(http.server.BaseHTTPRequestHandler):  # it closes each connection
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"x" * 1_000_000)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
pool = urllib3.HTTPConnectionPool("127.0.0.1", server.server_port)
kept = []


def work():
    kept.append(pool.request("GET", "/", preload_content=False))


thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    assert "leaked-connection" in {one.kind for one in diagnose(recorded(tmp_path, script).run)}
