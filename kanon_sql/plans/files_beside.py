"""The files that lie beside a plan, by their names."""

from __future__ import annotations

SUFFIX = ".boundaries"
"""How the name of the file of boundaries ends, before the ending of its format."""


def boundaries_beside(plan_file: str) -> str:
    """Name the file of a plan's boundaries, but for its ending.

    >>> boundaries_beside("lake/people.plan.yml"), boundaries_beside("people")
    ('lake/people.plan.boundaries', 'people.boundaries')
    """
    return f"{plan_file.removesuffix('.yml').removesuffix('.yaml')}{SUFFIX}"
