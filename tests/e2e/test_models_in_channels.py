"""Every registered privacy model in every channel of a release: counted by an oracle, or refused; never forgotten.

A class that does not fit is planted. A channel leaves it out, or says so; one that the model does not name
refuses the policy with the model's reason. Where a policy has a model that nobody counts, every channel raises.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import class_models
import duckdb
import pyarrow as pa
import pytest
from jinja2 import TemplateNotFound
from table_models import average_risk, sample_uniqueness, zayatz

import kanon_sql
from kanon_sql.apps.dbt import build_project_files
from kanon_sql.apps.dbt.project import ProjectRelation, ReleaseRequest
from kanon_sql.policy.model import Policy
from kanon_sql.policy.privacy.declared_models import MODELS as REGISTERED
from kanon_sql.policy.privacy.demands import AT_ALL, bound_name
from kanon_sql.policy.privacy.privacy_model import Channel, Measure, Monotony, Requirement
from kanon_sql.recoding import query
from kanon_sql.release.warehouse_sql import HERE, WAREHOUSES

pytestmark = pytest.mark.sampled(24)

QUASI = ("z", "w")
CLEAN = [(z, w, d) for z in "ab" for w in "xy" for d in ("flu", "cold", "flu")]
WITH_NULL = [(z, w, d) for z in "ab" for w in "xy" for d in ("flu", None, "flu")]


def rows_of(least):
    return lambda cells, _table: len(cells) >= least


def values_of(least, *, null=False):
    return lambda cells, _table: len(set(cells) - (set() if null else {None})) >= least


def weighed(rule):
    """A rule of the papers for the known values; NULL is no value."""

    def fits(cells, table):
        return rule.fits(
            *(Counter(each for each in of if each is not None) for of in (cells, table))
        )

    return fits


def of_values(rule, cells):
    """A model that weighs values, where one class has these cells."""
    ((key, said),) = rule.privacy.items()
    asked = {key: {**said, "column": "d"}}
    of_readers = rule.references != ("source",)  # who have the release alone, and no hierarchy
    of_readers = of_readers and said.get("distance") != "hierarchical"
    return Model(
        asked, weighed(rule), CLEAN, with_cells(CLEAN, A[:1], cells), column=rule.column,
        claim="privacy_model" if of_readers else None,
        verify={"privacy": asked} if of_readers else None,
    )  # fmt: skip


PEOPLE = {("a", "x"): 5, ("a", "y"): 5, ("b", "x"): 5, ("b", "y"): 4, ("c", "y"): 3}
REGISTER = tuple((z, w, None) for (z, w), n in PEOPLE.items() for _ in range(n))
"""The persons of each class; the clean rows have three of each of the first four."""


@dataclass(frozen=True)
class Model:
    """What a policy says, and when a class fits by hand; rows that keep to it, and rows of which one class is short.

    `claim` is what a certificate says of it, and `verify` how anybody asks for it of a table; none where
    these cannot count it. One of the whole table fits by the sizes of all classes: where it does not, all are short. One that compares a class with its rows in a `register` fits by these, and not by the table.
    """

    privacy: object
    fits: object
    clean: list[tuple[str, str, str | None]]
    planted: list[tuple[str, str, str | None]]
    over: tuple[str, ...] = QUASI
    claim: str | None = "k_anonymity"
    verify: dict | None = None
    counts_null: bool = False
    column: dict = field(default_factory=dict)
    register: tuple[tuple[str, str, str | None], ...] = ()
    whole: bool = False

    @property
    def values(self):
        """Whether values are counted, and not rows."""
        return self.claim != "k_anonymity" and not self.whole and not self.register

    def short(self, rows, table):
        """The classes that do not fit, in a release of a table."""
        classes = defaultdict(list)
        for z, w, d in rows:
            at = {"z": z, "w": w}
            classes[tuple(at[name] for name in self.over)].append(d)
        of_all = [d for _, _, d in table]
        if self.whole:
            kept = not classes or self.fits([len(cells) for cells in classes.values()])
            return [] if kept else ["all of them"]
        if self.register:
            return [key for key, cells in classes.items() if not self.fits(cells, self.people(key))]
        return [key for key, cells in classes.items() if not self.fits(cells, of_all)]

    def people(self, labels):
        """The rows of the register that have these labels."""
        return [
            row
            for row in self.register
            if all(label in {"*", value} for label, value in zip(labels, row, strict=False))
        ]

    @property
    def measures(self):
        (model,) = kanon_sql.read_policy(self.policy()).privacy
        return [each.measure for each in model.requirements]

    def counted_in(self, channel):
        return not any(each.refusal(channel) for each in self.measures)

    def refused(self, error, channel):
        """Whether a channel refuses the model as it says, and for its own reason."""
        return any(m.refusal(channel) and m.refusal(channel) in str(error) for m in self.measures)

    def policy(self, **changes):
        quasi = {"role": "quasi", "hierarchy": "suppress"}
        return {
            "version": 1,
            "source": "people",
            "entity": "row",
            "columns": {"z": quasi, "w": quasi, "d": {"role": "sensitive", **self.column}},
            "privacy": self.privacy,
            "suppression": 0,
            **({"sensitive_nulls": "value"} if self.counts_null else {}),
            **changes,
        }


def with_cells(rows, places, cells):
    """Rows with other sensitive values in the classes at these places."""
    left = {place: list(cells) for place in places}
    return [(z, w, left[z, w].pop(0) if (z, w) in left else d) for z, w, d in rows]


UNKNOWN = ("flu", None, "flu")
BOTH = ("source", "release")
DISTINCT = {"distinct_l": {"column": "d", "l": 2}}
A = [("a", "x"), ("a", "y")]
MODELS = {
    "k": Model({"k": 3}, rows_of(3), CLEAN, CLEAN[1:], verify={"k": 3}),
    "distinct l": Model(
        DISTINCT, values_of(2), CLEAN, with_cells(CLEAN, A[:1], UNKNOWN),
        claim="distinct_l_diversity", verify={"k": 1, "distinct_l": {"d": 2}},
    ),
    "distinct l, NULL a value": Model(
        DISTINCT, values_of(2, null=True), WITH_NULL, with_cells(WITH_NULL, A[:1], ("flu",) * 3),
        claim="distinct_l_diversity", verify={"k": 1, "distinct_l": {"d": 2}}, counts_null=True,
    ),
    "a value at all": Model(
        {"distinct_l": {"column": "d", "l": 1}},
        values_of(1), CLEAN, with_cells(CLEAN, A[:1], (None,) * 3),
        claim="distinct_l_diversity", verify={"k": 1, "distinct_l": {"d": 1}},
    ),
    "k over": Model(
        {"k": 6, "over": "z"}, rows_of(6), CLEAN, CLEAN[1:], over=("z",), verify={"k": 6}
    ),
    "distinct l over": Model(
        {**DISTINCT, "over": "z"}, values_of(2), CLEAN, with_cells(CLEAN, A, UNKNOWN), over=("z",),
        claim="distinct_l_diversity", verify={"k": 1, "distinct_l": {"d": 2}},
    ),
    "t": of_values(class_models.equal_distance(Fraction(1, 4), *BOTH), ("cold",) * 3),
    "t by the source": of_values(
        class_models.equal_distance(Fraction(1, 4), "source"), ("cold",) * 3
    ),
    "t of known values": of_values(
        class_models.equal_distance(Fraction(1, 4), "source"), (None,) * 3
    ),
    "t in a hierarchy": of_values(
        class_models.tree_distance(Fraction(9, 100), *BOTH), ("cold",) * 3
    ),
    "entropy l": of_values(class_models.entropy(1.8), ("flu",) * 3),
    "recursive l": of_values(class_models.recursive(Fraction(3), 2), ("flu",) * 3),
    "alpha": of_values(class_models.alpha(Fraction(3, 4)), ("cold",) * 3),
    "alpha over": Model(
        {"alpha": {"column": "d", "alpha": 0.75}, "over": "z"},
        weighed(class_models.alpha(Fraction(3, 4))),
        CLEAN, with_cells(CLEAN, A, ("cold",) * 6), over=("z",), claim="privacy_model",
        verify={"privacy": {"alpha": {"column": "d", "alpha": 0.75}}},
    ),
    "beta": of_values(class_models.beta(Fraction(3, 4), *BOTH, enhanced=False), ("cold",) * 3),
    "beta, enhanced": of_values(
        class_models.beta(Fraction(3, 4), "source", enhanced=True), ("cold",) * 3
    ),
    "delta": of_values(
        class_models.delta(Fraction(3, 4), *BOTH, absent="fails"), ("flu",) * 3
    ),
    "k-map": Model(
        {"k_map": {"k": 4, "population": "register"}},
        lambda _, people: len(people) >= 4,
        CLEAN, [*CLEAN, ("c", "y", "flu")], claim="population_model", register=REGISTER,
        verify={"privacy": {"k_map": {"k": 4, "population": "register"}}},
    ),
    "delta-presence": Model(
        {"delta_presence": {"least": 0, "most": 0.75, "population": "register"}},
        lambda cells, people: len(cells) <= len(people) * Fraction(3, 4),
        CLEAN, [*CLEAN, ("b", "y", "flu")], claim="population_model", register=REGISTER,
    ),
    "average risk": Model(
        {"average_risk": 0.34}, lambda sizes: average_risk(sizes) <= Fraction(34, 100),
        CLEAN, [*CLEAN, ("c", "y", "flu")], claim="table_model",
        verify={"privacy": {"average_risk": 0.34}}, whole=True,
    ),
    "sample uniqueness": Model(
        {"sample_uniqueness": 0.05}, lambda sizes: sample_uniqueness(sizes) <= Fraction(5, 100),
        CLEAN, [*CLEAN, ("c", "y", "flu")], claim="table_model",
        verify={"privacy": {"sample_uniqueness": 0.05}}, whole=True,
    ),
    "population uniqueness": Model(
        {"population_uniqueness": {"share": 0.01, "sampling": 0.5, "estimator": "zayatz"}},
        lambda sizes: zayatz(sizes, Fraction(1, 2)) <= Fraction(1, 100),
        CLEAN, [*CLEAN, ("c", "y", "flu")], claim=None,
        verify={"privacy": {"population_uniqueness": {
            "share": 0.01, "sampling": 0.5, "estimator": "zayatz",
        }}}, whole=True,
    ),
    "delta, absent ignored": of_values(
        class_models.delta(Fraction(3, 4), "source", absent="ignored"), ("cold",) * 3
    ),
}  # fmt: skip


def test_every_registered_model_is_run():
    """One that is registered and has no case here is a failure here, and not a hole in a release."""
    said = {key for model in MODELS.values() for key in model.privacy}
    assert said - {"over"} == {each.key for each in REGISTERED}


class Database:
    """A database of people, who may become others."""

    def __init__(self):
        self.connection = duckdb.connect()

    def put(self, rows, name="people"):
        columns = dict(zip(("z", "w", "d"), zip(*rows, strict=True), strict=True))
        frame = pa.table({k: pa.array(v, pa.string()) for k, v in columns.items()})  # noqa: F841
        self.connection.execute(f"CREATE OR REPLACE TABLE {name} AS FROM frame")

    def rows(self, name="out"):
        return self.connection.execute(f"SELECT z, w, d FROM {name}").fetchall()

    def planned(self, policy):
        return kanon_sql.plan(policy, connection=self.connection)

    def anonymized(self, policy):
        kanon_sql.anonymize(policy, connection=self.connection, release="out", replace=True)
        return self.rows()


@pytest.fixture
def db():
    made = Database()
    with made.connection:
        yield made


@pytest.fixture(params=MODELS)
def model(request, db):
    """One that its own counts by hand tell apart: nothing is short, and then one class."""
    found = MODELS[request.param]
    if found.register:
        db.put(found.register, "register")
    assert found.short(found.clean, found.clean) == []
    assert len(found.short(found.planted, found.planted)) == 1
    return found


RECODINGS = {
    "search": {},
    "cells": {"recoding": "cells"},
    "local": {"recoding": "local"},
    "mondrian": {"algorithm": "mondrian"},
    "mu-Argus": {"algorithm": "mu_argus", "sets": {"most": "z", "more": "w"}},
    "datafly": {"algorithm": "datafly"},
    "top-down": {"algorithm": "top_down", "target": "d"},
}
COUNTED_BY = {
    "search": Channel.LATTICE,
    "cells": Channel.SEVERAL_NODES,
    "local": Channel.SEVERAL_NODES,
    "mondrian": Channel.REGIONS,
    "mu-Argus": Channel.LOCAL_SUPPRESSION,
    "datafly": Channel.DATAFLY,
    "top-down": Channel.CUTS,
}


def as_advised(db, policy):
    """Release by a policy; where it may release two regions alike, by the cuts that the refusal names."""
    try:
        return db.anonymized(policy)
    except kanon_sql.PolicyError as error:
        if not str(error).endswith("use grouping: cuts"):
            raise
    return db.anonymized({**policy, "search": {**policy["search"], "grouping": "cuts"}})


@pytest.mark.parametrize("search", RECODINGS)
@pytest.mark.parametrize("suppression", [0, 3])
def test_no_search_releases_a_class_that_is_short(db, model, search, suppression):
    db.put(model.planted)
    own = RECODINGS[search]
    asked = model.policy(suppression=suppression, **({"search": own} if own else {}))
    try:
        released = as_advised(db, asked)
    except kanon_sql.PolicyError as error:
        of_one_set = "remove over" in str(error) or "instead" in str(error)
        assert of_one_set or model.refused(error, COUNTED_BY[search])  # noqa: PT017
        return
    except kanon_sql.InfeasibleError:
        released = []
    assert model.counted_in(COUNTED_BY[search])
    assert model.short(released, model.planted) == []
    db.put(model.clean)
    assert sorted(map(str, db.anonymized(model.policy()))) == sorted(map(str, model.clean))


def test_several_sets_count_a_model_or_refuse_it(db, model):
    """Beside another set, rows that are suppressed there are gone from the classes here."""
    db.put(model.planted)
    other = {"k": 6, "over": "w"} if model.over == ("z",) else {"k": 6, "over": "z"}
    try:
        released = db.anonymized(model.policy(privacy=[model.privacy, other], suppression=6))
    except kanon_sql.PolicyError as error:
        assert model.refused(error, Channel.SEVERAL_SETS)  # noqa: PT017
        return
    assert model.counted_in(Channel.SEVERAL_SETS)
    assert model.short(released, model.planted) == []


def of_new_rows(db, model):
    """Rows that the plan was not made from; it may let a class go. None where they are refused, as they should be."""
    db.put(model.clean)
    asked = model.policy(suppression=11)
    plan = db.planned(asked)
    db.put(model.planted)
    given = {"policy": asked, "connection": db.connection, "release": "out", "to_new_rows": True}
    if not model.counted_in(Channel.NEW_ROWS):
        with pytest.raises(kanon_sql.InputError) as error:
            kanon_sql.apply(plan, **given)
        assert model.refused(error.value, Channel.NEW_ROWS)
        return None
    return kanon_sql.apply(plan, **given)


def test_new_rows_are_released_without_the_class_that_is_short(db, model):
    if of_new_rows(db, model) is None:
        return
    assert model.short(db.rows(), model.planted) == []
    assert 0 < len(db.rows()) < len(model.planted)


def test_the_recount_finds_what_the_recoding_left(db, model, monkeypatch):
    """A recoding that asks nothing of the classes: all rows are staged, and none is published."""
    if not model.counted_in(Channel.NEW_ROWS):
        assert of_new_rows(db, model) is None  # see test_population_models for these
        return
    monkeypatch.setattr(query, "requirements", lambda _: AT_ALL)
    monkeypatch.setattr(query, "joint_demands", lambda _: ())
    with pytest.raises(kanon_sql.VerificationError, match="short"):
        of_new_rows(db, model)
    assert db.connection.execute("SHOW TABLES").fetchall() == [("people",)]


def test_a_view_shows_no_class_that_is_short(db, model):
    db.put(model.planted)
    asked = model.policy(suppression=6, release={"table": "out", "view": True})
    kanon_sql.anonymize(asked, connection=db.connection)
    assert model.short(db.rows(), model.planted) == []


SCRIPTS = {
    "script": {},
    "warehouse script": {"dialect": "duckdb", "table": "people"},
    "SQLMesh model": {"sqlmesh": "own.out", "table": "people"},
}


def made_by(db, model, kind, monkeypatch):
    """Run the script of a plan, on what the people are by now; None where it is refused."""
    given = {"policy": model.policy(), "connection": db.connection}
    plan = db.planned(model.policy())
    if kind == "warehouse script":
        monkeypatch.setitem(WAREHOUSES, "duckdb", HERE["duckdb"])
    if kind != "SQLMesh model":
        given["release"] = "out"
    return kanon_sql.compile_sql(plan, **given, **SCRIPTS[kind])


@pytest.mark.parametrize("kind", SCRIPTS)
def test_no_script_releases_a_class_that_is_short(db, model, kind, monkeypatch):
    db.put(model.clean)
    try:
        script = made_by(db, model, kind, monkeypatch)
    except kanon_sql.InputError as error:
        of_several = len(model.over) == 1 and "one set of quasi-identifiers" in str(error)
        assert of_several or model.refused(error, CHANNEL_OF[kind])  # noqa: PT017
        return
    assert model.counted_in(CHANNEL_OF[kind])
    if kind == "SQLMesh model":
        header, query = script.split("\n);\n\n")
        assert ("kanon_l_diversity" if model.values else "kanon_k_anonymity") in header
        assert ("sensitive_nulls := 'value'" in header) is model.counts_null
        script = f"CREATE TABLE out AS {query}"
    with db.connection.cursor() as own:
        own.execute(script)
    assert sorted(map(str, db.rows())) == sorted(map(str, model.clean))
    db.connection.execute("DROP TABLE out")
    db.put(model.planted)
    why = "fail their recount" if model.whole else "more rows would be"
    with db.connection.cursor() as own, pytest.raises(duckdb.Error, match=why):
        own.execute(script)
    assert ("out",) not in db.connection.execute("SHOW TABLES").fetchall()


def test_verify_finds_the_class_that_is_short(db, model):
    if model.verify is None:  # a table alone does not say what it was made from
        db.put(model.clean)
        with pytest.raises(kanon_sql.InputError) as error:
            kanon_sql.verify(
                "people", quasi=list(model.over), privacy=model.privacy, connection=db.connection
            )
        assert model.refused(error.value, Channel.VERIFY)
        return
    asked = dict(model.verify)
    asked["sensitive_nulls"] = "value" if model.counts_null else "not_counted"
    for rows, passed in ((model.clean, True), (model.planted, False)):
        db.put(rows)
        found = kanon_sql.verify(
            "people", quasi=list(model.over), connection=db.connection, **asked
        )
        short = found.classes if model.whole else 1
        assert (found.passed, found.short_classes) == (passed, 0 if passed else short)
        if len(model.over) > 1:
            models = kanon_sql.read_policy(model.policy()).privacy
            given = {"quasi": list(model.over), "privacy": models, "connection": db.connection}
            assert kanon_sql.verify("people", **given).short_classes == found.short_classes


def certified(db, model, tmp_path):
    plan = db.planned(model.policy())
    given = {"policy": model.policy(), "connection": db.connection, "folder": tmp_path / "made"}
    return kanon_sql.certify("out", plan, **given)


def test_a_certificate_is_of_no_release_with_a_class_that_is_short(db, model, tmp_path):
    db.put(model.clean)
    db.put(model.clean, "out")
    if model.claim is None:
        with pytest.raises(kanon_sql.InputError) as error:
            certified(db, model, tmp_path)
        assert model.refused(error.value, Channel.CERTIFICATE)
        return
    made = certified(db, model, tmp_path)
    script = (tmp_path / "made" / "verify.sql").read_text(encoding="utf-8")
    said = {claim.nulls for claim in made.claims if claim.counts == "d"}
    assert said == ({"value" if model.counts_null else "not_counted"} if model.values else set())
    unchecked = {claim.kind for claim in made.unchecked}
    assert unchecked == ({model.claim} if model.register else set())
    words = "NULL counted as a value" if model.counts_null else "NULL not counted"
    assert (words in script) is model.values
    db.put(model.planted, "out")
    found = kanon_sql.verify_certificate(
        tmp_path / "made" / "certificate.json",
        connection=db.connection,
        population="register" if model.register else None,
    )
    assert not found.passed
    failed = {claim.kind for claim in found.claims if claim.verdict.value == "FAIL"}
    assert model.claim in failed
    with pytest.raises(kanon_sql.VerificationError):
        kanon_sql.certify("out", db.planned(model.policy()), policy=model.policy(),
                          connection=db.connection, folder=tmp_path / "other")  # fmt: skip


def test_a_column_of_nulls_alone_is_infeasible_and_says_so(db):
    db.put([(z, w, None) for z, w, _ in CLEAN])
    for search in ({}, {"search": {"algorithm": "mondrian"}}):
        asked = MODELS["distinct l"].policy(**search)
        with pytest.raises(kanon_sql.InfeasibleError, match="0 distinct values of d"):
            db.planned(asked)


def test_the_words_of_the_model_say_what_null_is(db):
    db.put(WITH_NULL)
    strict, loose = MODELS["distinct l"], MODELS["distinct l, NULL a value"]
    assert db.planned(loose.policy()).privacy == (
        "distinct 2-diversity of d, NULL counted as a value",
    )
    db.put(CLEAN)
    old, new = db.planned(loose.policy()), db.planned(strict.policy())
    assert new.privacy == ("distinct 2-diversity of d",)
    for pair, verdict in (((old, new), "stricter"), ((new, old), "weaker")):
        (found,) = kanon_sql.diff(*pair).document()["privacy"]
        assert (found["old"], found["new"], found["change"]) == (2, 2, verdict)


@dataclass(frozen=True, slots=True)
class Entropy(Measure):
    """A measure that no channel names."""

    fragment: ClassVar[str] = "entropy_of_nothing"
    reported: ClassVar[str] = "least_entropy"
    loosest = 0
    bound_name = "entropy"

    def __str__(self):
        return "entropy of d"


@dataclass(frozen=True, slots=True)
class Boast(Entropy):
    """A measure that says of every channel that it is counted there, and by no fragment anywhere."""

    channels: ClassVar[frozenset[Channel]] = frozenset(Channel)


@dataclass(frozen=True, slots=True)
class Third:
    """A privacy model of a measure that nothing counts."""

    measure: Measure
    monotony: Monotony = Monotony.ALWAYS

    @property
    def requirements(self):
        return (Requirement(self.measure, 2),)

    def __str__(self):
        return "2-entropy of d"


def test_a_dbt_project_asks_for_the_model_or_is_refused(db, model):
    db.put(model.clean)
    policy, plan = kanon_sql.read_policy(model.policy()), db.planned(model.policy())
    try:
        macro = build_project_files.plan_macro(ASKED, policy, plan, [])
        tests = build_project_files.release_properties(ASKED, policy, plan, [])
    except kanon_sql.InputError as error:
        assert model.refused(error, Channel.DBT)  # noqa: PT017
        return
    assert model.counted_in(Channel.DBT)
    bound = next(r.bound for r in policy.privacy[0].requirements)
    assert all(f"kanon.{measure.audit}" in tests for measure in model.measures)
    key = "alpha" if "alpha" in model.privacy else "distinct_l"
    assert (f'"{key}": {{"d": {bound}}}' if model.values else f'"k": {bound}') in macro


@pytest.mark.slow
def test_explain_relaxes_the_model_by_a_step(db, model):
    db.put(model.clean)
    policy = kanon_sql.read_policy(model.policy())
    told = kanon_sql.explain(db.planned(policy), policy=policy, connection=db.connection)
    found = {(bound.name, bound.bound): bound for bound in told.bounds}
    for requirement in policy.privacy[0].requirements:
        if requirement.binding and not requirement.of_release:
            measure, shown = requirement.measure, requirement.measure.as_written
            own = bound_name(model.over if len(model.over) == 1 else (), measure)
            assert found[own, shown(requirement.bound)].relaxed == shown(requirement.relaxed)
            assert not requirement.holds(requirement.relaxed)


def test_diff_says_which_way_is_stricter(db, model):
    db.put(model.clean)
    old = db.planned(model.policy())
    (text,) = old.privacy
    number = re.search(r"[0-9.]+", text)[0]
    new = replace(old, privacy=(text.replace(number, "1", 1),))
    (found,) = kanon_sql.diff(old, new).document()["privacy"]
    looser = (float(number) < 1) is model.measures[0].at_most
    assert found["change"] == ("same" if number == "1" else "weaker" if looser else "stricter")


CHANNELS = {
    "plan": lambda db, _plan, policy, _folder: db.planned(policy),
    **{
        name: lambda db, _plan, policy, _folder, search=name: db.anonymized(
            replace(policy, search=SEARCHES[search])
        )
        for name in RECODINGS
    },
    "apply": lambda db, plan, policy, _: kanon_sql.apply(
        plan, policy=policy, connection=db.connection
    ),
    "new rows": lambda db, plan, policy, _: kanon_sql.apply(
        plan, policy=policy, connection=db.connection, to_new_rows=True
    ),
    "view": lambda db, plan, policy, _: kanon_sql.apply(
        plan,
        policy=policy,
        connection=db.connection,
        release=kanon_sql.Destination(kanon_sql.Format.TABLE, "seen", view=True),
    ),
    "certificate": lambda db, plan, policy, folder: kanon_sql.certify(
        "people", plan, policy=policy, connection=db.connection, folder=folder / "made"
    ),
    "verify": lambda db, _plan, policy, _: kanon_sql.verify(
        "people", quasi=QUASI, privacy=policy.privacy, connection=db.connection
    ),
    "explain": lambda db, plan, policy, _: kanon_sql.explain(
        plan, policy=policy, connection=db.connection
    ),
    **{
        kind: lambda db, plan, policy, _, kind=kind: kanon_sql.compile_sql(
            plan,
            policy=policy,
            connection=db.connection,
            **({} if kind == "SQLMesh model" else {"release": "out"}),
            **SCRIPTS[kind],
        )
        for kind in SCRIPTS
    },
    "dbt macro": lambda _db, plan, policy, _: build_project_files.plan_macro(
        ASKED, policy, plan, []
    ),
    "dbt tests": lambda _db, plan, policy, _: build_project_files.release_properties(
        ASKED, policy, plan, []
    ),
}
CHANNEL_OF = {
    **COUNTED_BY,
    "plan": Channel.RELEASE,
    "apply": Channel.RELEASE,
    "new rows": Channel.NEW_ROWS,
    "view": Channel.RELEASE,
    "certificate": Channel.CERTIFICATE,
    "verify": Channel.VERIFY,
    "explain": Channel.LATTICE,
    "script": Channel.SCRIPT,
    "warehouse script": Channel.WAREHOUSE,
    "SQLMesh model": Channel.SQLMESH,
    "dbt macro": Channel.DBT,
    "dbt tests": Channel.DBT,
}


def test_every_channel_is_run():
    """What could count a model has a test of its own above, by every model, and one below, by an unknown one."""
    assert set(CHANNEL_OF) == set(CHANNELS)
    assert {*CHANNEL_OF.values(), Channel.SEVERAL_SETS} == set(Channel)


ASKED = ReleaseRequest(
    ProjectRelation("ref('people')", None, "main", "people"), "out", None, (), {}, {}, ()
)
SEARCHES = {}


NOT_COUNTED = {
    Entropy: (kanon_sql.KanonError, "does not count 2-entropy of d"),
    Boast: (
        (TemplateNotFound, NotImplementedError, kanon_sql.InternalError, ValueError),
        "entropy",
    ),
}


@pytest.mark.parametrize("measure", NOT_COUNTED, ids=["that none names", "that none has"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_model_that_nobody_counts_stops_every_channel(
    db, tmp_path, channel, measure, monkeypatch
):
    if channel != "script":
        monkeypatch.setitem(WAREHOUSES, "duckdb", HERE["duckdb"])
    db.put(CLEAN)
    said = MODELS["k"].policy()
    for name, search in RECODINGS.items():
        SEARCHES[name] = kanon_sql.read_policy({**said, "search": search}).search
    policy, plan = kanon_sql.read_policy(said), db.planned(said)
    forgotten = replace(policy, privacy=(*policy.privacy, Third(measure())))
    monkeypatch.setattr(Policy, "digest", policy.digest)
    assert forgotten.digest == plan.policy_digest
    plan = replace(plan, privacy=tuple(map(str, forgotten.privacy)))
    error, why = NOT_COUNTED[measure]
    with pytest.raises(error, match=why):
        CHANNELS[channel](db, plan, forgotten, tmp_path)
    assert db.connection.execute("SHOW TABLES").fetchall() == [("people",)]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("search", RECODINGS)
def test_a_model_that_is_not_recounted_is_not_released(db, search, monkeypatch):
    """A search that counts a model is not enough, whatever the recoding is."""
    db.put(CLEAN)
    policy = MODELS["k"].policy(search=RECODINGS[search])
    planned, measure = db.planned(policy), type(MODELS["k"].measures[0])
    monkeypatch.setattr(measure, "channels", measure.channels - {Channel.RELEASE})
    given = {"policy": policy, "connection": db.connection, "release": "out"}
    with pytest.raises(kanon_sql.InputError, match="does not count"):
        kanon_sql.apply(planned, **given)
    assert db.connection.execute("SHOW TABLES").fetchall() == [("people",)]
