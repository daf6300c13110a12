"""The privacy models that a policy may require: a new model is a module in this folder, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.privacy.closeness import BetaLikeness, DeltaDisclosure, TCloseness
from kanon_sql.privacy.k_anonymity import KAnonymity
from kanon_sql.privacy.l_diversity import (
    Alpha,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
)
from kanon_sql.privacy.populations import DeltaPresence, KMap
from kanon_sql.privacy.table_models import AverageRisk, PopulationUniqueness, SampleUniqueness

if TYPE_CHECKING:
    from kanon_sql.privacy.privacy_model import DeclaredModel

MODELS: list[type[DeclaredModel]] = [
    KAnonymity,
    DistinctDiversity,
    EntropyDiversity,
    RecursiveDiversity,
    TCloseness,
    Alpha,
    BetaLikeness,
    DeltaDisclosure,
    KMap,
    DeltaPresence,
    AverageRisk,
    SampleUniqueness,
    PopulationUniqueness,
]
"""All models, in the order in which messages list their keys."""
