"""The rule that something tests every sentence of an exercise's text: the table ``[[exercise.sentences]]``.

Learners, and anyone who changes the check, believe a demand that nothing checks. So each entry names the
wrong shapes that break its sentence and no other (``solutions`` checks that they fail), or says why the
sentence demands nothing.

The text consists of the docstrings of exercise.py (of the module, its classes and its functions), paragraph
by paragraph, with line breaks as spaces, but without the paragraph with the command; and of the comments that
contain a demand (must, never, at most, leave, ...) and are not questions. A sentence ends with ``.``, ``!``
or ``?`` before a space, or with its paragraph. An entry's ``text`` occurs verbatim in a paragraph or a
comment, possibly in several; it may be half a sentence, or two. A sentence is covered when each of its words
is in an entry, except for words that only join its halves ("and").
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Final

from asyncdemo.course.content.exercise import Exercise
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
    yield from _faults_of_entries(source, exercise, script)
    entries = [prose(entry.text) for entry in exercise.sentences]
    for text in [*_paragraphs(script), *filter(_demands, _comments(script))]:
        for left in _not_covered(text, entries):
            message = f"no entry of [[exercise.sentences]] covers {left!r}"
            yield Fault(message, script.path, _line_of(script, left.split(" ... ")[0]))


def _faults_of_entries(source: LessonSource, exercise: Exercise, script: Script) -> Iterator[Fault]:
    texts = [*_paragraphs(script), *_comments(script)]
    known = {wrong.path: wrong.path.relative_to(exercise.folder).as_posix() for wrong in exercise.wrong}
    for place, entry in enumerate(exercise.sentences, start=1):
        field, said = f"exercise.sentences[{place}].text", prose(entry.text)
        if not said or not any(said in text for text in texts):
            yield source.in_manifest(f"exercise.py does not say {said!r}", field)
        if bool(entry.wrong) == bool(entry.told.strip()):
            yield source.in_manifest(f"{said!r} must have either wrong, or told", field)
        for wrong in entry.wrong:
            if wrong not in known:
                yield source.in_manifest(f"{wrong.name} has no [[exercise.wrong]]", field)
    named = {wrong for entry in exercise.sentences for wrong in entry.wrong}
    for place, path in enumerate(known, start=1):
        if path not in named:
            message = f"{known[path]} breaks no sentence: none of [[exercise.sentences]] names it"
            yield source.in_manifest(message, f"exercise.wrong[{place}].file")


def _not_covered(text: str, entries: list[str]) -> Iterator[str]:
    """Yield what the entries leave of each sentence, unless that only joins."""
    free = [True] * len(text)
    for entry in filter(None, entries):
        for found in re.finditer(re.escape(entry), text):
            free[found.start() : found.end()] = [False] * len(entry)
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
