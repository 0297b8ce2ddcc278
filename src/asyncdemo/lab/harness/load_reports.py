"""What wrk, ab and oha print, read into what a trial keeps.

Not for: running them (``cross_checks``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from asyncdemo.errors import AsyncdemoError
from asyncdemo.lab.harness.engines import Measured, latencies_ms
from asyncdemo.lab.results.trial import Load

__all__ = ["read_ab", "read_oha", "read_wrk"]

_MS: Final = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4, "h": 3.6e6}
_S: Final = {unit: ms / 1e3 for unit, ms in _MS.items()}


_BAD_STATUS: Final = "status not 2xx or 3xx"


def _measured(
    answered: int,
    wall_s: float,
    per_s: float,
    mean_ms: float,
    percents_ms: Mapping[float, float],
    least_ms: float | None = None,
    statuses: Mapping[str, int] | None = None,
    errors: Mapping[str, int] | None = None,
) -> Measured:
    """As these programs count, all the time is the window, and what failed was begun, too.

    answered: of any status. percents_ms: the greatest as 100. errors: kind -> how many.
    """
    failed = errors or {}
    latencies = latencies_ms(answered, mean_ms, least_ms or 0.0, percents_ms)
    if least_ms is None:
        latencies.pop("0", None)
    load = Load(
        requests=answered + sum(failed.values()) - failed.get(_BAD_STATUS, 0),
        answered=answered,
        wall_s=wall_s,
        window_s=wall_s,
        answered_in_window=answered,
        throughput_per_s=per_s,
        statuses=statuses or {},
        errors=failed,
        latency_ms=latencies,
    )
    return Measured(load, p99_ms=percents_ms.get(99.0))


def read_wrk(text: str) -> Measured:
    """``wrk --latency``. Its latency leaves connecting out."""
    count, wall = _find(text, r"(\d+) requests in (\S+?),", "wrk")
    (per_s,) = _find(text, r"Requests/sec:\s+(\S+)", "wrk")
    mean, _, most = _find(text, r"Latency\s+([\d.]+\w+)\s+(\S+)\s+([\d.]+\w+)", "wrk")
    percents = {
        float(percent): _units(value, _MS)
        for percent, value in re.findall(r"^\s+([\d.]+)%\s+([\d.]+\w+)$", text, re.MULTILINE)
    }
    failed = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    errors = (
        dict(zip(("connect", "read", "write", "timeout"), failed.groups(), strict=True)) if failed else {}
    )
    if wrong := re.search(r"Non-2xx or 3xx responses: (\d+)", text):
        errors[_BAD_STATUS] = wrong[1]
    return _measured(
        int(count),
        _units(wall, _S),
        float(per_s),
        _units(mean, _MS),
        {**percents, 100.0: _units(most, _MS)},
        errors=_counts(errors),
    )


def read_ab(text: str) -> Measured:
    """Its percentiles are whole milliseconds."""
    (count,) = _find(text, r"Complete requests:\s+(\d+)", "ab")
    (wall_s,) = _find(text, r"Time taken for tests:\s+(\S+)", "ab")
    (per_s,) = _find(text, r"Requests per second:\s+(\S+)", "ab")
    least, mean = _find(text, r"Total:\s+(\d+)\s+(\d+)", "ab")
    percents = re.findall(r"^\s+(\d+)%\s+(\d+)", text, re.MULTILINE)
    errors = {"failed": str(_failed_by_ab(text))}
    if wrong := re.search(r"Non-2xx responses:\s+(\d+)", text):
        errors[_BAD_STATUS] = wrong[1]
    return _measured(
        max(0, int(count) - int(errors["failed"])),  # which are complete to it, too
        float(wall_s),
        float(per_s),
        float(mean),
        {float(percent): float(value) for percent, value in percents},
        float(least),
        errors=_counts(errors),
    )


def _failed_by_ab(text: str) -> int:
    """A connection that was reset is twice in its sum: as received in vain, and as an exception."""
    kinds = re.search(r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", text)
    if kinds is None:
        told = re.search(r"Failed requests:\s+(\d+)", text)
        return int(told[1]) if told else 0
    *failed, exceptions = map(int, kinds.groups())
    return max(sum(failed), exceptions)


def read_oha(text: str) -> Measured:
    """``oha --output-format json``; seconds throughout."""
    try:
        values: Any = json.loads(text)
        summary = values["summary"]
        percents = {
            float(name[1:].replace("_", ".")): at_s * 1000
            for name, at_s in values["latencyPercentiles"].items()
            if at_s is not None
        }
        statuses = values["statusCodeDistribution"]
        return _measured(
            answered=sum(statuses.values()),
            wall_s=summary["total"],
            per_s=summary["requestsPerSec"],
            mean_ms=summary["average"] * 1000,
            percents_ms={**percents, 100.0: summary["slowest"] * 1000},
            least_ms=summary["fastest"] * 1000,
            statuses=statuses,
            # what is under way at the end of the time is let go, and is no fault of the server
            errors={
                kind: count
                for kind, count in values["errorDistribution"].items()
                if kind != "aborted due to deadline"
            },
        )
    except (ValueError, KeyError, TypeError) as error:
        raise AsyncdemoError(f"oha said something that is not understood: {error!r}") from error


def _find(text: str, pattern: str, program: str) -> tuple[str, ...]:
    found = re.search(pattern, text)
    if found is None:
        raise AsyncdemoError(f"{program} said something that is not understood: {text.strip()[-200:]}")
    return found.groups()


def _units(text: str, units: Mapping[str, float]) -> float:
    number, unit = _find(text, r"^([\d.]+)(us|ms|s|m|h)$", "wrk")
    return float(number) * units[unit]


def _counts(found: Mapping[str, str]) -> dict[str, int]:
    return {kind: int(count) for kind, count in found.items() if int(count)}
