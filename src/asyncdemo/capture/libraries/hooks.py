"""Maps each module of a library to what observes it; no library is imported here."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.libraries import (
    aiohttp_client,
    asyncpg_pool,
    aws,
    psycopg2_pool,
    psycopg_pools,
    redis_py,
    urllib3_pool,
)
from asyncdemo.capture.libraries.pool_registry import PoolRegistry

_Install = Callable[[PoolRegistry, Patches, ModuleType], None]


def in_modules(
    pools: PoolRegistry, patches: Patches, on_import: Callable[[], None]
) -> dict[str, Callable[[ModuleType], None]]:
    """Return module -> what is to be called once it is loaded. ``on_import`` is called then, too."""

    def loaded(install: _Install) -> Callable[[ModuleType], None]:
        def when_loaded(module: ModuleType) -> None:
            install(pools, patches, module)
            patches.forget_sources()
            on_import()

        return when_loaded

    libraries = (aiohttp_client, asyncpg_pool, aws, psycopg2_pool, psycopg_pools, redis_py, urllib3_pool)
    return {name: loaded(install) for library in libraries for name, install in library.MODULES.items()}
