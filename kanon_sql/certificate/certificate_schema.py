"""The JSON Schema of `certificate.json`, for those who read it by other means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_sql.certificate.certificate import (
    DIALECTS,
    FINGERPRINT,
    FORMAT,
    REPORT,
    SCRIPT,
)
from kanon_sql.certificate.claims import ClaimVerdict, Comparator, Kind
from kanon_sql.policy.model import Nulls
from kanon_sql.privacy.privacy_model import SensitiveNulls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Schema = dict[str, object]
TEXT: Schema = {"type": "string", "minLength": 1}
MAYBE: Schema = {"type": ["string", "null"], "minLength": 1}
COUNT: Schema = {"type": "integer", "minimum": 0}
TRUTH: Schema = {"type": "boolean"}
DIGEST: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
OF_SOME = {"source_rows", "sensitive_nulls"}
"""The keys that claims of some kinds alone have."""
NAMES: Schema = {"type": "array", "items": TEXT}


def certificate_schema() -> Schema:
    """Describe a certificate: every key is there, but `linked` only where a column joins rows, and no other."""
    claim = {
        "claim": _one_of(kind.value for kind in Kind),
        "says": TEXT,
        "over": NAMES,
        "counts": MAYBE,
        "sensitive_nulls": _one_of(nulls.value for nulls in SensitiveNulls),
        "source_rows": COUNT,
        "relation": _one_of(relation.value for relation in Comparator),
        "asked": COUNT,
        "found": COUNT,
        "recounted": TRUTH,
        "verdict": _one_of(verdict.value for verdict in ClaimVerdict),
    }
    release = {
        "kind": _one_of(("table", "parquet", "csv", "json")),
        **dict.fromkeys(("name", "path", "pattern"), TEXT),
        **dict.fromkeys(("schema", "catalog", "database", "base", "delimiter"), MAYBE),
        "partitions": NAMES,
        "rows": COUNT,
        "columns": _listed(_object({"name": TEXT, "nested": TRUTH})),
        "fingerprint": {"type": "string", "pattern": f"^{FINGERPRINT.pattern}$"},
    }
    band = {
        "from": COUNT,
        "to": {**COUNT, "type": ["integer", "null"]},
        "classes": COUNT,
        "rows": COUNT,
    }
    linked = {"column": TEXT, "values": COUNT, "unique": COUNT}
    keys: Schema = {
        "kanon_sql_certificate": {"const": FORMAT},
        "made_by": _object(
            {"kanon_sql": TEXT, "engine": TEXT, "dialect": _one_of(sorted(DIALECTS))}
        ),
        "plan": _object({"sha256": DIGEST}),
        "policy": _object({"sha256": DIGEST}),
        "release": _object(release, needed=("kind", "rows", "columns", "fingerprint")),
        "entity": _object({"column": MAYBE, "released": TRUTH}),
        "nulls": _one_of(nulls.value for nulls in Nulls),
        "quasi_identifiers": _listed(
            _object({"name": TEXT, "released_as": NAMES, "recoded": TEXT})
        ),
        "claims": _listed(_object(claim, needed=[k for k in claim if k not in OF_SOME])),
        "class_sizes": _listed(_object(band)),
        "linked": _listed(_object(linked)),
        "files": _object({SCRIPT: DIGEST, REPORT: DIGEST}),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A kanon-sql certificate",
        **_object(keys, needed=[key for key in keys if key != "linked"]),
    }


def _object(keys: Mapping[str, object], *, needed: Iterable[str] | None = None) -> Schema:
    required = list(keys if needed is None else needed)
    told = {"type": "object", "properties": dict(keys), "required": required}
    return {**told, "additionalProperties": False}


def _listed(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _one_of(values: Iterable[str]) -> Schema:
    return {"enum": list(values)}
