"""Anonymize tables inside the database that holds them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.engine.connect import Settings
    from kanon_sql.errors import (
        Fault,
        HierarchyError,
        InfeasibleError,
        InputError,
        InternalError,
        KanonError,
        MemoryLimitError,
        MissingExtraError,
        MissingRightError,
        OutOfTimeError,
        PolicyError,
        ReleaseError,
        SourceError,
        StalePlanError,
        StatementError,
        VerificationError,
    )
    from kanon_sql.flow.anonymize import Release, anonymize, apply, lint, plan, verify
    from kanon_sql.flow.certify import certify
    from kanon_sql.flow.clean import Leftover, clean
    from kanon_sql.flow.compare import compare
    from kanon_sql.flow.compile import compile_sql
    from kanon_sql.flow.dbt import plan_dbt
    from kanon_sql.flow.dbt_check import check_dbt
    from kanon_sql.flow.diff import diff
    from kanon_sql.flow.explain import explain
    from kanon_sql.flow.lattice_file import lattice_text
    from kanon_sql.flow.recheck import Recheck, verify_certificate
    from kanon_sql.flow.stage import Verification
    from kanon_sql.model.certificate import Certificate
    from kanon_sql.model.claim import Claim
    from kanon_sql.model.comparison import Compared, Comparison
    from kanon_sql.model.explanation import Explanation
    from kanon_sql.model.plan import Plan
    from kanon_sql.model.plan_diff import PlanDiff
    from kanon_sql.model.policy import Destination, Format, InPlace, Policy
    from kanon_sql.model.policy_file import read_policy

    __version__: str

__all__ = [
    "Certificate",
    "Claim",
    "Compared",
    "Comparison",
    "Destination",
    "Explanation",
    "Fault",
    "Format",
    "HierarchyError",
    "InPlace",
    "InfeasibleError",
    "InputError",
    "InternalError",
    "KanonError",
    "Leftover",
    "MemoryLimitError",
    "MissingExtraError",
    "MissingRightError",
    "OutOfTimeError",
    "Plan",
    "PlanDiff",
    "Policy",
    "PolicyError",
    "Recheck",
    "Release",
    "ReleaseError",
    "Settings",
    "SourceError",
    "StalePlanError",
    "StatementError",
    "Verification",
    "VerificationError",
    "anonymize",
    "apply",
    "certify",
    "check_dbt",
    "clean",
    "compare",
    "compile_sql",
    "diff",
    "explain",
    "lattice_text",
    "lint",
    "plan",
    "plan_dbt",
    "read_policy",
    "verify",
    "verify_certificate",
]

_HOMES = {
    "Certificate": "kanon_sql.model.certificate",
    "Claim": "kanon_sql.model.claim",
    "Compared": "kanon_sql.model.comparison",
    "Comparison": "kanon_sql.model.comparison",
    "Destination": "kanon_sql.model.policy",
    "Explanation": "kanon_sql.model.explanation",
    "Fault": "kanon_sql.errors",
    "Format": "kanon_sql.model.policy",
    "HierarchyError": "kanon_sql.errors",
    "InPlace": "kanon_sql.model.policy",
    "InfeasibleError": "kanon_sql.errors",
    "InputError": "kanon_sql.errors",
    "InternalError": "kanon_sql.errors",
    "KanonError": "kanon_sql.errors",
    "Leftover": "kanon_sql.flow.clean",
    "MemoryLimitError": "kanon_sql.errors",
    "MissingExtraError": "kanon_sql.errors",
    "MissingRightError": "kanon_sql.errors",
    "OutOfTimeError": "kanon_sql.errors",
    "Plan": "kanon_sql.model.plan",
    "PlanDiff": "kanon_sql.model.plan_diff",
    "Policy": "kanon_sql.model.policy",
    "PolicyError": "kanon_sql.errors",
    "Recheck": "kanon_sql.flow.recheck",
    "Release": "kanon_sql.flow.anonymize",
    "ReleaseError": "kanon_sql.errors",
    "Settings": "kanon_sql.engine.connect",
    "SourceError": "kanon_sql.errors",
    "StalePlanError": "kanon_sql.errors",
    "StatementError": "kanon_sql.errors",
    "Verification": "kanon_sql.flow.stage",
    "VerificationError": "kanon_sql.errors",
    "anonymize": "kanon_sql.flow.anonymize",
    "apply": "kanon_sql.flow.anonymize",
    "certify": "kanon_sql.flow.certify",
    "check_dbt": "kanon_sql.flow.dbt_check",
    "clean": "kanon_sql.flow.clean",
    "compare": "kanon_sql.flow.compare",
    "compile_sql": "kanon_sql.flow.compile",
    "diff": "kanon_sql.flow.diff",
    "explain": "kanon_sql.flow.explain",
    "lattice_text": "kanon_sql.flow.lattice_file",
    "lint": "kanon_sql.flow.anonymize",
    "plan": "kanon_sql.flow.anonymize",
    "plan_dbt": "kanon_sql.flow.dbt",
    "read_policy": "kanon_sql.model.policy_file",
    "verify": "kanon_sql.flow.anonymize",
    "verify_certificate": "kanon_sql.flow.recheck",
}
"""The module of every public name. It is imported when the name is first used, so that whoever
prints a version, or runs one command, does not wait for all of them."""


def __getattr__(name: str) -> object:
    if name == "__version__":
        # Reading the installed package's metadata costs more than all else that is imported here.
        from importlib.metadata import version  # noqa: PLC0415

        value: object = version("kanon-sql")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
