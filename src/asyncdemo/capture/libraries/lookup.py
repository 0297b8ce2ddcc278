"""Finds what is known of a library, by its code and by its modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import CodeType, ModuleType
from typing import Any

from asyncdemo.capture.instrument import Patches
from asyncdemo.capture.libraries.library import Library, Package, Reason, package_of
from asyncdemo.capture.libraries.pool_registry import PoolRegistry
from asyncdemo.capture.recorder import WAITING


class Libraries:
    """The known libraries. Well-known ones build their own primitives from asyncio's.

    A bare future of ``aiohttp`` or an ``asyncio.Event`` inside an ``anyio`` stream says nothing; the
    library's coroutine that awaits it does.
    """

    def __init__(self, libraries: Iterable[Library]) -> None:
        self._libraries = tuple(libraries)
        self._packages: dict[str, Package] = {}
        self._with_pools: set[str] = set()
        for library in self._libraries:
            self._packages.update(library.packages)
            if library.pools is not None:
                self._with_pools.update(library.packages, library.parts)
        self._by_file: dict[str, str] = {}

    def hooks(
        self, pools: PoolRegistry, patches: Patches, on_import: Callable[[], None]
    ) -> dict[str, Callable[[ModuleType], None]]:
        """Return module -> what is to be called once it is loaded. ``on_import`` is called then, too."""

        def loaded(library: Library) -> Callable[[ModuleType], None]:
            def when_loaded(module: ModuleType) -> None:
                for qualname, transform, hook in library.hooks.get(module.__name__, ()):
                    patches.rewrite(module, qualname, partial(hook, pools), transform)
                if module.__name__ in library.installs:
                    library.installs[module.__name__](pools, patches, module)
                patches.forget_sources()
                on_import()

            return when_loaded

        return {
            name: loaded(library)
            for library in self._libraries
            for name in (*library.hooks, *library.installs)
        }

    def has_pools(self, filename: str) -> bool:
        """Return whether a library has it whose pools are observed: they are the limit, not its locks."""
        return package_of(filename) in self._with_pools

    def reason(self, codes: list[CodeType | None]) -> tuple[Reason, int] | None:
        """Return (reason, index of the code that tells it) for suspended coroutines, or None.

        ``codes`` are theirs, innermost first, without asyncio's own. The first listed function tells, or else
        that the code is of a library that talks to a single service. Any unknown code ends the search.
        """
        name, service = "", ""
        for place, code in enumerate(codes):
            inner, name = name, self._package(code)
            if service and name != inner:
                return (service, WAITING), place - 1
            if code is None or not name:
                return None
            reasons, service = self._packages[name]
            found = reasons.get(code.co_qualname)
            if found is not None:
                return found, place
        return ((service, WAITING), len(codes) - 1) if service else None

    def service(self, code: CodeType | None) -> str:
        """Return what the library talks to, if it talks to a single service; else ""."""
        name = self._package(code)
        return self._packages[name].service if name else ""

    def any_imported(self, modules: dict[str, Any]) -> bool:
        """Return whether any of the packages with coroutines is imported."""
        return any(name in modules for name in self._packages)

    def _package(self, code: CodeType | None) -> str:
        """Return the package with coroutines that the code is of; else ""."""
        if code is None:
            return ""
        known = self._by_file.get(code.co_filename)
        if known is None:
            package = package_of(code.co_filename)
            known = self._by_file[code.co_filename] = package if package in self._packages else ""
        return known
