"""Observes clients of AWS services, boto3's and aiobotocore's: a client is a pool, named after its service.

The client's HTTP session makes the actual pool (aiohttp's connector, urllib3's pools) at the first request.
That counts as the same pool, made where the client was.
"""

from __future__ import annotations

from typing import Any

from asyncdemo.capture.instrument import around, at_end, on_entry
from asyncdemo.capture.libraries.library import Library, Package
from asyncdemo.capture.libraries.pool_registry import PoolKind, PoolRegistry

_KIND = PoolKind(
    "s3",
    "s3",
    is_http=True,
    size="`Config(max_pool_connections=...)`",
    giving_back="`async with`, or read the response to its end",
)
"""Of a client for S3; of another service, the name is that one."""


def _endpoint_made(pools: PoolRegistry, endpoint: Any) -> None:
    session = endpoint.http_session
    # boto3 keeps this many connections, but opens as many as are requested
    limited = hasattr(session, "_create_connector")
    service = str(endpoint._endpoint_prefix)
    kind = _KIND._replace(name=service, service=service)
    pools.made(session, kind, session._max_pool_connections if limited else None)


def _calling(pools: PoolRegistry, client: Any) -> Any:
    model = getattr(client, "_service_model", None)
    return pools.waits.serving(str(getattr(model, "endpoint_prefix", "")))


def _reading(pools: PoolRegistry, body: Any) -> Any:
    raw = getattr(body, "_raw_stream", None)
    return pools.waits.serving(pools.service_of(getattr(raw, "_connection", None)))


LIBRARY = Library(
    packages={"aiobotocore": Package()},
    hooks={
        "botocore.endpoint": (("Endpoint.__init__", at_end, _endpoint_made),),
        # the sessions: a client that was never used has no connector that could be closed
        "botocore.httpsession": (("URLLib3Session.close", on_entry, PoolRegistry.shut),),
        "aiobotocore.httpsession": (("AIOHTTPSession.__aexit__", on_entry, PoolRegistry.shut),),
        "botocore.client": (("BaseClient._make_api_call", around, _calling),),
        "botocore.response": (("StreamingBody.read", around, _reading),),
    },
    title="boto3 and aiobotocore (a client, by its service)",
    pools=_KIND,
    parts=("boto3", "botocore", "s3transfer"),
)
