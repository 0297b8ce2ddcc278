"""The experiments of the lab: which there are, and which lesson each belongs to.

Not for: how one is measured (``protocol``), or its apps, which lie in the folder of its lesson.
"""

from __future__ import annotations

from asyncdemo.lab.experiments.registry import EXPERIMENTS, Entry, Surroundings, find_experiment

__all__ = ["EXPERIMENTS", "Entry", "Surroundings", "find_experiment"]
