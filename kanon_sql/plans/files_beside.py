"""Names of the files that are written beside a plan file."""

from __future__ import annotations

SUFFIX = ".boundaries"
"""The end of the boundaries file's name, before the extension of its format."""


def boundaries_beside(plan_file: str) -> str:
    """Return the path of a plan's boundaries file, without the extension of its format.

    >>> boundaries_beside("lake/people.plan.yml"), boundaries_beside("people")
    ('lake/people.plan.boundaries', 'people.boundaries')
    """
    return f"{plan_file.removesuffix('.yml').removesuffix('.yaml')}{SUFFIX}"
