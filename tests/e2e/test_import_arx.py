"""`init` of a project of ARX: what becomes of its parts, and that a hostile project writes nothing."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections import defaultdict

import duckdb
import pytest
import yaml
from arx_projects import (
    AGES,
    CLINIC,
    SEXES,
    WARDS,
    attribute,
    clinic,
    config,
    entries,
    packed,
    table,
    xml,
)

from kanon_sql.apps.getting_started import arx_project
from kanon_sql.apps.getting_started.arx_project import ArxAttribute
from kanon_sql.apps.getting_started.first_policy import first_policy
from kanon_sql.apps.getting_started.import_arx import model_of
from kanon_sql.errors import InputError

MANY = (
    "3-anonymity",
    "distinct-2-diversity for attribute 'ward'",
    "0.5-closeness with hierarchical ground-distance for attribute 'ward'",
    "(0.4)-avg-reidentification-risk",
    "(1.0,2.0)-DP",
)


def imported(lab, found, **more):
    lab.write("clinic.deid", packed(found) if isinstance(found, dict) else found)
    lab.done("init", "clinic.deid", "-o", "first.yml", **more)
    return yaml.safe_load((lab.folder / "first.yml").read_text())


def test_a_project_becomes_a_policy_that_lints_and_plans(lab):
    weights = {"age": "1.0", "sex": "0.25"}
    found = clinic(criteria=MANY, weights=weights, metric="Loss (0.7/0.6/1.0)")
    first = imported(lab, found)
    of_file = {"delimiter": ";"}
    assert first["source"] == {"path": "clinic/input.csv", **of_file}
    assert first["columns"] == {
        "name": {"role": "identifying", "action": "drop"},
        "age": {
            "role": "quasi",
            "hierarchy": {"csv": "clinic/hierarchy_age.csv", **of_file},
            "levels": {"least": 0, "most": 1},
            "weight": 1,
        },
        "sex": {
            "role": "quasi",
            "hierarchy": {"csv": "clinic/hierarchy_sex.csv", **of_file},
            "weight": 0.25,
        },
        "ward": {
            "role": "sensitive",
            "hierarchy": {"csv": "clinic/hierarchy_ward.csv", **of_file},
        },
        "days": {"role": "insensitive"},
    }
    assert first["privacy"] == [
        {"k": 3},
        {"distinct_l": {"column": "ward", "l": 2}},
        {"t_closeness": {"column": "ward", "t": 0.5, "distance": "hierarchical"}},
        {"average_risk": 0.4},
    ]
    assert first["suppression"] == "4%"
    assert first["search"] == {
        "algorithm": "optimal", "metric": "loss", "generalization_factor": 0.7,
    }  # fmt: skip
    assert "# (1.0,2.0)-DP: has no counterpart here" in (lab.folder / "first.yml").read_text()
    for name, entry in (("input", "data/input"), ("hierarchy_ward", "input/hierarchies/ward")):
        assert (lab.folder / f"clinic/{name}.csv").read_bytes() == found[f"{entry}.csv"]
    assert stat.S_IMODE((lab.folder / "clinic").stat().st_mode) == 0o700
    assert "0 warnings" in lab.done("lint", "first.yml")
    lab.done("plan", "first.yml")
    lab.done("anonymize", "first.yml")
    rows = duckdb.sql(
        f"SELECT age, sex, ward FROM '{lab.folder}/clinic_release.parquet'"
    ).fetchall()
    classes = defaultdict(list)
    for *labels, ward in rows:
        classes[tuple(labels)].append(ward)
    assert len(rows) >= 0.96 * (len(CLINIC) - 1)
    assert all(len(wards) >= 3 and len(set(wards)) >= 2 for wards in classes.values())
    assert {age for age, _ in classes} <= {line[1] for line in AGES} | {line[0] for line in AGES}


def test_texts_of_another_encoding_and_separator_are_read(lab):
    found = clinic(separator="\t")
    for name in ("data/input.csv", "input/hierarchies/ward.csv"):
        found[name] = found[name].decode().encode("cp1252")
    first = imported(lab, found)
    assert first["source"]["delimiter"] == "\t"
    assert "é;1" in (lab.folder / "clinic/input.csv").read_text("utf-8")
    assert "no faults" in lab.done("lint", "first.yml")


def test_criteria_that_are_not_taken_over_are_printed(lab):
    lab.write(
        "clinic.deid", packed(clinic(criteria=("3-anonymity", "Inclusion", "(0.1,0.2)-presence")))
    )
    told = lab.done("init", "clinic.deid", "-o", "first.yml").splitlines()
    assert [each.split(":")[1].strip() for each in told[:2]] == ["Inclusion", "(0.1,0.2)-presence"]
    assert len(told) == 4


def test_a_project_is_no_source_of_a_frame_s_kind(lab, monkeypatch):
    lab.write("clinic.deid", packed(clinic()))
    monkeypatch.chdir(lab.folder)
    with pytest.raises(InputError, match=r"kanon-sql init clinic\.deid -o policy\.yml"):
        first_policy("clinic.deid")


def test_attributes_that_are_not_generalized_and_models_without_k_are_said(lab):
    attributes = [
        attribute("name", "quasi"),
        attribute("age", "quasi", ref="hierarchies/age.csv", averaged=True),
        attribute("sex", "quasi", ref="hierarchies/sex.csv", response=True),
        attribute("ward", "insensitive"),
        attribute("days", "insensitive"),
    ]
    lines = [[str(n)] for n in range(20, 60)]
    criteria = ("(0.01)-population-uniqueness (pitman)", "Inclusion")
    hierarchies = {"age": lines, "sex": SEXES}
    found = clinic(
        attributes=attributes, hierarchies=hierarchies, criteria=criteria, metric="KL-Divergence"
    )
    first = imported(lab, found)
    assert first["columns"]["name"]["hierarchy"] == "suppress"
    assert first["columns"]["age"]["hierarchy"] == "suppress"
    assert first["privacy"] == [{"k": 5}]
    text = (lab.folder / "first.yml").read_text()
    assert "Its quality model is KL-Divergence" in text
    assert "estimator: pitman" in text
    assert "records that the project selects" in text
    assert "no faults" in lab.done("lint", "first.yml")


HOSTILE = "a'\n  - {k: 1}\n#\u2028../../x"


def test_hostile_names_of_a_project_are_kept_as_they_are_and_name_no_path(lab):
    names = ["../../evil", "a: b # c", "[1]*", "é\u2028\"'", "no"]
    attributes = [
        attribute(name, role, ref=f"hierarchies/{name}.csv")
        for name, role in zip(
            names, ("quasi", "quasi", "quasi", "sensitive", "insensitive"), strict=True
        )
    ]
    rows = [names, *([str(i % 2)] * 5 for i in range(40))]
    lines = [["0", "*"], ["1", "*"]]
    criteria = ("3-anonymity", f"distinct-2-diversity for attribute '{names[3]}'", HOSTILE)
    found = entries(attributes, rows, dict.fromkeys(names, lines), criteria=criteria)
    before = set(lab.files())
    first = imported(lab, found)
    assert list(first["columns"]) == names
    assert first["privacy"] == [{"k": 3}, {"distinct_l": {"column": names[3], "l": 2}}]
    added = set(lab.files()) - before - {"clinic.deid", "first.yml", "clinic"}
    assert added == {
        "clinic/input.csv", "clinic/hierarchy__evil.csv", "clinic/hierarchy_a_b_c.csv", "clinic/hierarchy__1.csv",
    }  # fmt: skip
    assert "no faults" in lab.done("lint", "first.yml")
    lab.done("plan", "first.yml")


BOMB = (
    b'<!DOCTYPE config [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><config><metric>&b;</metric></config>'
)
OUTSIDE = b'<!DOCTYPE config [<!ENTITY a SYSTEM "file:///etc/passwd">]><config>&a;</config>'
ENTRIES = {
    "an entity": ("input/config.xml", BOMB, "document type"),
    "a file as entity": ("input/config.xml", OUTSIDE, "document type"),
    "an entity that is nowhere": ("input/config.xml", b"<config>&a;</config>", "well-formed"),
    "no end": ("input/definition.xml", b"<definition>", "well-formed"),
    "depth": ("input/config.xml", b"<a>" * 400 + b"</a>" * 400, "nested too deeply"),
    "no text": ("metadata.xml", b"\x81\x8d" * 9, "neither UTF-8 nor Windows-1252"),
    "a later vocabulary": ("metadata.xml", b"<m><vocabulary>9</vocabulary></m>", "vocabulary 9"),
    "two characters": ("project.xml", b"<p><separator>ab</separator></p>", "single character"),
    "no role": ("input/definition.xml", b"<d><assigment><name>a</name></assigment></d>", "without"),
    "other columns": ("data/input.csv", b"a;b\n1;2\n", "2 columns, which are not the 5"),
    "no rows at all": ("data/input.csv", b"", "0 columns"),
    "a large document": ("input/config.xml", b" " * (9 * 1024**2), "at most"),
    "a zip bomb": ("data/input.csv", b"0" * (20 * 1024**2), "200 times its size"),
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_a_hostile_entry_is_one_error_and_writes_nothing(lab, kind):
    name, content, told = ENTRIES[kind]
    refused(lab, packed({**clinic(), name: content}), name, told)


@pytest.mark.parametrize(
    "name",
    ["metadata.xml", "project.xml", "input/config.xml", "input/definition.xml", "data/input.csv", "input/hierarchies/age.csv"],
)  # fmt: skip
def test_a_missing_entry_is_one_error(lab, name):
    found = clinic()
    del found[name]
    refused(lab, packed(found), name, "missing")


def refused(lab, content, *told):
    lab.write("clinic.deid", content)
    before = lab.files()
    message = lab.refused("init", "clinic.deid", "-o", "first.yml")
    assert all(each in message for each in told), message
    assert lab.files() == before


def test_what_is_no_archive_of_arx_is_one_error(lab, monkeypatch):
    found = clinic()
    good = packed(found)
    refused(lab, b"PK\x03\x04 no zip", "not a zip archive")
    refused(lab, good[: len(good) // 2], "not a zip archive")
    start = good.index(b"input/config.xml")
    broken = bytearray(good)
    broken[start + 20 : start + 60] = b"\xff" * 40
    refused(lab, bytes(broken), "input/config.xml", "cannot be unpacked")
    monkeypatch.setattr(arx_project, "MOST_ENTRIES", 5)
    refused(lab, good, "entries; at most 5")


def test_entries_that_are_twice_encrypted_or_links_are_refused(lab):
    found = clinic()
    good = packed(found)
    lab.write("twice.zip", good)
    with (
        pytest.warns(UserWarning, match="Duplicate"),
        zipfile.ZipFile(lab.folder / "twice.zip", "a") as archive,
    ):
        archive.writestr("input/config.xml", b"<config/>")
    refused(lab, (lab.folder / "twice.zip").read_bytes(), "twice")

    at = good.rindex(b"input/config.xml") - 46  # its entry in the directory at the end
    locked = bytearray(good)
    locked[at + 8] |= 1
    refused(lab, bytes(locked), "encrypted")
    linked = bytearray(good)
    linked[at + 38 : at + 42] = struct.pack("<I", (stat.S_IFLNK | 0o777) << 16)
    refused(lab, bytes(linked), "link")


def test_nothing_that_exists_is_overwritten(lab):
    lab.write("clinic.deid", packed(clinic()))
    (lab.folder / "clinic").mkdir()
    lab.write("clinic/input.csv", "mine")
    assert "already exists" in lab.refused("init", "clinic.deid", "-o", "first.yml")
    assert (lab.folder / "clinic/input.csv").read_text() == "mine"
    lab.write("first.yml", "mine")
    assert "--replace" in lab.refused("init", "clinic.deid", "-o", "first.yml")
    assert "name a file" in lab.refused("init", "clinic.deid", "-o", "-")
    for option in ("--database", "--known", "--sensitive"):
        told = lab.refused("init", "clinic.deid", "-o", "a.yml", option, "age")
        assert f"{option}: is not for a project of ARX" in told
    assert "kanon-sql suggest" in lab.refused("init", "clinic.deid", "-o", "a.yml", "--try")
    assert "cannot be read" in lab.refused("init", "none.deid", "-o", "a.yml")
    before = lab.files()
    lab.refused("init", "clinic.deid", "-o", "no/such/folder.yml")
    assert lab.files() == before


# ---- models ------------------------------------------------------------------------------


def known(name, role="sensitive", data_type="String", form=None, levels=3):
    file = f"input/hierarchies/{name}.csv" if levels else None
    return ArxAttribute(name, role, data_type, form, file, levels, None, None, False, False)


OF = {
    each.name: each
    for each in (
        known("a"), known("it's", data_type="Integer", levels=0), known("q", role="quasi"),
        known("d", data_type="Date/Time", form="dd.MM.yyyy"), known("iso", data_type="Date/Time", form="yyyy-MM-dd"),
    )
}  # fmt: skip
MODELS = {
    "5-anonymity": (None, 5),
    "(5)-map estimated as (3)-anonymity (Poisson)": (None, 3),
    "(5)-map estimated as (unknown)-anonymity (Poisson)": (None, None),
    "(5)-map": (None, None),
    "(0.1,0.2)-presence": (None, None),
    "distinct-3-diversity for attribute 'a'": ({"distinct_l": {"column": "a", "l": 3}}, None),
    "distinct-3-diversity for attribute 'q'": (None, None),
    "distinct-3-diversity for attribute 'none'": (None, None),
    "shannon-entropy-2.5-diversity for attribute 'it's'": ({"entropy_l": {"column": "it's", "l": 2.5}}, None),
    "grassberger-entropy-2.5-diversity for attribute 'a'": (None, None),
    "recursive-(4.0,3)-diversity for attribute 'a'": ({"recursive_l": {"column": "a", "c": 4, "l": 3}}, None),
    "0.001-closeness with equal ground-distance for attribute 'a'": (
        {"t_closeness": {"column": "a", "t": 0.001, "distance": "equal"}}, None,
    ),
    "0.2-closeness with hierarchical ground-distance for attribute 'a'": (
        {"t_closeness": {"column": "a", "t": 0.2, "distance": "hierarchical"}}, None,
    ),
    "0.2-closeness with hierarchical ground-distance for attribute 'it's'": (None, None),
    "0.2-closeness with ordered distance for attribute 'it's'": (
        {"t_closeness": {"column": "it's", "t": 0.2, "distance": "ordered"}}, None,
    ),
    "0.2-closeness with ordered distance for attribute 'iso'": (
        {"t_closeness": {"column": "iso", "t": 0.2, "distance": "ordered"}}, None,
    ),
    "0.2-closeness with ordered distance for attribute 'd'": (None, None),
    "1.5-disclosure privacy for attribute 'a'": ({"delta_disclosure": {"column": "a", "delta": 1.5}}, None),
    "basic-1.0-likeness for attribute 'a'": ({"beta_likeness": {"column": "a", "beta": 1}}, None),
    "enhanced-1.0-likeness for attribute 'a'": (
        {"beta_likeness": {"column": "a", "beta": 1, "enhanced": True}}, None,
    ),
    "(0.2)-avg-reidentification-risk": ({"average_risk": 0.2}, None),
    "(0.05, 0.2 (0.2), 0.0)-avg-reidentification-risk": ({"average_risk": 0.05}, 5),
    "(0.05, 0.3 (0.3), 0.0)-avg-reidentification-risk": ({"average_risk": 0.05}, 4),
    "(0.05, 0.2 (0.2), 0.01)-avg-reidentification-risk": ({"average_risk": 0.05}, None),
    "(1.0E-4)-sample-uniqueness": ({"sample_uniqueness": 0.0001}, None),
    "(0.01)-population-uniqueness (dankar)": (None, None),
    "Inclusion": (None, None),
    "profitability (journalist)": (None, None),
    "1E99-closeness": (None, None),
    f"{'9' * 30}-anonymity": (None, None),
}  # fmt: skip


@pytest.mark.parametrize("criterion", MODELS)
def test_a_criterion_is_the_model_of_a_policy_or_a_note(criterion):
    entry, k = MODELS[criterion]
    found = model_of(criterion, OF)
    assert (None if found.entry is None else yaml.safe_load(f"{{{found.entry}}}"), found.k) == (
        entry,
        k,
    )
    assert criterion in found.note


def test_what_the_writer_here_writes_is_what_the_reader_knows():
    """The names of ARX's elements are written once there, and once in the tests."""
    assert config()[0] == "<config>"
    assert xml("a", xml("b", "'")) == ["<a>", "\t<b>&apos;</b>", "</a>"]
    assert table([["a;b", "c"]]) == '"a;b";c\n'
    assert (len(AGES), len(WARDS), len(CLINIC)) == (40, 3, 81)
