"""Anonymize tables inside the database that holds them."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
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
    from kanon_sql.explanation.compare_searches import compare
    from kanon_sql.explanation.comparison import Compared, Comparison
    from kanon_sql.explanation.explain_plan import explain
    from kanon_sql.explanation.explanation import Explanation
    from kanon_sql.explanation.lattice_file import lattice_text
    from kanon_sql.integrations.compile_plan import compile_sql
    from kanon_sql.integrations.dbt.check_project import check_dbt
    from kanon_sql.integrations.dbt.plan_models import plan_dbt
    from kanon_sql.plan_diff.diff_plans import diff
    from kanon_sql.plan_diff.plan_diff import PlanDiff
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
    from kanon_sql.release.stage import Verification

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
    "kanon_sql.engines.connect",
    "kanon_sql.errors",
    "kanon_sql.release.anonymize",
    "kanon_sql.certificate.certify",
    "kanon_sql.release.clean",
    "kanon_sql.explanation.compare_searches",
    "kanon_sql.integrations.dbt.plan_models",
    "kanon_sql.integrations.dbt.check_project",
    "kanon_sql.integrations.compile_plan",
    "kanon_sql.plan_diff.diff_plans",
    "kanon_sql.explanation.explain_plan",
    "kanon_sql.explanation.lattice_file",
    "kanon_sql.certificate.verify_certificate",
    "kanon_sql.release.stage",
    "kanon_sql.certificate.certificate",
    "kanon_sql.certificate.claims",
    "kanon_sql.explanation.comparison",
    "kanon_sql.explanation.explanation",
    "kanon_sql.plans.plan",
    "kanon_sql.plan_diff.plan_diff",
    "kanon_sql.policy.locations",
    "kanon_sql.policy.model",
    "kanon_sql.policy.read_policy",
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
