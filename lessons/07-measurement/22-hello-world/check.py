"""What the audit must find, in sentences."""

from asyncdemo.testing.checks import Seen

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def check(seen: Seen) -> None:
    timeout_s, tolerance = float(seen.knobs["TIMEOUT_S"]), float(seen.knobs["TOLERANCE"])
    lines = str(seen.knobs["TABLE"]).strip().splitlines()
    rows = [row_of(line, timeout_s) for line in lines]
    false = [name for name, had_s, waited_s in rows if abs(waited_s / had_s - 1) > tolerance]
    named = names(seen)
    for name, had_s, waited_s in rows:
        if name in false:
            continue
        seen.expect(
            name not in named,
            f"{name} was not flagged.",
            f"{name} can be true, and audit names it: together its clients had {had_s:,.0f} s to wait, and "
            f"its figures account for {waited_s:,.0f} s of them.",
            at=seen.calls("audit"),
        )
    for name, had_s, waited_s in rows:
        if abs(waited_s / had_s - 1) <= tolerance:
            continue
        seen.expect(
            name in named,
            f"{name} was flagged.",
            f"{name} cannot be true, and audit does not name it: together its clients had {had_s:,.0f} s to "
            f"wait, and its figures account for {waited_s:,.0f} s.",
            at=seen.calls("audit"),
        )
    seen.calls("audit").return_values([false])
    seen.calls("main").return_values([false])
    seen.ends_well()
    seen.no_warnings()


def names(seen: Seen) -> list[str]:
    """What audit returned; fails if that is no list of names."""
    found = seen.calls("audit").happen(1).all_return().values[0]
    seen.expect(
        isinstance(found, list) and all(isinstance(name, str) for name in found),
        "audit returned a list of names.",
        f"audit should return a list with the names of the rows that cannot be true; it returned {found!r}.",
        at=seen.calls("audit"),
    )
    return list(found)


def row_of(line: str, timeout_s: float) -> tuple[str, float, float]:
    """(name, the seconds that its clients had, those that its figures account for)."""
    name, clients, run, answers, mean, _, timeouts = line.split()
    waited_s = int(answers) * seconds(mean) + int(timeouts) * timeout_s
    return name, int(clients) * seconds(run), waited_s


def seconds(text: str) -> float:
    number = text.rstrip("msu")
    return float(number) * UNITS[text[len(number) :]]
