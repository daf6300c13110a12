"""Explanations of plans that no search made, for tests of what is said of them."""

from __future__ import annotations

import yaml

from kanon_sql.counting.lattice.result import Guarantee
from kanon_sql.counting.plans.plan import Plan
from kanon_sql.evidence.explanation.explanation import Certainty, Explanation, Optimum

LEVELS = {"age": 3, "zip": 2, "job": 1}
HEIGHTS = {"age": 4, "zip": 5, "job": 2}


def plan(levels=None, heights=None, *, recoding=None, **changes):
    """A plan, read from its document; `changes` are by name, wherever they stand in it."""
    levels = LEVELS if levels is None else levels
    document = {
        "kanon_sql_plan": 1,
        "policy": {"file": "policy.yml", "sha256": "0", "overrides": {}},
        "source": {"rows": 30162, "fingerprint": None},
        "hierarchies": dict.fromkeys(levels, "0"),
        "privacy": ["5-anonymity"],
        "search": {
            "algorithm": "optimal",
            "metric": "loss",
            "optimal": True,
            "cost": 0.25,
            "lattice_nodes": 90,
        },
        "recoding": {
            **(
                {"levels": levels} if not {"layers", "boxes", "parts"} & set(recoding or {}) else {}
            ),
            "heights": HEIGHTS if heights is None else heights,
            "max_suppressed": 1206,
            "suppressed_rows": 1178,
            **(recoding or {}),
        },
        "figures": {"classes": 370, "smallest_class": 5, "loss": 0.25, "discernibility": 5e7},
        "sql": "",
    }
    for name, value in changes.items():
        (part,) = (
            part
            for part in (document, *document.values())
            if isinstance(part, dict) and name in part
        )
        part[name] = value
    return Plan.from_yaml(yaml.safe_dump(document, sort_keys=False), "plan")


def explanation(own=None, **changes):
    """An explanation of a plan that was proven to be optimal."""
    own = own or plan()
    best = Optimum(Certainty.PROVEN, tuple(own.levels.values()), own.suppressed_rows, own.cost)
    fields = {
        "plan": own,
        "promise": Guarantee.OPTIMUM,
        "paper": "p",
        "feasible": True,
        "claimed": True,
        "optimal": True,
        "proof_checks": 9,
        "optimum": best,
        "base": changes.get("optimum", best),
        "bounds": (),
        "columns": (),
        "neighbours": (),
        "frontier": (),
        "walked": True,
        "nodes": None,
        "checks": 9,
        "nodes_checked": 9,
        **changes,
    }
    return Explanation(**fields)
