"""Anonymize tables inside the database that holds them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_sql.apps.dbt.check_project import certify_dbt, check_dbt, keep_dbt_keys
    from kanon_sql.apps.dbt.plan_models import plan_dbt
    from kanon_sql.apps.getting_started.suggest import SuggestedPolicy, suggest
    from kanon_sql.apps.python.anonymize import anonymize, apply, lint
    from kanon_sql.apps.python.compare_searches import Compared, Comparison, compare
    from kanon_sql.apps.python.plan_recoding import Release, plan
    from kanon_sql.apps.python.verify_table import verify
    from kanon_sql.apps.schema.release_schema import SchemaRelease, apply_schema, plan_schema
    from kanon_sql.apps.schema.schema_plan import SchemaPlan
    from kanon_sql.apps.scripts import compile_sql
    from kanon_sql.counting.plans.plan import Plan
    from kanon_sql.engines.connect import Settings
    from kanon_sql.engines.locations import Destination, Format, InPlace
    from kanon_sql.errors import (
        ExecutorsLostError,
        Fault,
        HierarchyError,
        InfeasibleError,
        InputError,
        InternalError,
        KanonError,
        KanonWarning,
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
    from kanon_sql.evidence.attacks.column_sets import (
        ColumnSet,
        ColumnSets,
        find_quasi_identifiers,
    )
    from kanon_sql.evidence.attacks.composition import (
        CompositionAttack,
        ExposedPersons,
        attack_composition,
    )
    from kanon_sql.evidence.attacks.disclosure import (
        AttributeDisclosure,
        Linkage,
        LinkAttack,
        attack_background,
        attack_homogeneity,
        attack_link,
    )
    from kanon_sql.evidence.attacks.measure_risk import Risk, risk
    from kanon_sql.evidence.certificate.certificate import Certificate
    from kanon_sql.evidence.certificate.certify import certify
    from kanon_sql.evidence.certificate.claims import Claim
    from kanon_sql.evidence.certificate.verify_certificate import Recheck, verify_certificate
    from kanon_sql.evidence.explanation.explain_plan import explain
    from kanon_sql.evidence.explanation.explanation import Explanation
    from kanon_sql.evidence.explanation.lattice_picture import lattice_text
    from kanon_sql.evidence.explanation.plan_diff import PlanDiff, diff
    from kanon_sql.evidence.explanation.regions_explanation import RegionsExplanation
    from kanon_sql.evidence.release_quality.measure_release import quality
    from kanon_sql.evidence.reports.make_report import report
    from kanon_sql.evidence.reports.report import Report
    from kanon_sql.policy.model import Policy
    from kanon_sql.policy.privacy.population_uniques import PopulationUniques
    from kanon_sql.policy.privacy.risks import AttackerRisk, RiskFigures
    from kanon_sql.policy.read_policy import read_policy
    from kanon_sql.recoding.measured import ColumnQuality, Quality, QueryErrors, TwoColumns
    from kanon_sql.recoding.recount import Verification
    from kanon_sql.release.clean import Leftover, clean, frequency_query
    from kanon_sql.release.label_key import LabelKey, labels

    __version__: str

__all__ = [
    "AttackerRisk",
    "AttributeDisclosure",
    "Certificate",
    "Claim",
    "ColumnQuality",
    "ColumnSet",
    "ColumnSets",
    "Compared",
    "Comparison",
    "CompositionAttack",
    "Destination",
    "ExecutorsLostError",
    "Explanation",
    "ExposedPersons",
    "Fault",
    "Format",
    "HierarchyError",
    "InPlace",
    "InfeasibleError",
    "InputError",
    "InternalError",
    "KanonError",
    "KanonWarning",
    "LabelKey",
    "Leftover",
    "LinkAttack",
    "Linkage",
    "MemoryLimitError",
    "MissingExtraError",
    "MissingRightError",
    "OutOfTimeError",
    "Plan",
    "PlanDiff",
    "Policy",
    "PolicyError",
    "PopulationUniques",
    "Quality",
    "QueryErrors",
    "Recheck",
    "RegionsExplanation",
    "Release",
    "ReleaseError",
    "Report",
    "Risk",
    "RiskFigures",
    "SchemaPlan",
    "SchemaRelease",
    "Settings",
    "SourceError",
    "StalePlanError",
    "StatementError",
    "SuggestedPolicy",
    "TwoColumns",
    "Verification",
    "VerificationError",
    "anonymize",
    "apply",
    "apply_schema",
    "attack_background",
    "attack_composition",
    "attack_homogeneity",
    "attack_link",
    "certify",
    "certify_dbt",
    "check_dbt",
    "clean",
    "compare",
    "compile_sql",
    "diff",
    "explain",
    "find_quasi_identifiers",
    "frequency_query",
    "keep_dbt_keys",
    "labels",
    "lattice_text",
    "lint",
    "plan",
    "plan_dbt",
    "plan_schema",
    "quality",
    "read_policy",
    "report",
    "risk",
    "suggest",
    "verify",
    "verify_certificate",
]

_NAMES = {
    "kanon_sql.evidence.attacks.composition": "CompositionAttack ExposedPersons attack_composition",
    "kanon_sql.evidence.attacks.disclosure": (
        "AttributeDisclosure attack_background attack_homogeneity LinkAttack Linkage attack_link"
    ),
    "kanon_sql.evidence.certificate.certificate": "Certificate",
    "kanon_sql.evidence.certificate.certify": "certify",
    "kanon_sql.evidence.certificate.claims": "Claim",
    "kanon_sql.evidence.certificate.verify_certificate": "Recheck verify_certificate",
    "kanon_sql.engines.connect": "Settings",
    "kanon_sql.errors": (
        "ExecutorsLostError Fault HierarchyError InfeasibleError InputError InternalError "
        "KanonError KanonWarning MemoryLimitError MissingExtraError MissingRightError "
        "OutOfTimeError PolicyError ReleaseError SourceError StalePlanError StatementError "
        "VerificationError"
    ),
    "kanon_sql.apps.python.compare_searches": "Compared Comparison compare",
    "kanon_sql.evidence.explanation.explain_plan": "explain",
    "kanon_sql.evidence.explanation.explanation": "Explanation",
    "kanon_sql.evidence.explanation.regions_explanation": "RegionsExplanation",
    "kanon_sql.evidence.explanation.lattice_picture": "lattice_text",
    "kanon_sql.apps.getting_started.suggest": "SuggestedPolicy suggest",
    "kanon_sql.apps.scripts": "compile_sql",
    "kanon_sql.apps.dbt.check_project": "certify_dbt check_dbt keep_dbt_keys",
    "kanon_sql.apps.dbt.plan_models": "plan_dbt",
    "kanon_sql.evidence.explanation.plan_diff": "diff PlanDiff",
    "kanon_sql.counting.plans.plan": "Plan",
    "kanon_sql.engines.locations": "Destination Format InPlace",
    "kanon_sql.policy.model": "Policy",
    "kanon_sql.policy.read_policy": "read_policy",
    "kanon_sql.policy.privacy.population_uniques": "PopulationUniques",
    "kanon_sql.policy.privacy.risks": "AttackerRisk RiskFigures",
    "kanon_sql.evidence.attacks.column_sets": "ColumnSet ColumnSets find_quasi_identifiers",
    "kanon_sql.evidence.attacks.measure_risk": "Risk risk",
    "kanon_sql.apps.python.anonymize": "anonymize apply lint",
    "kanon_sql.apps.python.verify_table": "verify",
    "kanon_sql.release.clean": "Leftover clean frequency_query",
    "kanon_sql.release.label_key": "LabelKey labels",
    "kanon_sql.recoding.recount": "Verification",
    "kanon_sql.apps.python.plan_recoding": "Release plan",
    "kanon_sql.evidence.release_quality.measure_release": "quality",
    "kanon_sql.recoding.measured": "ColumnQuality Quality QueryErrors TwoColumns",
    "kanon_sql.evidence.reports.make_report": "report",
    "kanon_sql.evidence.reports.report": "Report",
    "kanon_sql.apps.schema.release_schema": "SchemaRelease apply_schema plan_schema",
    "kanon_sql.apps.schema.schema_plan": "SchemaPlan",
}
"""The public names of each module. A module is imported when one of its names is first used, so
printing the version or running one command does not import the others."""
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name == "__version__":
        # Reading the installed package's metadata takes longer than all other imports here together.
        from importlib.metadata import version  # noqa: PLC0415

        value: object = version("kanon-sql")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
