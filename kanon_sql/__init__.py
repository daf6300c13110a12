"""Anonymize tables inside the database that holds them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.certificate.certificate import Certificate
    from kanon_sql.certificate.certify import certify
    from kanon_sql.certificate.claims import Claim
    from kanon_sql.certificate.verify_certificate import Recheck, verify_certificate
    from kanon_sql.engines.connect import Settings
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
    from kanon_sql.explanation.compare_searches import Compared, Comparison, compare
    from kanon_sql.explanation.explain_plan import explain
    from kanon_sql.explanation.explanation import Explanation
    from kanon_sql.explanation.lattice_file import lattice_text
    from kanon_sql.integrations.compile_plan import compile_sql
    from kanon_sql.integrations.dbt.check_project import check_dbt
    from kanon_sql.integrations.dbt.plan_models import plan_dbt
    from kanon_sql.plan_diff.plan_diff import PlanDiff, diff
    from kanon_sql.plans.plan import Plan
    from kanon_sql.policy.locations import Destination, Format, InPlace
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.read_policy import read_policy
    from kanon_sql.release.anonymize import (
        Release,
        anonymize,
        apply,
        lint,
        plan,
        verify,
    )
    from kanon_sql.release.clean import Leftover, clean
    from kanon_sql.release.recount import Verification

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
    "Certificate": "kanon_sql.certificate.certificate",
    "Claim": "kanon_sql.certificate.claims",
    "Compared": "kanon_sql.explanation.compare_searches",
    "Comparison": "kanon_sql.explanation.compare_searches",
    "Destination": "kanon_sql.policy.locations",
    "Explanation": "kanon_sql.explanation.explanation",
    "Fault": "kanon_sql.errors",
    "Format": "kanon_sql.policy.locations",
    "HierarchyError": "kanon_sql.errors",
    "InPlace": "kanon_sql.policy.locations",
    "InfeasibleError": "kanon_sql.errors",
    "InputError": "kanon_sql.errors",
    "InternalError": "kanon_sql.errors",
    "KanonError": "kanon_sql.errors",
    "Leftover": "kanon_sql.release.clean",
    "MemoryLimitError": "kanon_sql.errors",
    "MissingExtraError": "kanon_sql.errors",
    "MissingRightError": "kanon_sql.errors",
    "OutOfTimeError": "kanon_sql.errors",
    "Plan": "kanon_sql.plans.plan",
    "PlanDiff": "kanon_sql.plan_diff.plan_diff",
    "Policy": "kanon_sql.policy.model",
    "PolicyError": "kanon_sql.errors",
    "Recheck": "kanon_sql.certificate.verify_certificate",
    "Release": "kanon_sql.release.anonymize",
    "ReleaseError": "kanon_sql.errors",
    "Settings": "kanon_sql.engines.connect",
    "SourceError": "kanon_sql.errors",
    "StalePlanError": "kanon_sql.errors",
    "StatementError": "kanon_sql.errors",
    "Verification": "kanon_sql.release.recount",
    "VerificationError": "kanon_sql.errors",
    "anonymize": "kanon_sql.release.anonymize",
    "apply": "kanon_sql.release.anonymize",
    "certify": "kanon_sql.certificate.certify",
    "check_dbt": "kanon_sql.integrations.dbt.check_project",
    "clean": "kanon_sql.release.clean",
    "compare": "kanon_sql.explanation.compare_searches",
    "compile_sql": "kanon_sql.integrations.compile_plan",
    "diff": "kanon_sql.plan_diff.plan_diff",
    "explain": "kanon_sql.explanation.explain_plan",
    "lattice_text": "kanon_sql.explanation.lattice_file",
    "lint": "kanon_sql.release.anonymize",
    "plan": "kanon_sql.release.anonymize",
    "plan_dbt": "kanon_sql.integrations.dbt.plan_models",
    "read_policy": "kanon_sql.policy.read_policy",
    "verify": "kanon_sql.release.anonymize",
    "verify_certificate": "kanon_sql.certificate.verify_certificate",
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
