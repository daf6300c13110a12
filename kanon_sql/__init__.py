"""Anonymize tables inside the database that holds them."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
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

__version__ = version("kanon-sql")

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

_HOMES = (
    "kanon_sql.engine.connect",
    "kanon_sql.errors",
    "kanon_sql.flow.anonymize",
    "kanon_sql.flow.certify",
    "kanon_sql.flow.clean",
    "kanon_sql.flow.compare",
    "kanon_sql.flow.dbt",
    "kanon_sql.flow.dbt_check",
    "kanon_sql.flow.compile",
    "kanon_sql.flow.diff",
    "kanon_sql.flow.explain",
    "kanon_sql.flow.lattice_file",
    "kanon_sql.flow.recheck",
    "kanon_sql.flow.stage",
    "kanon_sql.model.certificate",
    "kanon_sql.model.claim",
    "kanon_sql.model.comparison",
    "kanon_sql.model.explanation",
    "kanon_sql.model.plan",
    "kanon_sql.model.plan_diff",
    "kanon_sql.model.policy",
    "kanon_sql.model.policy_file",
)


def __getattr__(name: str) -> object:
    """Import what is asked for first, so that the command line can say at once how it is ended."""
    if name in __all__:
        for home in map(import_module, _HOMES):
            if hasattr(home, name):
                globals()[name] = getattr(home, name)
                return globals()[name]
    raise AttributeError(f"module {__name__} has no attribute {name}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
