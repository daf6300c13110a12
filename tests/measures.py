"""Every measure that the product counts, however deep it stands among its kind."""

from __future__ import annotations

from kanon_sql.policy.privacy.declared_models import MODELS
from kanon_sql.policy.privacy.privacy_model import Measure

assert MODELS, "the modules that declare measures are imported"


def measures(kind: type[Measure] = Measure) -> list[type[Measure]]:
    """Those of the product that have a fragment; tests have some of their own."""
    found = [each for below in kind.__subclasses__() for each in (below, *measures(below))]
    return [
        each
        for each in found
        if each.__module__.startswith("kanon_sql") and "fragment" in vars(each)
    ]
