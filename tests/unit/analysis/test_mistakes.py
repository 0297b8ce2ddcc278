"""What is said of an error that ended the program: the sentence for its type and text, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from asyncdemo.analysis.diagnose import mistakes
from asyncdemo.model import Run, Uncaught
from tests.support.runs import Story, at_line


def said(run: Run) -> str:
    return " ".join(found.message for found in mistakes(run))


def ended_by(error: str, text: str, raised_in: str = "main") -> str:
    story = Story()
    story.task("main").runs(1).raises(error)
    uncaught = Uncaught(error, text, False, False, raised_in, at_line(3, "main"))
    return said(replace(story.run(), uncaught=(uncaught,)))


SENTENCES = {
    "object Future can't be used in 'await' expression": "`executor.submit(...)` returns is for threads",
    "'Future' object can't be awaited": "`executor.submit(...)` returns is for threads",
    "object function can't be used in 'await' expression": "is a function itself, not a call of it",
    "'method' object can't be awaited": "is a method itself, not a call of it",
    "object dict can't be used in 'await' expression": "already a result (of type dict)",
    "object int can't be used in 'await' expression": "already a result (of type int)",
    "object list can't be used in 'await' expression": "A list can't be awaited",
    "'async_generator' object can't be awaited": "an asynchronous generator: its call can't be awaited",
    "object _AsyncGeneratorContextManager can't be used in 'await' expression": "it's entered, not awaited",
    "cannot pickle 'coroutine' object": "can't be copied, or sent to another process",
    "object of type 'coroutine' has no len()": "This is a coroutine, not its result",
    'can only concatenate str (not "coroutine") to str': "This is a coroutine, not its result",
    "unsupported operand type(s) for +: 'int' and '_asyncio.Task'": "This is a Task, not its result",
    "'coroutine' object is not subscriptable": "This is a coroutine, not its result",
    "Object of type coroutine is not JSON serializable": "This is a coroutine, not its result",
}


@pytest.mark.parametrize(("text", "words"), SENTENCES.items())
def test_type_error_has_the_sentence_for_its_text(text: str, words: str) -> None:
    assert words in ended_by("TypeError", text)


ATTRIBUTES = {
    "module 'asyncio' has no attribute 'coroutine'": "was removed in Python 3.11",
    "'coroutine' object has no attribute 'cancel'": "A coroutine has no `cancel`: tasks have",
    "'coroutine' object has no attribute 'text'": "This is a coroutine, not its result",
    "'_asyncio.Task' object has no attribute 'text'": "This is a Task, not its result",
}


@pytest.mark.parametrize(("text", "words"), ATTRIBUTES.items())
def test_attribute_error_has_the_sentence_for_its_text(text: str, words: str) -> None:
    assert words in ended_by("AttributeError", text)


LOOK_ALIKES = [
    ("AttributeError", "'Client' object has no attribute 'Future'"),
    ("AttributeError", "'Client' object has no attribute 'coroutine'"),
    ("AttributeError", "'TaskList' object has no attribute 'Task'"),
    ("AttributeError", "module 'asyncio' has no attribute 'async_timeout'"),
    ("AttributeError", "module 'tornado.gen' has no attribute 'coroutine'"),
    ("TypeError", "make() got an unexpected keyword argument 'Task'"),
    ("TypeError", "Task() takes no arguments"),
    ("TypeError", "expected a 'Future' or a 'coroutine', got 5"),
    ("TypeError", "object Response can't be used in 'await' expression"),
    ("TypeError", "unhashable type: 'list'"),
    ("TypeError", "'int' object is not callable"),
    ("TypeError", "'<' not supported between instances of 'str' and 'int'"),
    ("KeyError", "coroutine"),
    ("ValueError", "a coroutine was expected"),
    ("RuntimeError", "the game has no running event loop yet"),
    ("RuntimeError", "this account is attached to a different loop of payments"),
    ("InvalidStateError", "Result is not set by the referee"),
    ("SyntaxError", "invalid syntax"),
]


@pytest.mark.parametrize(("error", "text"), LOOK_ALIKES)
def test_error_that_only_looks_like_a_mistake_is_silent(error: str, text: str) -> None:
    assert ended_by(error, text) == ""


def test_cancelled_main_is_not_called_finished() -> None:
    story = Story()
    story.task("main").sleeps(10).is_cancelled()
    story.task("shutdown").sleeps(20).is_cancelled()
    uncaught = Uncaught("CancelledError", "", False, False, "main", at_line(3, "main"))
    run = replace(story.run(), uncaught=(uncaught,), left_pending=(1,))
    assert "main coroutine was cancelled" in said(run)
    assert "finished" not in said(run)


def test_one_task_that_main_left_was_running() -> None:
    story = Story()
    story.task("main").sleeps(10).returns()
    story.task("work").sleeps(20).is_cancelled()
    uncaught = Uncaught("CancelledError", "", False, False, "run", at_line(3))
    run = replace(story.run(), uncaught=(uncaught,), left_pending=(1,))
    assert "finished while 1 task was still running. It was cancelled" in said(run)
