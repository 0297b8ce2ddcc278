"""Memory and threads of a run's processes, sampled while it runs."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from asyncdemo.model import MemorySample, Run
from asyncdemo.recording.runner import Options, Target, record

MB = 1_000_000
KEEPS = "import sys, threading, time\nkept = b'x' * 60_000_000\ntime.sleep(0.3)\n"

Sampled = Callable[[str], Run]


@pytest.fixture
def sampled(tmp_path: Path) -> Sampled:
    def run(text: str) -> Run:
        script = tmp_path / "script.py"
        script.write_text(textwrap.dedent(text))
        return record(Target(str(script)), Options(memory=True, timeout_s=60))

    return run


def growth(samples: tuple[MemorySample, ...]) -> int:
    return max(one.resident_bytes for one in samples) - samples[0].resident_bytes


def test_what_a_script_keeps_is_seen_from_before_its_first_line(sampled: Sampled) -> None:
    run = sampled(KEEPS)
    samples = run.memory
    assert 55 * MB < growth(samples) < 80 * MB
    assert all(one.virtual_bytes >= one.resident_bytes > 0 for one in samples)
    assert samples[0].at_ns < run.tracks[0].start_ns
    assert all(one.at_ns < two.at_ns for one, two in pairwise(samples))
    # The last one is from before the interpreter took itself apart.
    assert samples[-1].resident_bytes - samples[0].resident_bytes > 55 * MB


def test_what_its_processes_keep_counts_too(sampled: Sampled) -> None:
    text = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {KEEPS!r}], check=True)"
    assert growth(sampled(text).memory) > 55 * MB


def test_threads_are_those_of_the_script(sampled: Sampled) -> None:
    """The tracer's own is none of them."""
    text = """
        import threading, time
        threads = [threading.Thread(target=time.sleep, args=(0.4,)) for _ in range(20)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
    """
    counts = [one.threads for one in sampled(text).memory]
    assert (counts[0], max(counts)) == (1, 21)


def test_observing_takes_its_memory_before_the_first_sample(sampled: Sampled) -> None:
    """Else a script that reserves nothing would look as if it did."""
    virtual = [one.virtual_bytes for one in sampled("import time\ntime.sleep(0.3)").memory]
    assert max(virtual) - virtual[0] < 40 * MB


def test_it_is_taken_only_when_asked_for(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("import time\ntime.sleep(0.1)")
    assert record(Target(str(tmp_path / "script.py")), Options()).memory == ()
