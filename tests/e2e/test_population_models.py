"""k-map and delta-presence: worked figures, classes at exactly the bound, populations that do not suit, stale plans."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kanon_sql
from kanon_sql.policy.privacy.demands import AT_ALL
from kanon_sql.recoding import query

pytestmark = pytest.mark.sampled(3)

# Constructed: a sample of six rows, a population of twenty. Under the letter alone a has 4 of 9, and b 2 of 11.
SAMPLE = ["a1", "a1", "a2", "a2", "b1", "b1"]
POPULATION = ["a1"] * 3 + ["a2"] * 6 + ["b1"] * 4 + ["b2"] * 7
LETTERS = {"tree": {"*": {"a": ["a1", "a2"], "b": ["b1", "b2"]}}}
K_MAP = {"k_map": {"k": 3, "population": "register"}}
HALF = {"delta_presence": {"least": 0, "most": 0.5, "population": "register"}}


class Clinic:
    """A database with a table of the clinic's patients, and a register of the people around."""

    def __init__(self, connection):
        self.connection = connection
        self.put("patients", SAMPLE)
        self.put("register", POPULATION)

    def put(self, name, cells, column="z", type_="VARCHAR"):
        frame = pa.table({column: pa.array(cells, pa.string())})  # noqa: F841
        self.connection.execute(
            f"CREATE OR REPLACE TABLE {name} AS SELECT CAST({column} AS {type_}) AS {column} FROM frame"
        )

    def policy(self, *privacy, **changes):
        return {
            "version": 1,
            "source": "patients",
            "entity": "row",
            "columns": {"z": {"role": "quasi", "hierarchy": LETTERS}},
            "privacy": list(privacy),
            "suppression": 0,
            **changes,
        }

    def planned(self, *privacy, **changes):
        return kanon_sql.plan(self.policy(*privacy, **changes), connection=self.connection)

    def level(self, *privacy, **changes):
        return self.planned(*privacy, **changes).levels["z"]

    def tables(self):
        return sorted(name for (name,) in self.connection.execute("SHOW TABLES").fetchall())


@pytest.fixture
def clinic():
    with duckdb.connect() as connection:
        yield Clinic(connection)


def k_map(k, population="register"):
    return {"k_map": {"k": k, "population": population}}


def presence(least, most, population="register", **more):
    bounds = {"least": Decimal(least), "most": Decimal(most)}
    return {"delta_presence": {**bounds, "population": population, **more}}


@pytest.mark.parametrize(("k", "level"), [(3, 0), (4, 1), (9, 1), (10, 2), (20, 2)])
def test_k_map_counts_the_population_of_each_class(clinic, k, level):
    """a1 has three rows in the register: a bound of four is one too many."""
    assert clinic.level(k_map(k)) == level


@pytest.mark.parametrize(
    ("least", "most", "level"),
    [
        ("0", "0.666666667", 0),  # a1 has 2 of 3
        ("0", "0.666666666", 1),
        ("0", "0.444444445", 1),  # a has 4 of 9
        ("0", "0.444444444", 2),
        ("0", "0.3", 2),  # 6 of 20
        ("0.000000001", "0.7", 1),  # b2 has nothing of 7
        ("0.181818181", "0.5", 1),  # b has 2 of 11
        ("0.181818182", "0.5", 2),
        ("0.3", "0.3", 2),
    ],
)
def test_presence_is_decided_by_exact_shares(clinic, least, most, level):
    assert clinic.level(presence(least, most)) == level


def test_a_class_at_exactly_the_bound_fits_and_one_row_more_does_not(clinic):
    clinic.put("register", [*POPULATION, "a1"])
    asked = presence("0", "0.5")  # a1 has 2 of 4, a2 has 2 of 6, b1 2 of 4
    assert clinic.level(asked) == 0
    clinic.put("patients", [*SAMPLE, "a1"])
    assert clinic.level(asked) == 1
    clinic.put("patients", SAMPLE)
    clinic.put("register", [*POPULATION[1:], "a2"])
    assert clinic.level(k_map(2)) == 0
    assert clinic.level(k_map(3)) == 1


@pytest.mark.parametrize(
    ("most", "message"), [("0.299999999", "0.3 .* 0.299999999"), ("0.2", "0.3 .* 0.2")]
)
def test_what_the_whole_table_does_not_reach_is_said(clinic, most, message):
    with pytest.raises(kanon_sql.InfeasibleError, match=message):
        clinic.planned(presence("0", most))
    with pytest.raises(kanon_sql.InfeasibleError, match="20 rows of the population register"):
        clinic.planned(k_map(21))


def test_absent_classes_may_be_ignored(clinic):
    asked = presence("0.1", "0.7", absent="ignored")
    assert clinic.level(asked) == 0
    assert clinic.level(presence("0.1", "0.7")) == 1
    with pytest.raises(kanon_sql.InputError, match="not sound"):
        clinic.planned(asked, search={"algorithm": "samarati"})


def test_suppressed_rows_stay_members_and_the_rest_is_a_class_of_its_own(clinic):
    """Without b2 in the register, whoever is in no released class is in the source by 2 of 4."""
    clinic.put("register", ["a1"] * 3 + ["a2"] * 6 + ["b1"] * 4)
    bound = {"suppression": 2, "search": {"algorithm": "exhaustive"}}
    found = clinic.planned(presence("0", "0.66"), **bound)
    # a1 is too well covered at 2 of 3; to suppress its rows leaves a rest of 2 of 3 as well
    assert (found.levels["z"], found.suppressed_rows) == (1, 0)
    clinic.put("register", ["a1"] * 3 + ["a2"] * 6 + ["b1"] * 4 + ["b2"])
    made = kanon_sql.anonymize(
        clinic.policy(presence("0", "0.66"), **bound), connection=clinic.connection
    )
    with made:
        assert (made.plan.levels["z"], made.plan.suppressed_rows) == (0, 2)
        worst = made.verification.worst
        assert worst["greatest_presence_in_rest"] == {"register": 0.5}
        assert worst["greatest_presence"] == {"register": 0.5}


def test_a_row_that_the_population_lacks_fits_nothing(clinic):
    """The source is no sample of it: its share is more than all."""
    clinic.put("patients", [*SAMPLE, "b2"])
    clinic.put("register", [each for each in POPULATION if each != "b2"])
    for asked in (k_map(1), presence("0", "1")):
        assert clinic.level(asked) == 1
    made = clinic.planned(k_map(1), suppression=1)
    assert (made.levels["z"], made.suppressed_rows) == (0, 1)
    assert clinic.level(presence("0", "1"), suppression=1) == 1  # the rest has nobody else
    clinic.put("register", ["a1"] * 5)
    with pytest.raises(kanon_sql.InfeasibleError):
        clinic.planned(presence("0", "1"))


def test_nulls_are_a_class_of_the_population_too(clinic):
    clinic.put("patients", [*SAMPLE, None, None])
    clinic.put("register", [*POPULATION, None, None, None])
    assert clinic.level(k_map(3)) == 0
    assert clinic.level(k_map(4)) == 2
    clinic.put("patients", SAMPLE)
    with pytest.raises(kanon_sql.SourceError, match="3 rows with NULL in z"):
        clinic.planned(k_map(3), nulls="refuse")
    assert clinic.level(k_map(3)) == 0


@pytest.fixture
def files(clinic, tmp_path):
    """The register as files beside a policy, and a policy that names one of them."""
    frame = pa.table({"z": POPULATION, "name": [f"p{n}" for n, _ in enumerate(POPULATION)]})
    pq.write_table(frame, tmp_path / "register.parquet")
    (tmp_path / "register.csv").write_text("\n".join(["z;y", *(f"{z};1" for z in POPULATION)]))

    def level(population):
        text = f"""
version: 1
source: patients
entity: row
columns:
  z: {{role: quasi, hierarchy: {{tree: {{"*": {{a: [a1, a2], b: [b1, b2]}}}}}}}}
privacy: {{k_map: {{k: 4, population: {population}}}}}
suppression: 0
"""
        (tmp_path / "policy.yaml").write_text(text)
        return kanon_sql.plan(tmp_path / "policy.yaml", connection=clinic.connection).levels["z"]

    return level


@pytest.mark.parametrize(
    "population",
    [
        "register.parquet",
        "{path: register.csv, delimiter: ';'}",
        "register",
        "{table: register}",
        "{query: SELECT z FROM register}",
    ],
)
def test_a_population_is_named_as_a_source_is(files, population):
    assert files(population) == 1


def test_what_is_no_population_is_refused_and_says_why(clinic):
    def refused(*privacy, match, error=kanon_sql.SourceError, **changes):
        with pytest.raises(error, match=match) as found:
            clinic.planned(*privacy, **changes)
        assert not any(value in str(found.value) for value in ("a1", "b2", "'*'"))
        assert clinic.tables() == sorted({"patients", "register", *more})

    more = {"other", "empty"}
    clinic.put("other", POPULATION, "zip")
    clinic.put("empty", [])
    refused(k_map(3, "nowhere"), match="the population nowhere")
    refused(k_map(3, "gone.parquet"), match="the population gone.parquet")
    refused(k_map(3, "other"), match="the population other has no column z")
    refused(k_map(3, "empty"), match="the population empty has no rows")
    clinic.put("empty", ["1"], type_="INTEGER")
    refused(k_map(3, "empty"), match="has z as INTEGER, and the source as VARCHAR; cast it")
    clinic.put("empty", ["a1", "c7"])
    refused(
        k_map(3, "empty"), match="1 distinct value .* in its population, has no entry",
        error=kanon_sql.HierarchyError,
    )  # fmt: skip
    refused(
        k_map(3),
        presence("0", "1", "other"),
        match="several populations",
        error=kanon_sql.PolicyError,
    )
    refused(presence("0.5", "0.4"), match="must be at most", error=kanon_sql.PolicyError)
    refused(
        presence("0", "0.4"), match="say entity: row", error=kanon_sql.PolicyError, entity="who",
        columns={"z": {"role": "quasi", "hierarchy": LETTERS}, "who": {"role": "identifying"}},
    )  # fmt: skip


def test_persons_are_counted_in_classes_and_rows_in_the_population(clinic):
    clinic.connection.execute("CREATE TABLE visits AS SELECT z, 1 AS who FROM patients")
    who = {"role": "insensitive", "linkable": "accept"}
    columns = {"z": {"role": "quasi", "hierarchy": LETTERS}, "who": who}
    more = {"entity": "who", "columns": columns, "source": "visits"}
    assert clinic.level(k_map(3), **more) == 0
    assert clinic.level(k_map(4), {"k": 1}, **more) == 1


def test_a_plan_is_stale_where_its_population_changed(clinic):
    policy = clinic.policy(K_MAP)
    plan = kanon_sql.plan(policy, connection=clinic.connection)
    given = {"policy": policy, "connection": clinic.connection, "release": "out"}
    clinic.put("register", [*POPULATION[1:], "b1"])
    with pytest.raises(kanon_sql.StalePlanError, match="or its population changed"):
        kanon_sql.apply(plan, **given)
    clinic.connection.execute("DROP TABLE register")
    with pytest.raises(kanon_sql.SourceError, match="the population register"):
        kanon_sql.apply(plan, **given)
    clinic.put("register", POPULATION[::-1])
    with kanon_sql.apply(plan, **given) as made:
        assert made.verification.worst == {"least_in_population": {"register": 3}}
    assert clinic.tables() == ["out", "patients", "register"]


@pytest.mark.parametrize("asked", [k_map(4), presence("0", "0.5"), presence("0.1", "1")])
def test_the_recount_finds_what_the_recoding_left(clinic, asked, monkeypatch):
    """A recoding that asks nothing of classes stages all rows at the bottom: a plan that says so is not carried out."""
    policy = clinic.policy(asked)
    loose = clinic.planned({"k": 1}, k_map(1))
    plan = replace(
        loose,
        privacy=kanon_sql.plan(policy, connection=clinic.connection).privacy,
        policy_digest=kanon_sql.read_policy(policy).digest,
    )
    assert plan.levels == {"z": 0}
    monkeypatch.setattr(query, "requirements", lambda _: AT_ALL)
    with pytest.raises(kanon_sql.VerificationError, match="short"):
        kanon_sql.apply(plan, policy=policy, connection=clinic.connection, release="out")
    assert clinic.tables() == ["patients", "register"]


def test_plans_say_it_and_are_compared_by_it(clinic):
    old, new = (
        clinic.planned(k_map(3), presence("0.1", "0.6")),
        clinic.planned(k_map(2), presence("0.1", "0.5")),
    )
    assert old.privacy == (
        "3-map of the population register",
        "0.6-presence of the population register, at least 0.1",
    )
    found = {
        each["model"]: each["change"] for each in kanon_sql.diff(old, new).document()["privacy"]
    }
    assert found == {"k-map": "weaker", "delta-presence": "stricter"}


def test_explain_says_what_binds(clinic):
    policy = clinic.policy(k_map(4), presence("0.1", "0.6"))
    plan = kanon_sql.plan(policy, connection=clinic.connection)
    told = kanon_sql.explain(plan, policy=policy, connection=clinic.connection)
    names = {each.name for each in told.bounds}
    assert {"rows of the population register"} <= names
    relaxed = next(each for each in told.bounds if each.name == "rows of the population register")
    assert (relaxed.bound, relaxed.relaxed) == (4, 3)


def test_a_release_never_replaces_its_population(clinic, tmp_path):
    policy = clinic.policy(K_MAP)
    with pytest.raises(kanon_sql.ReleaseError, match="a population or a hierarchy"):
        kanon_sql.anonymize(policy, connection=clinic.connection, release="register", replace=True)
    file = tmp_path / "register.parquet"
    pq.write_table(pa.table({"z": POPULATION}), file)
    before = file.read_bytes()
    with pytest.raises(kanon_sql.ReleaseError, match="the population"):
        kanon_sql.anonymize(
            clinic.policy(k_map(3, str(file))),
            connection=clinic.connection,
            release=str(file),
            replace=True,
        )
    assert file.read_bytes() == before
    with pytest.raises(kanon_sql.SourceError, match="nowhere"):
        kanon_sql.anonymize(
            clinic.policy(k_map(3, "nowhere")),
            connection=clinic.connection,
            release=str(tmp_path / "out.parquet"),
        )


def test_a_release_to_files_is_recounted_with_its_population(clinic, tmp_path):
    made = kanon_sql.anonymize(
        clinic.policy(presence("0.1", "0.5")),
        connection=clinic.connection,
        release=str(tmp_path / "out.csv"),
    )
    assert made.verification.worst == {
        "greatest_presence": {"register": 0.444444445},
        "least_presence": {"register": 0.181818181},
        "absent_rows": {"register": 0},
        "greatest_presence_in_rest": {"register": 0.0},
        "least_presence_in_rest": {"register": 1.0},
    }


@pytest.fixture
def certified(clinic, tmp_path):
    """A release of letters, at level 1, with its certificate and verify.sql; and the register recoded so."""
    asked = clinic.policy(k_map(4), presence("0", "0.5"), release={"table": "out"})
    plan = kanon_sql.plan(asked, connection=clinic.connection)
    given = {"policy": asked, "connection": clinic.connection}
    kanon_sql.apply(plan, **given)
    made = kanon_sql.certify("out", plan, folder=tmp_path / "made", **given)
    clinic.put("letters", [cell[0] for cell in POPULATION])
    return made, tmp_path / "made"


def checked(clinic, folder, **given):
    file = folder / "certificate.json"
    return kanon_sql.verify_certificate(file, connection=clinic.connection, **given)


def verdicts(claims):
    return {c.measured: c.verdict.value for c in claims if c.of_population}


def test_a_certificate_says_unchecked_of_a_population_that_is_not_there(clinic, certified):
    made, folder = certified
    unchecked = dict.fromkeys(
        ("least_in_population", "greatest_presence", "greatest_presence_in_rest"), "UNCHECKED"
    )
    assert verdicts(made.claims) == unchecked
    found = checked(clinic, folder)
    assert found.passed
    assert verdicts(found.claims) == unchecked
    script = (folder / "verify.sql").read_text(encoding="utf-8")
    assert script.count("'UNCHECKED' AS verdict") == 3
    assert "Classes are compared with a population" in (folder / "report.html").read_text("utf-8")
    assert "People are counted by" not in (folder / "report.html").read_text("utf-8")


def test_with_the_population_its_classes_are_counted(clinic, certified):
    """a has 9 rows in the register and b 11; of them 4 and 2 are in the sample. What no class has stays unchecked."""
    _, folder = certified
    found = checked(clinic, folder, population="letters")
    assert found.passed
    assert verdicts(found.claims) == {
        "least_in_population": "PASS",
        "greatest_presence": "PASS",
        "greatest_presence_in_rest": "UNCHECKED",
    }
    counts = {c.measured: c.found for c in found.claims if c.of_population}
    assert counts["least_in_population"] == 9
    assert counts["greatest_presence"] == 444_444_445


@pytest.mark.parametrize(
    ("rows_of_a", "k", "share"), [(8, "PASS", "PASS"), (7, "PASS", "FAIL"), (3, "FAIL", "FAIL")]
)
def test_a_population_of_exactly_the_bound_passes_and_of_one_fewer_fails(
    clinic, certified, rows_of_a, k, share
):
    """Four of a are in the sample: 8 in the population are twice as many, and 7 are not; three are fewer than k."""
    _, folder = certified
    clinic.put("letters", ["a"] * rows_of_a + ["b"] * 11)
    found = checked(clinic, folder, population="letters")
    assert found.passed == (k == share == "PASS")
    told = verdicts(found.claims)
    assert (told["least_in_population"], told["greatest_presence"]) == (k, share)


def test_a_population_that_is_not_recoded_shares_no_class(clinic, certified):
    """Its labels are others: it fails, and passes nothing by mistake."""
    _, folder = certified
    assert not checked(clinic, folder, population="register").passed
    clinic.put("letters", ["a"], column="w")
    with pytest.raises(kanon_sql.InputError, match="has no column z: it must be recoded"):
        checked(clinic, folder, population="letters")


def test_the_text_of_a_query_is_in_no_certificate(clinic, tmp_path):
    asked = clinic.policy(
        k_map(4, {"query": "SELECT z FROM register WHERE z <> 'planted'"}), release={"table": "out"}
    )
    plan = kanon_sql.plan(asked, connection=clinic.connection)
    given = {"policy": asked, "connection": clinic.connection}
    kanon_sql.apply(plan, **given)
    kanon_sql.certify("out", plan, folder=tmp_path / "made", **given)
    for each in (tmp_path / "made").iterdir():
        assert "planted" not in each.read_text(encoding="utf-8")
    assert checked(clinic, tmp_path / "made", plan=plan, policy=asked).passed


def test_a_certificate_that_claims_a_count_of_a_population_was_edited(clinic, certified):
    _, folder = certified
    file = folder / "certificate.json"
    text = file.read_text(encoding="utf-8")
    start = text.index('"measured": "least_in_population"')
    counted = text[start:].replace('"found": null', '"found": 9', 1)
    counted = counted.replace('"UNCHECKED"', '"PASS"', 1)
    file.write_text(text[:start] + counted, encoding="utf-8")
    with pytest.raises(kanon_sql.InputError, match="a population beside it"):
        checked(clinic, folder)
