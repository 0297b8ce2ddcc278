"""Observes clients of AWS services, boto3's and aiobotocore's: a client is a pool, named after its service.

The client's HTTP session makes the actual pool (aiohttp's connector, urllib3's pools) at the first request.
That counts as the same pool, made where the client was.
"""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches, around, at_end, on_entry
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


def _install_endpoint(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    patches.rewrite(module, "Endpoint.__init__", partial(_endpoint_made, pools), at_end)


def _install_session(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    """Hook the session: a client that was never used has no connector that could be closed."""
    patches.rewrite(module, "URLLib3Session.close", pools.shut, on_entry)
    patches.rewrite(module, "AIOHTTPSession.__aexit__", pools.shut, on_entry)


def _install_client(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    def serving(client: Any) -> Any:
        model = getattr(client, "_service_model", None)
        return pools.waits.serving(str(getattr(model, "endpoint_prefix", "")))

    patches.rewrite(module, "BaseClient._make_api_call", serving, around)


def _install_response(pools: PoolRegistry, patches: Patches, module: ModuleType) -> None:
    def serving(body: Any) -> Any:
        raw = getattr(body, "_raw_stream", None)
        return pools.waits.serving(pools.service_of(getattr(raw, "_connection", None)))

    patches.rewrite(module, "StreamingBody.read", serving, around)


LIBRARY = Library(
    packages={"aiobotocore": Package()},
    modules={
        "botocore.endpoint": _install_endpoint,
        "aiobotocore.httpsession": _install_session,
        "botocore.client": _install_client,
        "botocore.httpsession": _install_session,
        "botocore.response": _install_response,
    },
    title="boto3 and aiobotocore (a client, by its service)",
    pools=_KIND,
    parts=("boto3", "botocore", "s3transfer"),
)
