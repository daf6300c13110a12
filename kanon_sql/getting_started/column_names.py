"""Patterns of column names that suggest a role or a kind of values; they are matched with `folded` names."""

from __future__ import annotations

import re

DIRECT = re.compile(
    r"(^|_)(name|surname|firstname|lastname|forename|ssn|nhs|mrn|e?mail|phone|tel|fax|address|street|"
    r"passport|iban|account|ip|url|username|login|license|licence|plate)($|_)"
)
CODE = re.compile(r"(^|_)(id|no|nr|number|key|code|ref|uuid)$")
"""Names of columns whose numbers identify something, and are no amounts."""
SENSITIVE = re.compile(
    r"disease|diagnos|(^|_)icd($|_|\d)|condition|problem|illness|symptom|treatment|medication|drug|hiv|salary|income|"
    r"wage|debt|crime|verdict|(^|_)(score|result)($|_|s)"
)
KNOWN_QUASI = re.compile(
    r"(^|_)(age|sex|gender|zip|zipcode|postcode|postal|birth|birthdate|dob|race|ethnicity|marital|"
    r"education|occupation|job|workclass|country|nationality|region|state|county|city|language|"
    r"religion|children|employer|school)($|_)"
)
ZIP = re.compile(r"(^|_)(zip|zipcode|postcode|postal|postalcode|plz)($|_|\d)")
MEASURE = re.compile(
    r"(^|_)(amount|charge|charges|price|cost|costs|fee|total|balance|payment|paid|revenue|length|stay|los|"
    r"duration|minutes|seconds|days|dose|dosage|weight|height|bmi|pressure|temperature|glucose|rate|"
    r"quantity|count|visits|fnlwgt|gain|loss)($|_)"
)
HEALTH = re.compile(
    r"disease|diagnos|(^|_)(icd|mrn|nhs|ward|patient|hospital|clinic)($|_|\d)|medication|symptom|illness|"
    r"treatment|therap|admission|admitted|discharge|hiv"
)
