"""The plan file: a plan as a document in a fixed order, its bytes, and how both are read back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml

from kanon_sql.documents.values import (
    listed,
    mapping,
    number,
    texts_and_counts,
    whole,
)
from kanon_sql.documents.yaml_text import load
from kanon_sql.errors import Fault, InputError
from kanon_sql.lattice.search_step import SearchStep
from kanon_sql.metrics.registry import OLDER_LABELS
from kanon_sql.plans.recodings import read_recoding
from kanon_sql.plans.set_quality import SetFigures
from kanon_sql.policy.cut_steps import CutStep

if TYPE_CHECKING:
    from kanon_sql.plans.plan import Plan

FORMAT = 1


def plan_document(plan: Plan) -> dict[str, object]:
    """Give a plan as nested plain values, in its fixed order."""
    search: dict[str, object] = {
        "algorithm": plan.algorithm,
        "metric": plan.metric,
        "optimal": plan.optimal,
        "cost": cost_told(plan),
    }
    if plan.lattice_nodes is not None:
        search["lattice_nodes"] = plan.lattice_nodes
    if plan.checks_in_time is not None:
        search["checks_in_time"] = plan.checks_in_time
    if plan.feasible_nodes is not None:
        search["feasible_nodes"] = plan.feasible_nodes
    if plan.minimal is not None:
        search["minimal_nodes"] = plan.minimal
    if plan.steps:
        search["steps"] = [each.document() for each in plan.steps]
    source: dict[str, object] = {
        "rows": plan.source_rows,
        "fingerprint": plan.source_fingerprint,
    }
    if plan.where is not None:
        source["where"] = plan.where
    over = {"over": [each.document() for each in plan.over]} if plan.over else {}
    return {
        "kanon_sql_plan": FORMAT,
        "policy": {
            "file": plan.policy_file,
            "sha256": plan.policy_digest,
            "overrides": dict(plan.overrides),
        },
        "source": source,
        "hierarchies": dict(plan.hierarchies),
        "privacy": list(plan.privacy),
        "search": search,
        "recoding": _recoding(plan),
        "figures": {
            "classes": plan.classes,
            "smallest_class": plan.smallest_class,
            **plan.figures,
        },
        **over,
        "sql": plan.sql,
        **({} if plan.state is None else {"state": dict(plan.state)}),
    }


def cost_told(plan: Plan) -> float | list[float]:
    """Give a cost as it is read: a number, or a list of them where it has several figures."""
    return plan.cost[0] if len(plan.cost) == 1 else list(plan.cost)


def _recoding(plan: Plan) -> dict[str, object]:
    """Tell where the rows go, then out of how many levels and at what loss of rows, then the rest."""
    where, *rest = plan.recoding.document(plan.names).items()
    bounds: dict[str, object] = {
        "heights": dict(plan.heights),
        "max_suppressed": plan.max_suppressed,
        "suppressed_rows": plan.suppressed_rows,
    }
    return dict([where, *bounds.items(), *rest])


def plan_text(plan: Plan) -> str:
    """Give the bytes of a plan file."""
    return yaml.dump(
        plan_document(plan), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    )


def read_plan(kind: type[Plan], text: str, subject: str) -> Plan:
    """Read a plan file; the round trip is exact. Raises InputError where it is not one."""
    try:
        document = load(text, subject)
        if not isinstance(document, dict) or document.get("kanon_sql_plan") != FORMAT:
            what = "is not a plan that this version can read"
            if isinstance(document, dict) and "columns" in document:
                what = f"is a policy; make its plan first: kanon-sql plan {subject}"
            raise InputError(subject, [Fault("", what)])
        return _plan(kind, document)
    except READING as error:
        if isinstance(error, InputError):
            raise
        raise InputError(subject, [Fault("", "is not a whole plan file")]) from error


def _plan(kind: type[Plan], document: dict[str, object]) -> Plan:
    raw = json.loads(json.dumps(document))
    policy, source, search = raw["policy"], raw["source"], raw["search"]
    recoding, figures = mapping(raw["recoding"]), dict(raw["figures"])
    heights = {k: whole(v) for k, v in mapping(recoding["heights"]).items()}
    cost = search["cost"]
    return kind(
        policy_file=_text(policy["file"]),
        policy_digest=str(policy["sha256"]),
        overrides=texts_and_counts(policy["overrides"]),
        source_rows=whole(source["rows"]),
        source_fingerprint=_text(source["fingerprint"]),
        hierarchies={k: str(v) for k, v in raw["hierarchies"].items()},
        algorithm=str(search["algorithm"]),
        metric=OLDER_LABELS.get(str(search["metric"]), str(search["metric"])),
        optimal=search["optimal"] is True,
        cost=tuple(map(number, cost)) if isinstance(cost, list) else (number(cost),),
        recoding=read_recoding(recoding, list(heights), tuple(heights.values())),
        heights=heights,
        max_suppressed=whole(recoding["max_suppressed"]),
        suppressed_rows=whole(recoding["suppressed_rows"]),
        classes=whole(figures.pop("classes")),
        smallest_class=whole(figures.pop("smallest_class")),
        figures={k: number(v) for k, v in figures.items()},
        lattice_nodes=whole(search["lattice_nodes"]) if "lattice_nodes" in search else None,
        privacy=tuple(str(p) for p in raw["privacy"]),
        sql=str(raw["sql"]),
        where=_text(source.get("where")),
        over=tuple(map(SetFigures.read, listed(raw.get("over", [])))),
        feasible_nodes=_count(search.get("feasible_nodes")),
        minimal=_count(search.get("minimal_nodes")),
        checks_in_time=_count(search.get("checks_in_time")),
        steps=tuple(map(_step, listed(search.get("steps", [])))),
        state=mapping(raw["state"]) if "state" in raw else None,
    )


def _step(value: object) -> SearchStep | CutStep:
    return CutStep.read(value) if "information" in mapping(value) else SearchStep.read(value)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _count(value: object) -> int | None:
    return None if value is None else whole(value)


READING = (
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
)
"""What goes wrong when a text is no plan."""


class _Dumper(yaml.SafeDumper):
    """Writes long texts as blocks, so that the SQL in a plan reads as SQL."""


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _block)
