"""A small course that keeps every rule, for tests that break one at a time."""

from __future__ import annotations

from pathlib import Path

LESSON = "01-start/04-tea"

COURSE = """\
title = "Tea and other things"

[[modules]]
number = 1
title = "Start"
folder = "01-start"
lessons = ["tea"]
"""

MANIFEST = """\
id = "tea"
title = "Tea for two"
question = "What waits?"
point = "Water boils alone."
minutes = 10
lanes = ["brew"]
race = true

[[variants]]
name = "slow"
title = "one cup after another"
file = "slow.py"

[[variants]]
name = "quick"
title = "all cups at the same time"
file = "quick.py"

[knobs]
CUPS = { unit = "cups", low = 1, high = 100, meaning = "how many cups are made" }

[[predictions]]
kind = "number"
question = "quick: how many of the {CUPS} cups are being made at the same time?"
variant = "quick"
metric = "peak(brew)"
why = "Nothing holds a task back."

[[predictions]]
kind = "choice"
question = "slow: how many cups are being made at the same time?"
variant = "slow"
metric = "peak"
why = "Each await waits for its cup."
[predictions.choices]
"one" = "== 1"
"all {CUPS}" = "== CUPS"

[claims]
"a peak of 4" = "quick.peak == CUPS"
"never more than one cup" = "slow.peak(brew) == 1"
"9 cups at the same time" = "quick.calls(brew) == 9 with CUPS=9"

[quoted]
"In 1887" = "a book about tea"

[exercise]
task = "Make all cups at the same time."
lanes = ["brew", "main"]
rows = ["brew"]
runs = [{}, { CUPS = 3 }]

[exercise.untested]
"Leave this as it is." = "without brew there is no cup"
"in order" = "gather keeps it"
"""

README = """\
# Tea for two

## The question

How long until every cup is ready? `CUPS` (4) is a knob.

## Predict

1. the cups at the same time in `quick`.

## Run

```
asyncdemo run tea
python slow.py
```

## What you saw

`slow` had never more than
one cup on the stove. `quick` had a peak of 4.

```text
brew(1)  =====
brew(2)  =====
```

## Why

See [the script](quick.py), [the question](#the-question) and `slow.py`. Python 3.11 has task groups.

```python
await asyncio.sleep(0.25)
```

## Change it

- `asyncdemo run 4 --variant quick --set CUPS=9`: 9 cups at the same time.
- Copy it and watch the copy, `my_tea.py`:

  ```
  cp lessons/01-start/04-tea/quick.py my_tea.py
  asyncdemo trace --lane brew --set CUPS=3 my_tea.py
  ```

## Exercise

`asyncdemo check tea` tells whether the 4 cups are made together, and the 3 of its second run.

## Where it bites

In 1887 somebody drank cold tea. More in tea/house#12.

## Key points

- Water boils alone.
- So do not watch it.

## One more question

What if the kettle holds 2 litres?

## For instructors

About 10 minutes: 4 to predict, 6 to talk.

What learners get wrong: that a watched pot boils sooner.

### Gives the answer away

It still boils alone: the answer is 12.
"""

HEAD = '''\
"""{cups} cups of tea: how long until all are ready?

Predict the seconds before you run it:  python {name}.py
"""

import asyncio

CUPS = 4
BREW_S = 0.02


async def brew(n: int) -> str:
    """Make one cup."""
    await asyncio.sleep(BREW_S)
    return f"cup {{n}}"


async def main() -> None:
    """Make all cups."""
'''
FOOT = """\
    print("The tea is ready")


if __name__ == "__main__":
    asyncio.run(main())
"""
SLOW = (
    HEAD.format(name="slow", cups="Four") + "    for n in range(1, CUPS + 1):\n        await brew(n)\n" + FOOT
)
QUICK = (
    HEAD.format(name="quick", cups="Four")
    + "    async with asyncio.TaskGroup() as group:\n"
    + "        for n in range(1, CUPS + 1):\n"
    + "            group.create_task(brew(n))\n"
    + FOOT
)

EXERCISE = '''\
"""Make all cups at the same time.

Run it alone with:  python {name}.py
"""

import asyncio

CUPS = 4
BREW_S = 0.02


async def brew(n: int) -> str:
    """Make one cup. Leave this as it is."""
    await asyncio.sleep(BREW_S)
    return f"cup {{n}}"


async def main() -> list[str]:
    """All cups, in order."""
{body}


if __name__ == "__main__":
    print(asyncio.run(main()))
'''
BROKEN = """\
    # TODO: nobody should wait for the cup of somebody else
    return [await brew(n) for n in range(1, CUPS + 1)]"""
SOLVED = "    return await asyncio.gather(*(brew(n) for n in range(1, CUPS + 1)))"
RIGHT = (
    "    tasks = [asyncio.create_task(brew(n)) for n in range(1, CUPS + 1)]\n"
    "    return [await task for task in tasks]"
)
OVERLAY = '''\
"""{words}

{fields}
"""


async def main() -> list[str]:
{body}
'''
WRONG = {
    "one_only": OVERLAY.format(
        words="One cup for all.",
        fields="Breaks: All cups\nFault: There should be 4 calls of brew; there was 1",
        body="    return [await brew(1)] * CUPS",
    ),
    "no_cup": OVERLAY.format(
        words="Only the names of cups.",
        fields="Breaks: Make one cup.\nFault: There should be 4 calls of brew; there were none",
        body='    return [f"cup {n}" for n in range(1, CUPS + 1)]',
    ),
    "in_pairs": OVERLAY.format(
        words="Two cups at a time.",
        fields="Breaks: Make all cups at the same time.\n"
        "Breaks: nobody should wait for the cup of somebody else\n"
        "Fault: there were never more than 2",
        body="    cups = []\n    for n in range(1, CUPS + 1, 2):\n"
        "        cups += await asyncio.gather(brew(n), brew(n + 1))\n    return cups",
    ),
}

CHECK = '''\
"""What the tea must do, in sentences."""

from asyncdemo.testing.checks import Seen


def check(seen: Seen) -> None:
    cups = int(seen.knobs["CUPS"])
    seen.calls("brew").happen(cups).peak_is(cups).all_return()
    seen.calls("main").return_values([[f"cup {n}" for n in range(1, cups + 1)]])
    seen.no_warnings()
'''

HINTS = """\
# Hints

## Where to look

Look at main.

## The cause

Each await waits.

## Nearly the answer

Gather them.
"""


def write_course(folder: Path) -> Path:
    """The course in the folder; returns that of its lesson."""
    lesson = folder / LESSON
    (lesson / "wrong").mkdir(parents=True)
    (lesson / "right").mkdir()
    (folder / "course.toml").write_text(COURSE)
    texts = {
        "lesson.toml": MANIFEST,
        "README.md": README,
        "slow.py": SLOW,
        "quick.py": QUICK,
        "exercise.py": EXERCISE.format(name="exercise", body=BROKEN),
        "solution.py": EXERCISE.format(name="solution", body=SOLVED),
        "check.py": CHECK,
        "hints.md": HINTS,
        "right/tasks.py": EXERCISE.format(name="tasks", body=RIGHT),
        **{f"wrong/{name}.py": text for name, text in WRONG.items()},
    }
    for name, text in texts.items():
        (lesson / name).write_text(text)
    return lesson


def change(file: Path, old: str, new: str) -> None:
    """The first ``old`` in the file becomes ``new``; an empty ``old`` stands for the whole file."""
    text = file.read_text() if old else ""
    assert old in text, f"{file} has no {old!r}"
    file.write_text(text.replace(old, new, 1) if old else new)
