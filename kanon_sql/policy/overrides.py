"""What the command line may say instead of the policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kanon_sql.documents.lines import MOST
from kanon_sql.errors import Fault, PolicyError
from kanon_sql.metrics.column_metrics import Aggregate
from kanon_sql.metrics.registry import NAMES
from kanon_sql.policy.locations import HOLDS_KEY, holds_password, source_from_text
from kanon_sql.policy.model import (
    Algorithm,
    Policy,
    Recode,
    Search,
)
from kanon_sql.policy.read_policy import suppression_from
from kanon_sql.policy.read_search import seconds_from
from kanon_sql.policy.search_options import conflicts, switched
from kanon_sql.privacy.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KNOWN = (
    "source", "k", "suppression", "algorithm", "metric", "recoding", "layers", "time_limit"
)  # fmt: skip


def overridden(policy: Policy, overrides: Mapping[str, str | int]) -> Policy:
    """Put overrides in the place of what the policy says; raises PolicyError with all faults.

    A source that is a path starts from the policy's folder, as in the policy; the rows that
    `where` asks for are asked of it too, and as many lines are above its header.
    """
    said = _Said(overrides)
    for name in overrides:
        if name not in KNOWN:
            said.fault(name, "cannot be overridden")
    named = source_from_text(str(overrides["source"])) if "source" in overrides else policy.source
    if holds_password(named.path or ""):
        said.fault("source", HOLDS_KEY)
    skip = policy.source.skip if named.path is not None else 0
    policy = replace(policy, source=replace(named, where=policy.source.where, skip=skip))
    if (k := said.whole("k", least=1)) is not None:
        others = tuple(m for m in policy.privacy if not isinstance(m, KAnonymity))
        policy = replace(policy, privacy=(KAnonymity(k), *others))
    if "suppression" in overrides:
        suppression, fault = suppression_from(overrides["suppression"])
        said.fault("suppression", fault)
        policy = replace(policy, suppression=suppression)
    policy = replace(policy, search=_searched(policy.search, said))
    if not said.faults:
        for option, what in conflicts(policy):
            at = (
                Fault(option, what)
                if option in overrides
                else policy.fault(f"search.{option}", what)
            )
            said.faults.append(at)
    if said.faults:
        raise PolicyError("overrides" if overrides else policy.subject, said.faults)
    return policy


def _searched(search: Search, said: _Said) -> Search:
    """Put overrides in the place of what the policy says of the search."""
    if (name := said.one_of("algorithm", Algorithm)) is not None:
        wished = search.generalize
        search = switched(search, Algorithm(name))
        if wished and not search.generalize:
            columns = ", ".join(column for column, _ in wished)
            what = (
                f"{name} does not hold columns to the levels that the policy's generalize asks for"
            )
            said.fault("algorithm", f"{what} ({columns}); take that out of the policy")
    if (name := said.one_of("metric", NAMES)) not in {None, search.metric}:
        default = Aggregate.GEOMETRIC_MEAN
        search = replace(search, metric=str(name), aggregate=default, count_suppressed=False)
    if (name := said.one_of("recoding", Recode)) is not None:
        search = replace(search, recoding=Recode(name))
    layers = said.whole("layers", least=2)
    if search.recoding is Recode.FULL_DOMAIN:
        search = replace(search, layers=Search().layers)
        said.fault("layers", None if layers is None else "goes with recoding: local or cells")
    elif layers is not None:
        search = replace(search, layers=layers)
    if "time_limit" in said.overrides:
        limit, fault = seconds_from(said.overrides["time_limit"])
        said.fault("time_limit", fault)
        search = replace(search, time_limit=limit)
    return search


class _Said:
    """Overrides as they are read, and the faults in them."""

    def __init__(self, overrides: Mapping[str, str | int]) -> None:
        self.overrides = overrides
        self.faults: list[Fault] = []

    def fault(self, name: str, what: str | None) -> None:
        """Note what is wrong with an override, if anything is."""
        if what is not None:
            self.faults.append(Fault(name, what))

    def one_of(self, name: str, known: Iterable[str]) -> str | None:
        """Read one of several words, if that is given."""
        words = [str(word) for word in known]
        given = self.overrides.get(name)
        if name in self.overrides and given not in words:
            self.fault(name, f"must be one of {', '.join(words)}")
        return str(given) if given in words else None

    def whole(self, name: str, *, least: int) -> int | None:
        """Read a whole number, if that is given."""
        given = self.overrides.get(name)
        if isinstance(given, int) and not isinstance(given, bool) and least <= given <= MOST:
            return given
        if name in self.overrides:
            self.fault(name, f"must be a whole number of at least {least}, and at most 10^18")
        return None
