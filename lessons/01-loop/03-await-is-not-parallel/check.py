"""What the page must do, in sentences."""

from asyncdemo.checks import Seen


def check(seen: Seen) -> None:
    parts = range(1, int(seen.knobs["PARTS"]) + 1)
    sign_ins, loads = seen.calls("sign_in", "calls of sign_in"), seen.calls("load", "parts")
    seen.nothing_left_pending()
    sign_ins.happen(1).all_return()
    loads.happen(len(parts)).all_return()
    sign_ins.end_before(loads)
    loads.all_overlap()
    loads.end_within(seen.calls("main"))
    seen.calls("main").return_values([[f"part {part} with token" for part in parts]])
    seen.no_warnings()
