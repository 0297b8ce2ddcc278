"""``python -m unittests JUNIT MODULE ARGS``: runs a module that runs unittest, and writes how tests ended.

For suites with a runner of their own, which pytest does not stand for. That runner stays as it is; only what
it counts is kept. Standard library only, and in its own folder: it is on the path of the suite's tests.
"""

from __future__ import annotations

import runpy
import sys
import unittest
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_FAILED, _ERROR, _SKIPPED, _AS_EXPECTED = "failure", "error", "skipped", "pytest.xfail"


class _Kept(unittest.TextTestResult):
    report: Path
    cases = ElementTree.Element("testsuite")

    def _keep(self, test: Any, end: str = "", kind: str = "") -> None:
        case = ElementTree.SubElement(self.cases, "testcase", name=test.id())
        if end:
            ElementTree.SubElement(case, end, type=kind)

    def addSuccess(self, test: Any) -> None:
        super().addSuccess(test)
        self._keep(test)

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self._keep(test, _FAILED)

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self._keep(test, _ERROR)

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self._keep(test, _SKIPPED)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self._keep(test, _SKIPPED, _AS_EXPECTED)

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        self._keep(test, _FAILED)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._keep(test, _FAILED)

    def stopTestRun(self) -> None:
        super().stopTestRun()
        ElementTree.ElementTree(self.cases).write(self.report)


def main() -> None:
    report, module, *args = sys.argv[1:]
    _Kept.report = Path(report)
    found: Any = unittest  # as runners find it
    found.TextTestResult = found.TextTestRunner.resultclass = _Kept
    sys.argv = [module, *args]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
