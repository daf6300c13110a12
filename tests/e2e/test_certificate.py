"""`certify` and `verify certificate.json`: what is written, what is refused, and what an editor of it gets."""

from __future__ import annotations

import glob
import hashlib
import html.parser
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter

import duckdb
import jsonschema
import pytest

import kanon_sql
from kanon_sql.model.certificate import Certificate

CERTIFICATE = "release.certificate/certificate.json"
FILES = {"certificate.json", "verify.sql", "report.html"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory, lab_in):
    """The folder of a lab whose release has its certificate, made once."""
    made = lab_in(tmp_path_factory.mktemp("kept"))
    released(made)
    made.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    return made.folder


@pytest.fixture
def certified(kept, lab_in, tmp_path):
    """A lab whose release has its certificate: what is said of it starts from its own folder."""
    folder = tmp_path / "la'b [1]"
    shutil.copytree(kept, folder)
    return lab_in(folder)


def released(lab, columns=None, **changes):
    lab.policy(columns, **changes)
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")


def sql(lab, text):
    with duckdb.connect() as connection:
        connection.execute("SET file_search_path = ?", [str(lab.folder)])
        connection.execute("CREATE TABLE t AS FROM 'release.parquet'")
        connection.execute(text)
        path = str(lab.folder / "release.parquet").replace("'", "''")
        connection.execute(f"COPY t TO '{path}'")


def rows_of(lab, columns):
    """The released rows, cut to some columns."""
    path = glob.escape(str(lab.folder / "release.parquet"))
    chosen = map(duckdb.ColumnExpression, columns)
    return duckdb.read_parquet(path).select(*chosen).fetchall()


def told(lab):
    return json.loads((lab.folder / CERTIFICATE).read_text(encoding="utf-8"))


def failed(lab, *more):
    """Hold the certificate against its release, which must fail; give what was said."""
    before = lab.files()
    result = lab.run("verify", CERTIFICATE, *more)
    assert result.exit_code == 4, result.output
    assert lab.files() == before
    for canary in ("anary", "7391"):
        assert canary not in result.output
    return result.stdout


def test_a_certificate_has_three_files_and_its_release_passes(certified):
    assert {each.name for each in (certified.folder / "release.certificate").iterdir()} == FILES
    said = certified.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")
    assert "FAIL" not in said
    assert said.splitlines()[-1] == "PASS; not signed; held against the plan"


def test_its_figures_are_those_of_the_release(certified):
    found = told(certified)
    quasi = [name for each in found["quasi_identifiers"] for name in each["released_as"]]
    rows = Counter(rows_of(certified, quasi))
    classes, smallest, rows = len(rows), min(rows.values()), sum(rows.values())
    counted = {each["claim"]: each["found"] for each in found["claims"]}
    assert (counted["classes"], counted["k_anonymity"], counted["rows"]) == (
        classes,
        smallest,
        rows,
    )
    assert counted["suppressed_rows"] == 40 - rows
    assert sum(each["rows"] for each in found["class_sizes"]) == rows
    assert sum(each["classes"] for each in found["class_sizes"]) == classes
    assert found["class_sizes"][0] == {"from": 1, "to": 2, "classes": 0, "rows": 0}
    plan = (certified.folder / "policy.plan.yml").read_bytes()
    assert found["plan"]["sha256"] == hashlib.sha256(plan).hexdigest()


def test_the_schema_describes_it(certified):
    schema = json.loads(certified.done("schema", "--certificate"))
    jsonschema.validators.validator_for(schema).check_schema(schema)
    found = told(certified)
    jsonschema.validate(found, schema)
    for change in ({"claims": [{}]}, {"release": {}}, {"approved": True}, {"class_sizes": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**found, **change}, schema)


def test_no_value_of_the_data_is_in_any_file(certified):
    for name in FILES:
        text = (certified.folder / "release.certificate" / name).read_text(encoding="utf-8")
        assert "anary" not in text
        assert "7391" not in re.sub(r"md5:\d+|= \d{15,}|[0-9a-f]{64}", "", text)


def test_the_same_release_has_the_same_bytes_in_any_order_of_rows(certified):
    before = {n: b for n, b in certified.files().items() if n.startswith("release.certificate/")}
    sql(certified, "CREATE OR REPLACE TABLE t AS FROM t ORDER BY random()")
    assert "PASS" in certified.done("verify", CERTIFICATE)
    certified.done("certify", "release.parquet", "--plan", "policy.plan.yml", "--replace")
    after = {n: b for n, b in certified.files().items() if n.startswith("release.certificate/")}
    assert after == before


def test_a_class_that_falls_below_k_fails(certified):
    sql(certified, "UPDATE t SET zip = 'x' WHERE rowid = 0")
    said = failed(certified)
    assert "FAIL rows in every class over all quasi-identifiers: at least 3, found 1" in said
    assert said.splitlines()[-1].startswith("FAIL")


def test_one_cell_changed_with_k_still_holding_is_told_as_other_rows(certified):
    sql(certified, "UPDATE t SET disease = 'other' WHERE rowid = 0")
    said = failed(certified)
    assert "PASS rows in every class over all quasi-identifiers: at least 3" in said
    assert "FAIL hash of all rows" in said
    assert "the rows are not those that were certified, though every claim holds of them" in said


@pytest.mark.parametrize(
    ("change", "claim"),
    [
        ("ALTER TABLE t ADD COLUMN name VARCHAR", "columns too many or too few: exactly 0, found 1"),
        ("ALTER TABLE t DROP COLUMN disease", "columns too many or too few: exactly 0, found 1"),
        ("ALTER TABLE t RENAME COLUMN zip TO zipcode", "columns too many or too few: exactly 0, found 2"),
        ("DELETE FROM t WHERE rowid = 0", "rows of the release: exactly"),
        ("INSERT INTO t FROM t LIMIT 1", "rows of the release: exactly"),
        ("DELETE FROM t", "rows of the release: exactly"),
    ],
)  # fmt: skip
def test_another_table_fails(certified, change, claim):
    sql(certified, change)
    assert f"FAIL {claim}" in failed(certified)


def test_columns_in_another_order_are_the_same_table(certified):
    sql(
        certified,
        "CREATE OR REPLACE TABLE t AS SELECT disease, age, * EXCLUDE (disease, age) FROM t",
    )
    assert "PASS hash of all rows" in certified.done("verify", CERTIFICATE)


def test_a_release_that_moved_is_found_by_its_new_name(certified):
    (certified.folder / "release.parquet").rename(certified.folder / "moved.parquet")
    certified.refused("verify", CERTIFICATE)
    assert "PASS" in certified.done("verify", CERTIFICATE, "--release", "moved.parquet")


def edits(change):
    """An edit of the JSON by someone who does not know how it is made."""

    def edit(lab):
        found = told(lab)
        change(found)
        text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
        lab.write(CERTIFICATE, text)

    return edit


EDITS = {
    "k is lowered": lambda f: f["claims"][0].update(asked=2, relation="at least"),
    "a claim says something else": lambda f: f["claims"][0].update(says="all is well"),
    "a claim is removed": lambda f: f["claims"].pop(0),
    "a needed claim is removed": lambda f: f["claims"].pop(),
    "no claims": lambda f: f.update(claims=[]),
    "a figure is edited": lambda f: f["claims"][1].update(asked=1, found=1),
    "a claim is made unchecked": lambda f: f["claims"][0].update(recounted=False),
    "the fingerprint": lambda f: f["release"].update(fingerprint="md5:1"),
    "the fingerprint's kind": lambda f: f["release"].update(fingerprint="spark md5:1"),
    "the rows": lambda f: f["release"].update(rows=1),
    "a column is left out": lambda f: f["release"]["columns"].pop(),
    "a quasi-identifier is left out": lambda f: f["quasi_identifiers"].pop(),
    "another entity": lambda f: f["entity"].update(column="disease"),
    "class sizes": lambda f: f["class_sizes"][0].update(classes=9),
    "an unknown key": lambda f: f.update(approved=True),
    "another version of the format": lambda f: f.update(kanon_sql_certificate=2),
    "another dialect": lambda f: f["made_by"].update(dialect="oracle"),
    "wrong types": lambda f: f.update(claims={"a": 1}),
    "a text for a number": lambda f: f["claims"][0].update(asked="5"),
    "a truth for a number": lambda f: f["claims"][0].update(asked=True),
    "a negative count": lambda f: f["claims"][0].update(asked=-1),
    "a huge count": lambda f: f["claims"][0].update(asked=10**30),
    "the hash of the script": lambda f: f["files"].update({"verify.sql": "0" * 64}),
    "another plan": lambda f: f["plan"].update(sha256="0" * 64),
    "where folders begin": lambda f: f["release"].update(base=".."),
    "another version": lambda f: f["made_by"].update(kanon_sql="0.0.9"),
    "another file": lambda f: f["files"].update({"../../etc/passwd": "0" * 64}),
    "a name with a NUL": lambda f: f["release"]["columns"][0].update(name="a\0"),
}


@pytest.mark.parametrize("change", EDITS.values(), ids=EDITS)
def test_an_edited_certificate_does_not_pass(certified, change):
    edits(change)(certified)
    before = certified.files()
    result = certified.run("verify", CERTIFICATE)
    assert result.exit_code in {1, 4}, result.output
    assert certified.files() == before
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "{}", "\ufeff{}", '{"kanon_sql_certificate": 1}', "[" * 100_000,
        '{"a": 1, "a": 2}', '{"kanon_sql_certificate": NaN}', '{"kanon_sql_certificate": 1e999}',
        '{"kanon_sql_certificate": ' + "1" * 5000 + "}",
    ],
    ids=range(12),
)  # fmt: skip
def test_what_is_no_certificate_is_one_clear_error(certified, text):
    certified.write(CERTIFICATE, text)
    assert certified.refused("verify", CERTIFICATE).startswith("error: ")


def test_half_a_certificate_bytes_that_are_no_text_and_a_huge_file_are_refused(certified):
    whole = (certified.folder / CERTIFICATE).read_bytes()
    for content in (whole[: len(whole) // 2], b"\xff\xfe\x00", whole + b" " * (17 << 20)):
        certified.write(CERTIFICATE, content)
        certified.refused("verify", CERTIFICATE)


@pytest.mark.parametrize("name", ["verify.sql", "report.html"])
def test_a_file_that_was_swapped_or_is_gone_fails(certified, name):
    file = certified.folder / "release.certificate" / name
    file.write_text("SELECT 'PASS';\n", encoding="utf-8")
    assert f"FAIL {name}: is not the one that the certificate names" in failed(certified)
    file.unlink()
    assert f"FAIL {name}: cannot be read" in failed(certified)


def test_a_script_that_was_swapped_with_its_hash_fails(certified):
    """Whoever edits the script and the certificate has to say what the figures come to."""
    text = (certified.folder / "release.certificate/verify.sql").read_text(encoding="utf-8")
    text = text.replace(">= 3", ">= 1")
    certified.write("release.certificate/verify.sql", text)
    edits(lambda f: f["files"].update({"verify.sql": hashlib.sha256(text.encode()).hexdigest()}))(
        certified
    )
    assert "FAIL verify.sql: is not what the certificate's figures come to" in failed(certified)


def test_a_certificate_made_anew_for_less_is_told_by_the_plan(certified):
    """Who can write the whole folder can make a certificate; only the plan, or a key, tells."""
    (certified.folder / "other").mkdir()
    certified.policy(privacy={"k": 2})
    certified.done("plan", "policy.yml", "-o", "less.plan.yml")
    weaker = (certified.folder / "less.plan.yml").read_text(encoding="utf-8")
    certified.done("apply", "less.plan.yml", "--replace")
    certified.done("certify", "release.parquet", "--plan", "less.plan.yml", "--replace")
    certified.policy()
    certified.write("less.plan.yml", weaker)
    assert "PASS" in certified.done("verify", CERTIFICATE)
    said = failed(certified, "--plan", "policy.plan.yml")
    assert "FAIL claims: are not those of the plan" in said
    assert "FAIL plan: is not the plan that was certified" in said


def test_nothing_is_written_where_a_claim_does_not_hold(lab):
    released(lab)
    sql(lab, "UPDATE t SET zip = 'x' WHERE rowid = 0")
    said = lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", code=4)
    assert (
        "k_anonymity: rows in every class over all quasi-identifiers: at least 3, found 1" in said
    )
    assert "nothing was written" in said


def test_a_column_that_was_to_be_dropped_is_no_release_of_the_plan(lab):
    released(lab)
    sql(lab, "ALTER TABLE t ADD COLUMN name VARCHAR")
    said = lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", code=4)
    assert "columns.name: is released, and was not to be" in said


def test_a_release_of_rows_to_come_is_not_certified_by_the_plan(lab):
    released(lab)
    lines = (lab.folder / "people.csv").read_text(encoding="utf-8").splitlines()
    lab.write("later.csv", "\n".join([lines[0], *lines[1:31]]) + "\n")
    lab.done(
        "apply",
        "policy.plan.yml",
        "--to-new-rows",
        "--source",
        "later.csv",
        "--release",
        "l.parquet",
    )
    lab.refused("certify", "l.parquet", "--plan", "policy.plan.yml", code=4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_suppressed: 4", "max_suppressed: 9"),
        ("3-anonymity", "2-anonymity"),
        ("rows: 40", "rows: 90"),
    ],
)
def test_an_edited_plan_is_refused(lab, old, new):
    released(lab)
    text = (lab.folder / "policy.plan.yml").read_text(encoding="utf-8")
    assert old in text
    lab.write("policy.plan.yml", text.replace(old, new))
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml")


def test_a_plan_of_another_policy_is_refused(lab):
    released(lab)
    lab.policy(privacy={"k": 2})
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml")


def test_what_is_there_is_replaced_only_if_it_is_a_certificate(certified):
    again = ("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert "--replace replaces it" in certified.refused(*again)
    certified.done(*again, "--replace")
    certified.write("release.certificate/mine.txt", "kept")
    assert "is something else" in certified.refused(*again, "--replace")
    (certified.folder / "folder").mkdir()
    certified.refused(*again, "-o", "folder", "--replace")
    certified.refused(*again, "-o", "people.csv", "--replace")
    assert "no folder that it could be made in" in certified.refused(*again, "-o", "nowhere/folder")
    certified.done(*again, "-o", "elsewhere")
    assert "PASS" in certified.done("verify", "elsewhere/certificate.json")


PERSON = {"entity": "name", "privacy": {"k": 2}}


@pytest.mark.parametrize("action", ["drop", "null"])
def test_an_entity_that_is_not_released_is_never_passed(lab, action):
    released(lab, {"name": {"role": "identifying", "action": action}}, **PERSON)
    said = lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert re.search(r"^UNCHECKED different values of name in every class", said, re.MULTILINE)
    assert not re.search(r"^PASS different values of name", said, re.MULTILINE)
    said = lab.done("verify", CERTIFICATE)
    assert "PASS, but for 2 claims that the release cannot show" in said
    report = (lab.folder / "release.certificate/report.html").read_text(encoding="utf-8")
    assert "2 cannot be checked from the release" in report
    sql(lab, "UPDATE t SET zip = 'x' WHERE rowid = 0")
    assert "FAIL different values of name in every class" in failed(lab)


def test_a_pseudonym_is_counted_as_the_entity_that_it_stands_for(lab, monkeypatch):
    monkeypatch.setenv("KANON_TEST_KEY", "a key of thirty-two bytes, or so")
    lines = [f"p{n // 3},7391{n % 2},m,30,d{n % 4}" for n in range(60)]
    lab.write("people.csv", "name,zip,sex,age,disease\n" + "\n".join(lines) + "\n")
    hashed = {"role": "identifying", "action": "hash", "key_env": "KANON_TEST_KEY"}
    released(lab, {"name": hashed, "sex": {"role": "insensitive"}}, entity="name", privacy={"k": 5})
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    (claim, *_) = told(lab)["claims"]
    assert (claim["counts"], claim["verdict"]) == ("name", "PASS")
    sql(lab, "UPDATE t SET name = (SELECT MIN(name) FROM t)")
    assert "at least 5, found 1" in failed(lab)


def test_several_sets_and_diversities_are_each_a_claim(lab):
    privacy = [
        {"k": 3},
        {"k": 5, "over": ["sex"]},
        {"distinct_l": {"column": "disease", "l": 2}, "over": ["zip", "age"]},
    ]
    released(lab, privacy=privacy, suppression="50%")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    asked = {(c["claim"], tuple(c["over"]), c["counts"]): c["asked"] for c in told(lab)["claims"]}
    assert asked["k_anonymity", (), None] == 3
    assert asked["k_anonymity", ("sex",), None] == 5
    assert asked["distinct_l_diversity", ("zip", "age"), "disease"] == 2
    assert "PASS" in lab.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")
    sql(lab, "UPDATE t SET disease = 'one'")
    assert (
        "FAIL different values of disease, NULL being one, in every class over zip, age"
        in failed(lab)
    )


@pytest.fixture
def keys(lab):
    """A pair of keys as openssl and ssh-keygen make them, one that is locked, and a stranger's."""
    pytest.importorskip("cryptography", reason="no cryptography: install kanon-sql[sign]")
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    kinds = {
        "key.pem": (s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()),
        "key": (s.Encoding.PEM, s.PrivateFormat.OpenSSH, s.NoEncryption()),
        "locked.pem": (s.Encoding.PEM, s.PrivateFormat.PKCS8, s.BestAvailableEncryption(b"x")),
    }
    for name, kind in kinds.items():
        lab.write(name, key.private_bytes(*kind))
    public = key.public_key()
    lab.write("pub.pem", public.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo))
    lab.write(
        "key.pub", public.public_bytes(s.Encoding.OpenSSH, s.PublicFormat.OpenSSH) + b" me@here\n"
    )
    other = Ed25519PrivateKey.generate().public_key()
    lab.write("other.pem", other.public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo))
    return lab


@pytest.mark.parametrize(("private", "public"), [("key.pem", "pub.pem"), ("key", "key.pub")])
def test_a_signature_is_checked_with_the_public_key(keys, private, public):
    released(keys)
    keys.done("certify", "release.parquet", "--plan", "policy.plan.yml", "--sign-with", private)
    assert "its signature was not checked" in keys.done("verify", CERTIFICATE)
    assert "signed by this key" in keys.done("verify", CERTIFICATE, "--key", public)
    assert "FAIL certificate.json.sig: is not of this certificate by this key" in failed(
        keys, "--key", "other.pem"
    )
    signature = keys.folder / "release.certificate/certificate.json.sig"
    signature.write_bytes(signature.read_bytes()[:-1])
    failed(keys, "--key", public)
    signature.unlink()
    assert "FAIL certificate.json.sig: cannot be read" in failed(keys, "--key", public)


def test_openssl_checks_the_signature_by_itself(keys):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl here")
    released(keys)
    keys.done("certify", "release.parquet", "--plan", "policy.plan.yml", "--sign-with", "key.pem")
    words = [openssl, "pkeyutl", "-verify", "-pubin", "-inkey", "../pub.pem", "-rawin",
             "-in", "certificate.json", "-sigfile", "certificate.json.sig"]  # fmt: skip
    folder = keys.folder / "release.certificate"
    assert subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode == 0
    with (folder / "certificate.json").open("ab") as file:
        file.write(b" ")
    assert subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize("name", ["locked.pem", "pub.pem", "people.csv", "nowhere.pem", "."])
def test_a_key_that_cannot_sign_is_refused_before_anything_is_counted(keys, name):
    released(keys)
    keys.refused("certify", "release.parquet", "--plan", "policy.plan.yml", "--sign-with", name)


@pytest.mark.parametrize("name", ["key.pem", "people.csv", "nowhere.pem"])
def test_a_key_that_cannot_check_is_refused(keys, name):
    released(keys)
    keys.done("certify", "release.parquet", "--plan", "policy.plan.yml", "--sign-with", "key.pem")
    said = keys.refused("verify", CERTIFICATE, "--key", name)
    assert "BEGIN" not in said


def test_another_kind_of_key_is_refused(keys):
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric import ec

    kind = (s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    keys.write("ec.pem", ec.generate_private_key(ec.SECP256R1()).private_bytes(*kind))
    released(keys)
    said = keys.refused(
        "certify", "release.parquet", "--plan", "policy.plan.yml", "--sign-with", "ec.pem"
    )
    assert "signed with Ed25519" in said


@pytest.mark.parametrize(
    "words",
    [
        ["people.csv"],
        ["people.csv", "--qi", "age"],
        ["people.csv", "-k", "3"],
        [CERTIFICATE, "--qi", "age", "-k", "3", "--plan", "policy.plan.yml"],
    ],
)
def test_what_verify_is_asked_must_be_one_thing(certified, words):
    certified.refused("verify", *words, code=2)


def test_both_speak_json(certified):
    said = json.loads(certified.done("verify", CERTIFICATE, "--json"))
    assert (said["passed"], said["same_rows"], said["signature"]) == (True, True, "none")
    said = json.loads(
        certified.done(
            "certify", "release.parquet", "--plan", "policy.plan.yml", "--replace", "--json"
        )
    )
    assert said["release"]["fingerprint"] == told(certified)["release"]["fingerprint"]


class Page(html.parser.HTMLParser):
    """What a page asks for, and its elements."""

    def __init__(self):
        super().__init__()
        self.open, self.asked, self.tags = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.asked += [
            value for name, value in attributes if name in {"src", "href", "srcset", "action"}
        ]
        if tag not in {"meta", "rect", "line"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def page(lab):
    text = (lab.folder / "release.certificate/report.html").read_text(encoding="utf-8")
    parsed = Page()
    parsed.feed(text)
    assert parsed.open == []
    return text, parsed


def test_the_page_asks_for_nothing_and_can_be_read_aloud(certified):
    text, parsed = page(certified)
    assert parsed.asked == []
    assert "url(" not in text
    assert "@import" not in text
    tags = dict(parsed.tags)
    assert tags["html"]["lang"] == "en"
    assert tags["svg"]["role"] == "img"
    assert {"title", "main", "h1"} <= tags.keys()
    named = {attributes["id"] for _, attributes in parsed.tags if "id" in attributes}
    asked = {a["aria-labelledby"] for _, a in parsed.tags if "aria-labelledby" in a}
    assert asked <= named
    assert all("scope" in attributes for tag, attributes in parsed.tags if tag == "th")


HOSTILE = "<script>alert(1)</script>\"'&{{ x }}\n-- \\"


def test_hostile_names_are_text_in_the_page_and_in_the_script(lab):
    lines = [f"{n % 2},d{n % 3}" for n in range(20)]
    name = HOSTILE.replace('"', '""')
    lab.write("people.csv", f'"{name}",disease\n' + "\n".join(lines) + "\n")
    columns = {
        **dict.fromkeys(("name", "zip", "sex", "age")),
        HOSTILE: {"role": "quasi", "hierarchy": "suppress"},
    }
    released(lab, columns, privacy=[{"k": 3, "over": [HOSTILE]}, {"k": 2}])
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    _, parsed = page(lab)
    assert "script" not in dict(parsed.tags)
    assert "PASS" in lab.done("verify", CERTIFICATE)
    shell = shutil.which("duckdb")
    if shell is not None:
        done = subprocess.run(
            [shell, "-f", "verify.sql"], cwd=lab.folder / "release.certificate", check=False,
            capture_output=True, text=True, env={**os.environ},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_a_script_is_short_and_reads_only(lab):
    """Where it would be long, the hash of all rows is left to kanon-sql."""
    released(lab, suppression="60%", privacy=[
        {"k": 3}, *({"k": 4, "over": [name]} for name in ("sex", "age", "zip")),
        {"k": 3, "over": ["sex", "age"]},
    ])  # fmt: skip
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    text = (lab.folder / "release.certificate/verify.sql").read_text(encoding="utf-8")
    assert text.count("\n") <= 150
    assert not re.search(r"\b(INSERT|UPDATE|DELETE|DROP|ALTER|COPY|ATTACH|INSTALL|LOAD)\b", text)
    made = re.findall(r"\bCREATE (\w+) ", text)
    assert set(made) == {"TEMP"}


def test_python_says_the_same(certified):
    folder = certified.folder
    made = kanon_sql.certify(
        folder / "release.parquet", folder / "policy.plan.yml", folder=folder / "again"
    )
    text = (folder / "again/certificate.json").read_text(encoding="utf-8")
    assert Certificate.from_json(text, "again") == made
    found = kanon_sql.verify_certificate(
        folder / "again/certificate.json", plan=folder / "policy.plan.yml"
    )
    assert found.passed
    assert found.claims == made.claims


@pytest.fixture
def clinic(lab):
    """A database file with a table of the lab's people."""
    with duckdb.connect(str(lab.folder / "cli'nic.duckdb")) as connection:
        path = str(lab.folder / "people.csv").replace("'", "''")
        connection.execute(f"CREATE TABLE people AS FROM read_csv('{path}', all_varchar = true)")
    return lab


def in_clinic(lab, text):
    with duckdb.connect(str(lab.folder / "cli'nic.duckdb")) as connection:
        connection.execute(text)


RELEASES = {
    "table": {"table": "k3; --"},
    "view": {"table": "k3; --", "view": True},
    "in place": {
        "in_place": True,
        "drop_original": True,
        "accept": ["writes of other connections"],
    },
}


@pytest.mark.parametrize("kind", RELEASES)
def test_a_table_is_certified_in_the_policys_own_database(clinic, kind):
    name = "people" if kind == "in place" else "k3; --"
    if kind == "in place" and duckdb.__version__ >= "2":
        RELEASES[kind].pop("accept", None)
    released(clinic, source="people", database="cli'nic.duckdb", release=RELEASES[kind])
    clinic.done("certify", name, "--plan", "policy.plan.yml", "-o", "c")
    assert "PASS hash of all rows" in clinic.done("verify", "c")
    place = json.loads((clinic.folder / "c/certificate.json").read_text(encoding="utf-8"))[
        "release"
    ]
    assert (place["name"], place["database"]) == (name, "../cli'nic.duckdb")
    changed = "people" if kind == "view" else f'"{name}"'
    in_clinic(clinic, f"DELETE FROM {changed}")
    assert clinic.run("verify", "c").exit_code == 4
    in_clinic(clinic, f'DROP {"VIEW" if kind == "view" else "TABLE"} "{name}"')
    assert "there is no such table" in clinic.refused("verify", "c")


def test_a_table_that_was_renamed_is_found_by_its_new_name(clinic):
    released(clinic, source="people", database="cli'nic.duckdb", release={"table": "k3"})
    clinic.done("certify", "k3", "--plan", "policy.plan.yml")
    in_clinic(clinic, "ALTER TABLE k3 RENAME TO k4")
    clinic.refused("verify", "k3.certificate")
    assert "PASS" in clinic.done("verify", "k3.certificate", "--release", "k4")
    (clinic.folder / "cli'nic.duckdb").rename(clinic.folder / "moved.duckdb")
    clinic.refused("verify", "k3.certificate", "--release", "k4")
    moved = ("--release", "k4", "--database", "moved.duckdb")
    assert "PASS" in clinic.done("verify", "k3.certificate", *moved)


def test_texts_that_are_the_engines_own_are_hashed_by_kanon_sql_alone(clinic):
    in_clinic(clinic, "ALTER TABLE people ALTER disease TYPE DOUBLE USING random()")
    released(clinic, source="people", database="cli'nic.duckdb")
    clinic.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert told(clinic)["release"]["fingerprint"].startswith("duckdb ")
    script = (clinic.folder / "release.certificate/verify.sql").read_text(encoding="utf-8")
    assert "hash of all rows" not in script
    assert "PASS hash of all rows" in clinic.done("verify", CERTIFICATE)
    sql(clinic, "UPDATE t SET disease = 2 WHERE rowid = 0")
    assert "FAIL hash of all rows" in failed(clinic)


def test_what_was_said_instead_of_the_policy_is_claimed(lab):
    lab.policy()
    lab.done("plan", "policy.yml", "-k", "4", "--suppression", "50%")
    lab.done("apply", "policy.plan.yml")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    asked = {each["claim"]: each["asked"] for each in told(lab)["claims"]}
    assert (asked["k_anonymity"], asked["suppressed_rows"]) == (4, 20)


@pytest.mark.parametrize(
    "search",
    [
        {"algorithm": "mondrian"},
        {"algorithm": "top_down", "target": "disease"},
        {"recoding": "cells"},
        {"algorithm": "mu_argus", "repair": "records"},
    ],
    ids=["boxes", "parts", "cells", "blanks"],
)
def test_every_recoding_has_its_certificate(lab, search):
    released(lab, search=search, suppression="60%")
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    assert "PASS" in lab.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")


def test_a_folder_that_cannot_be_written_is_one_clear_error(lab):
    released(lab)
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", "-o", "x" * 300)
    lab.refused("certify", "release.parquet", "--plan", "policy.plan.yml", "-o", "a\0b")
    lab.refused("certify", "nowhere.parquet", "--plan", "policy.plan.yml")
    lab.refused("certify", "release.parquet", "--plan", "nowhere.yml")
    lab.refused(
        "certify", "release.parquet", "--plan", "policy.plan.yml", "--database", "no.duckdb"
    )


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
@pytest.mark.parametrize("replaces", [False, True])
def test_a_disk_that_is_full_leaves_no_certificate_or_the_old_one(certified, replaces):
    def limited():
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    more = ["--replace"] if replaces else ["-o", "another"]
    before = certified.files()
    done = subprocess.run(
        [sys.executable, "-m", "kanon_sql", "certify", "release.parquet", "--plan", "policy.plan.yml", *more],
        cwd=certified.folder,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limited,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    assert certified.files() == before


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_what_a_killed_run_left_is_taken_away_by_clean(certified):
    """A run is killed while it writes: the old certificate stays, and its leftovers are known."""
    code = (
        "import os, signal, kanon_sql\n"
        "from kanon_sql.engine.beside import Beside\n"
        "Beside.move = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)\n"
        "kanon_sql.certify('release.parquet', 'policy.plan.yml', replace=True)\n"
    )
    before = certified.files()
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=certified.folder, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    left = set(certified.files()) - set(before)
    assert left
    assert {
        name: content for name, content in certified.files().items() if name in before
    } == before
    certified.done("clean", "--path", ".")
    assert certified.files() == before
