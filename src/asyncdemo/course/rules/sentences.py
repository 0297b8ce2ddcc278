"""The rule that something tests every sentence of an exercise's text.

Learners, and anyone who changes the check, believe a demand that nothing checks. So each wrong solution
quotes the one sentence that it breaks (``solutions`` checks that it fails), in a line ``Breaks: ...`` of its
docstring. For the rest, the manifest's table ``[exercise.untested]`` says why nothing breaks it: most often,
it demands nothing.

The text consists of the docstrings of exercise.py (of the module, its classes and its functions), paragraph
by paragraph, with line breaks as spaces, but without the paragraph with the command; and of the comments that
contain a demand (must, never, at most, leave, ...) and are not questions. A sentence ends with ``.``, ``!``
or ``?`` before a space, or with its paragraph. A quotation occurs verbatim in a paragraph or a comment,
possibly in several; it may be half a sentence, or two. A sentence is covered when each of its words is
quoted, except for words that only join its halves ("and").
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Final

from asyncdemo.course.content.overlay import read_overlay
from asyncdemo.course.rules.lesson_source import Fault, LessonSource, Rule, Script, line_at, prose

_COMMAND: Final = re.compile(r"\bpython \S+\.py\b|\basyncdemo check\b")
_DEMAND: Final = re.compile(
    r"\b(must|may|should|never|always|only|at (most|least)|leave|keep|do not|don't)\b", re.I
)
_END: Final = re.compile(r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<=[.!?])[\"')]*\s+")
_WORD: Final = re.compile(r"[\w'-]+")
_JOINING: Final = {"and", "but", "or", "then", "so", "yet"}


def sentences(source: LessonSource) -> Iterator[Fault]:
    exercise, script = source.lesson.exercise, source.exercise_scripts.get("exercise.py")
    if exercise is None or script is None or script.error:
        return
    texts = [*_paragraphs(script), *_comments(script)]
    quoted: list[str] = []
    for overlay in [read_overlay(one.path) for one in source.overlay_scripts if not one.error]:
        if not overlay.breaks:
            yield Fault("breaks no sentence: the docstring needs a line 'Breaks: ...'", overlay.path, 1)
        for words in overlay.breaks:
            quoted.append(words)
            if not any(words in text for text in texts):
                yield Fault(f"exercise.py does not say {words!r}", overlay.path, 1)
    for words, why in exercise.untested.items():
        quoted.append(words)
        if not any(words in text for text in texts):
            yield source.in_manifest(f"exercise.py does not say {words!r}", f"exercise.untested.{words}")
        if not why.strip():
            yield source.in_manifest(
                f"does not say why nothing breaks {words!r}", f"exercise.untested.{words}"
            )
    for text in [*_paragraphs(script), *filter(_demands, _comments(script))]:
        for left in _not_covered(text, quoted):
            message = f"no wrong solution breaks {left!r}, and [exercise.untested] does not say why"
            yield Fault(message, script.path, _line_of(script, left.split(" ... ")[0]))


def _not_covered(text: str, quoted: list[str]) -> Iterator[str]:
    """Yield what the quotations leave of each sentence, unless that only joins."""
    free = [True] * len(text)
    for words in filter(None, quoted):
        for found in re.finditer(re.escape(words), text):
            free[found.start() : found.end()] = [False] * len(words)
    start = 0
    for end in [*(found.end() for found in _END.finditer(text)), len(text)]:
        kept = "".join(letter if free[start + at] else "\0" for at, letter in enumerate(text[start:end]))
        parts = [part.strip(" ,;:.") for part in kept.split("\0")]
        left = [part for part in parts if set(_WORD.findall(part.lower())) - _JOINING]
        if left:
            yield " ... ".join(left)
        start = end


def _paragraphs(script: Script) -> list[str]:
    """Return the paragraphs of all docstrings, each in one line."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(script.tree) if isinstance(node, kinds)]
    paragraphs = [part for docstring in docstrings for part in re.split(r"\n\s*\n", docstring)]
    return [prose(part) for part in paragraphs if part.strip() and not _COMMAND.search(part)]


def _comments(script: Script) -> list[str]:
    """Return the comments, each in one line, without its mark. Consecutive lines are one comment."""
    found: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(script.text).readline):
        if token.type == tokenize.COMMENT:
            words = re.sub(r"^#\s*(TODO:?\s*)?", "", token.string)
            alone = token.line.strip() == token.string
            if found and alone and found[-1][0] == token.start[0] - 1:
                words = f"{found.pop()[1]} {words}"
            found.append((token.start[0], words))
    return [prose(words) for _, words in found]


def _demands(comment: str) -> bool:
    return not comment.endswith("?") and _DEMAND.search(comment) is not None


def _line_of(script: Script, words: str) -> int | None:
    match = re.search(r"\s+(?:#\s*)?".join(map(re.escape, words.split())), script.text)
    return line_at(script.text, match.start()) if match else None


RULES: Final = (Rule("exercise-sentences", sentences),)
