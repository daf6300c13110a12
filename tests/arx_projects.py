"""Project files as ARX saves them: the entries, element names and order of its own writer, without its Java objects."""

from __future__ import annotations

import csv
import io
import zipfile
from xml.sax.saxutils import escape

TYPES = {
    "identifying": "IDENTIFYING_ATTRIBUTE",
    "quasi": "QUASI_IDENTIFYING_ATTRIBUTE",
    "sensitive": "SENSITIVE_ATTRIBUTE",
    "insensitive": "INSENSITIVE_ATTRIBUTE",
}
QUOTES = {'"': "&quot;", "'": "&apos;"}
JAVA = b"\xac\xed\x00\x05"
"""How a serialized Java object begins."""


def xml(tag, *inner):
    """Write an element as ARX does: tabs, no declaration."""
    if len(inner) == 1 and isinstance(inner[0], str):
        return [f"<{tag}>{escape(inner[0], QUOTES)}</{tag}>"]
    return [f"<{tag}>", *(f"\t{line}" for each in inner for line in each), f"</{tag}>"]


def attribute(
    name, role, *, ref=None, data_type="String", form=None, least=None, most=None, **more
):
    """Write an `assigment`, which is how ARX spells it."""
    parts = [xml("name", name), xml("type", TYPES[role]), xml("datatype", data_type)]
    parts += [xml("format", form)] if form else []
    parts += [xml("response", "true")] if more.get("response") else []
    if ref:
        bounds = ("All" if each is None else str(each) for each in (least, most))
        parts += [xml("ref", ref), xml("min", next(bounds)), xml("max", next(bounds))]
    if more.get("averaged"):
        parts += [xml("microaggregationFunction", "Arithmetic mean")]
        parts += [xml("microaggregationIgnoreMissingData", "true")]
    return xml("assigment", *parts)


def config(criteria=("3-anonymity",), limit="0.04", metric="Loss (0.5/1.0/1.0)", weights=None):
    weighed = [
        xml("attributeWeight", xml("attribute", name), xml("weight", weight))
        for name, weight in (weights or {}).items()
    ]
    return xml(
        "config",
        xml("suppressTuplesInNonAnonymousOutput", "true"),
        xml("suppressedAttributeTypes", xml("type", TYPES["quasi"])),
        xml("practicalMonotonicity", "false"),
        xml("relativeMaxOutliers", limit),
        xml("metric", metric),
        xml("attributeWeights", *weighed),
        xml("criteria", *(xml("criterion", each) for each in criteria)),
    )


def table(rows, separator=";"):
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()


def entries(attributes, rows, hierarchies=None, *, separator=";", **of_config):
    """Return the entries of a project: names with their bytes. `hierarchies` are lines by the attribute's name."""
    found = {
        "metadata.xml": xml("metadata", xml("version", "3.9.1"), xml("vocabulary", "2.0")),
        "project.dat": JAVA,
        "project.xml": xml(
            "project", xml("name", "Clinic"), xml("separator", separator), xml("escape", '"'),
            xml("quote", '"'), xml("linebreak", "UNIX"), xml("locale", "EN"),
        ),
        "data/input.csv": table(rows, separator),
        "input/config.dat": JAVA,
        "input/config.xml": config(**of_config),
        "input/definition.xml": xml("definition", *attributes),
    }  # fmt: skip
    for name, lines in (hierarchies or {}).items():
        found[f"input/hierarchies/{name}.csv"] = table(lines, separator)
    return {name: _bytes(each) for name, each in found.items()}


def _bytes(content):
    if isinstance(content, list):
        content = "".join(f"{line}\n" for line in content)
    return content.encode() if isinstance(content, str) else content


def packed(found):
    """Pack entries into the archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in found.items():
            archive.writestr(name, content)
    return file.getvalue()


AGES = [[str(n), f"{n // 10 * 10}-{n // 10 * 10 + 9}", "*"] for n in range(20, 60)]
SEXES = [["f", "*"], ["m", "*"]]
WARDS = [["é;1", "surgery", "*"], ["b", "surgery", "*"], ["c", "medicine", "*"]]
CLINIC = [["name", "age", "sex", "ward", "days"]] + [
    [f"n{i}", str(20 + i * i % 40), "fm"[i % 2], WARDS[i % 3][0], str(i % 9)] for i in range(80)
]


def clinic(**changes):
    """A small project of every role, as entries."""
    attributes = [
        attribute("name", "identifying"),
        attribute("age", "quasi", ref="hierarchies/age.csv", data_type="Integer", least=0, most=1),
        attribute("sex", "quasi", ref="hierarchies/sex.csv"),
        attribute("ward", "sensitive", ref="hierarchies/ward.csv"),
        attribute("days", "insensitive", data_type="Integer"),
    ]
    given = {"attributes": attributes, "rows": CLINIC}
    return entries(
        **{**given, "hierarchies": {"age": AGES, "sex": SEXES, "ward": WARDS}, **changes}
    )
