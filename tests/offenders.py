"""One test for many cases that are alike: it lists those that fail."""

from __future__ import annotations

import pytest


def offenders(check, cases):
    """The cases that a check fails on, each with what it says; a case is the check's arguments."""
    found = {}
    for case in cases:
        try:
            check(*case)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  it is listed
            found[", ".join(map(str, case))[:200]] = f"{type(error).__name__}: {error}"
    return found
