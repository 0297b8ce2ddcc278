"""What the mended server must do, in sentences."""

from asyncdemo.checks import Seen


def check(seen: Seen) -> None:
    pixels = int(seen.knobs["PIXELS"])
    seen.never_blocked()
    uploads, described = seen.requests("/upload", "uploads"), seen.requests("/describe", "descriptions")
    uploads.all_answered(int(seen.knobs["UPLOADS"])).all_answer({"success": True})
    described.all_answered(int(seen.knobs["DESCRIPTIONS"]))
    described.all_answer({"pixels": pixels, "brightness": sum(pixel % 251 for pixel in range(pixels))})
    seen.calls("upload", "uploads").happen(int(seen.knobs["UPLOADS"])).all_return()
    seen.calls("upload", "uploads").peak_at_least(int(seen.knobs["UPLOADS"]) // 2)
    seen.ends_well()
    seen.no_warnings()
