"""Faults and warnings of a policy as SARIF 2.1.0, which code review tools show beside its lines."""

from __future__ import annotations

import contextlib
from pathlib import PurePath
from urllib.parse import quote

from kanon_sql.errors import Fault, InputError, KanonError
from kanon_sql.policy.read_policy import read_policy

START = '{\n  "$schema": "https://json.schemastore.org/sarif-'
"""How a log that may be replaced begins."""
RULES = {"fault": "The policy cannot be used.", "warning": "What to look at before a release."}


def sarif_of(policy: str, warnings: list[str], error: KanonError | None) -> dict[str, object]:
    """Return the log of one check. It has names and counts, as the messages have, and no value of the data."""
    results = [_result(policy, "fault", "error", each) for each in _faults(error)]
    results += [_result(policy, "warning", "warning", each) for each in _located(policy, warnings)]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "kanon-sql", "rules": rules}}, "results": results}],
    }


def _faults(error: KanonError | None) -> list[Fault]:
    if error is None:
        return []
    return list(error.faults) if isinstance(error, InputError) else [Fault("", str(error))]


def _located(policy: str, warnings: list[str]) -> list[Fault]:
    """Give each warning the line of the entry that it begins with, if the policy has that entry."""
    lines: dict[str, int] = {}
    with contextlib.suppress(InputError):
        lines = dict(read_policy(policy, has_source=False).lines)
    found = []
    for text in warnings:
        entry = text.partition(": ")[0]
        while entry not in lines and "." in entry:
            entry = entry.rpartition(".")[0]
        found.append(Fault("", text, lines.get(entry)))
    return found


def _result(policy: str, rule: str, level: str, fault: Fault) -> dict[str, object]:
    text = f"{fault.where}: {fault.what}" if fault.where else fault.what
    place = {
        "artifactLocation": {"uri": quote(PurePath(policy).as_posix())},
        "region": {"startLine": fault.line or 1},
    }
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
    }
