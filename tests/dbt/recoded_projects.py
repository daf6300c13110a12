"""Projects with a release by each recoding that is no matter of one node, for each database that builds them."""

from __future__ import annotations

import yaml

AGE = 'Age "in" years, it\'s'
STAGING = """select patient_id, sex, born, zip, nullif(job, 'unknown') as job, disease, loaded_on,
    case when patient_id % 50 = 0 then null else cast(extract(year from born) as integer) - 1900 end as "Age ""in"" years, it's"
from {{ ref('raw_patients') }}
where loaded_on <= cast('{{ var("until", "2026-03-31") }}' as date)
"""
DROPPED = {"role": "identifying", "action": "drop"}
PRIVACY = [{"k": 5}, {"distinct_l": {"column": "disease", "l": 2}}]
JOBS = {"csv": "hierarchies/jobs.csv"}
NAMED = {"patient_id": DROPPED, "loaded_on": DROPPED, "disease": {"role": "sensitive"}}
TREES = {
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    AGE: {"role": "quasi", "order": "number"},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "job": {"role": "quasi", "hierarchy": JOBS},
}
LINES = {
    "sex": {"role": "quasi", "order": ["m", "f"]},
    AGE: {"role": "quasi", "order": "number", "snap": 5, "output": "bounds"},
    "born": {"role": "quasi", "order": "date", "output": "bounds"},
    "zip": {"role": "quasi", "order": "text"},
    "job": {"role": "quasi", "hierarchy": JOBS, "order": "text"},
}
LEVELS = {
    "sex": {"role": "quasi", "hierarchy": "suppress"},
    AGE: {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20]}, "output": "bounds"},
    "born": {"role": "quasi", "hierarchy": {"dates": ["year", "decade"]}},
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}},
    "job": {"role": "quasi", "hierarchy": JOBS},
}
CUTS = {"algorithm": "mondrian", "grouping": "cuts"}
INTERVALS = {"algorithm": "top_down", "target": "disease"}
OF_MODEL = {
    "by_regions": (TREES, CUTS),
    "by_lines": (LINES, CUTS),
    "by_intervals": (TREES | {"born": LINES["born"]}, INTERVALS),
    "at_nodes": (LEVELS, {"recoding": "local", "metric": "loss"}),
    "overlapping": (LINES, {"algorithm": "mondrian"}),
}
"""The quasi-identifiers of a model, and the search of its recoding."""


def policy_of(model, **changes):
    """The policy of a model, as its properties say it."""
    quasi, search = OF_MODEL[model]
    columns = {"born": DROPPED, **quasi, **NAMED}
    own = {"entity": "patient_id", "privacy": PRIVACY, "suppression": "5%", "search": search}
    return {**own, "columns": columns} | changes


def ask(project, model, **changes):
    """Have a model in a project that is to be released; entries that no policy has go beside those that one has."""
    policy = policy_of(model, **changes)
    columns = [
        {"name": name, "quote": True, "config": {"meta": {"kanon": said}}}
        for name, said in policy.pop("columns").items()
    ]
    entry = {"name": model, "config": {"meta": {"kanon": policy}}, "columns": columns}
    text = yaml.safe_dump({"version": 2, "models": [entry]}, sort_keys=False, allow_unicode=True)
    project.write(f"models/{model}.yml", text)
    project.write(f"models/{model}.sql", "select * from {{ ref('stg_patients') }}")


def recoded(project, models, **changes):
    """Ask for releases of some models in a project that has no other."""
    (project.folder / "models/stg_patients.yml").unlink(missing_ok=True)
    project.write("models/stg_patients.sql", STAGING)
    for model in models:
        ask(project, model, **changes)
    project.linked()
    return project


def own_policy(project, model):
    """The policy of a model, for our own engine."""
    policy = policy_of(model)
    jobs = {"csv": str(project.folder / JOBS["csv"])}
    columns = {
        name: said | ({"hierarchy": jobs} if said.get("hierarchy") == JOBS else {})
        for name, said in policy["columns"].items()
    }
    return {"version": 1, **policy, "columns": columns}
