"""What the page must do, in sentences."""

from asyncdemo.testing.checks import Calls, Seen


def check(seen: Seen) -> None:
    parts = int(seen.knobs["PARTS"])
    sign_ins, loads = seen.calls("sign_in", "calls of sign_in"), seen.calls("load", "parts")
    seen.nothing_left_pending()
    sign_ins.happen(1).all_return().take_at_least(float(seen.knobs["SIGN_IN_S"]))
    loads.happen(parts).all_return()
    sign_ins.end_before(loads)
    no_part_is_quicker(seen, loads)
    loads.all_overlap()
    loads.end_within(seen.calls("main"))
    token = f"token-{parts}"
    seen.calls("main").return_values([[f"part {part} with {token}" for part in range(1, parts + 1)]])
    seen.no_warnings()


def no_part_is_quicker(seen: Seen, loads: Calls) -> None:
    """The quickest takes one step, the next one two, and so on."""
    step_s = float(seen.knobs["STEP_S"])
    took_s = sorted((lane.end_ns - lane.start_ns) / 1e9 for lane in loads.lanes)
    seen.expect(
        all(seconds >= steps * step_s - 1e-9 for steps, seconds in enumerate(took_s, start=1)),
        "Each part took its time.",
        f"The parts should take {step_s:.1f} s to {len(took_s) * step_s:.1f} s; they took "
        f"{took_s[0]:.1f} s to {took_s[-1]:.1f} s. Leave load as it is.",
        at=loads,
    )
