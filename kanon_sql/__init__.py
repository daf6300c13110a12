"""Anonymize tables inside the database that holds them."""

from __future__ import annotations

from importlib.metadata import version

from kanon_sql.engine.connect import Settings
from kanon_sql.errors import (
    Fault,
    HierarchyError,
    InfeasibleError,
    InputError,
    InternalError,
    KanonError,
    MissingExtraError,
    MissingRightError,
    PolicyError,
    ReleaseError,
    SourceError,
    StalePlanError,
    StatementError,
    VerificationError,
)
from kanon_sql.flow.anonymize import Release, anonymize, apply, compile_sql, lint, plan, verify
from kanon_sql.flow.clean import Leftover, clean
from kanon_sql.flow.stage import Verification
from kanon_sql.model.plan import Plan
from kanon_sql.model.policy import Destination, Format, InPlace, Policy
from kanon_sql.model.policy_file import read_policy

__version__ = version("kanon-sql")

__all__ = [
    "Destination",
    "Fault",
    "Format",
    "HierarchyError",
    "InPlace",
    "InfeasibleError",
    "InputError",
    "InternalError",
    "KanonError",
    "Leftover",
    "MissingExtraError",
    "MissingRightError",
    "Plan",
    "Policy",
    "PolicyError",
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
    "clean",
    "compile_sql",
    "lint",
    "plan",
    "read_policy",
    "verify",
]
