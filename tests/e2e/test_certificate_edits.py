"""Certificates that were edited, swapped or forged; their signatures, and their page."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from certificates import CERTIFICATE, edits, failed, only_our_script, page, released, remade, sql

import kanon_sql
from kanon_sql.errors import install_command
from kanon_sql.evidence.certificate.certificate import Certificate
from kanon_sql.policy.model import Role
from kanon_sql.policy.policy_rules import ColumnRole

pytestmark = pytest.mark.sampled(3)

EDITS = {
    "k is lowered": lambda f: f["claims"][0].update(bound=2, comparator="at least"),
    "a claim says something else": lambda f: f["claims"][0].update(text="all is well"),
    "a claim is removed": lambda f: f["claims"].pop(0),
    "a needed claim is removed": lambda f: f["claims"].pop(),
    "no claims": lambda f: f.update(claims=[]),
    "a figure is edited": lambda f: f["claims"][1].update(bound=1, found=1),
    "a claim is made unchecked": lambda f: f["claims"][0].update(recounted=False),
    "the fingerprint": lambda f: f["release"].update(fingerprint=f"sha256:{'7' * 64}"),
    "the fingerprint's kind": lambda f: f["release"].update(
        fingerprint=f"spark 4 sha256:{'7' * 64}"
    ),
    "the rows": lambda f: f["release"].update(rows=1),
    "a server to sign in at": lambda f: f.update(
        release={
            "kind": "table",
            "name": "k3",
            "schema": None,
            "catalog": None,
            "database": "postgresql://somewhere/else",
            **{key: f["release"][key] for key in ("rows", "columns", "fingerprint")},
        }
    ),
    "a column is left out": lambda f: f["release"]["columns"].pop(),
    "a quasi-identifier is left out": lambda f: f["quasi_identifiers"].pop(),
    "another entity": lambda f: f["entity"].update(column="disease"),
    "class sizes": lambda f: f["class_sizes"][0].update(classes=9),
    "an unknown key": lambda f: f.update(approved=True),
    "another version of the format": lambda f: f.update(kanon_sql_certificate=5),
    "an earlier version of the format": lambda f: f.update(kanon_sql_certificate=3),
    "the first version of the format": lambda f: f.update(kanon_sql_certificate=1),
    "another dialect": lambda f: f["made_by"].update(dialect="oracle"),
    "wrong types": lambda f: f.update(claims={"a": 1}),
    "a text for a number": lambda f: f["claims"][0].update(bound="5"),
    "a truth for a number": lambda f: f["claims"][0].update(bound=True),
    "a negative count": lambda f: f["claims"][0].update(bound=-1),
    "a huge count": lambda f: f["claims"][0].update(bound=10**30),
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
    assert f"FAIL {name}: is not the file that was certified" in failed(certified)
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
    assert "FAIL verify.sql: does not match the certificate's figures" in failed(certified)


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
    assert "FAIL claims: does not match the plan and its policy" in said
    assert "FAIL plan: is not the plan that was certified" in said


def test_a_script_that_reads_another_file_than_the_certificate_names_fails(certified):
    shutil.copy(certified.folder / "release.parquet", certified.folder / "clean.parquet")
    text = (certified.folder / CERTIFICATE).read_text(encoding="utf-8")
    found = Certificate.from_json(text, "certificate")
    other = replace(found, location=replace(found.location, pattern="../clean.parquet"))
    _, files = remade(other)
    for name, content in files.items():
        certified.write(f"release.certificate/{name}", content)
    assert "FAIL release: is not what the script reads" in failed(certified)


def test_a_certificate_alone_leads_nobody_to_an_address(certified):
    text = (certified.folder / CERTIFICATE).read_text(encoding="utf-8")
    found = Certificate.from_json(text, "certificate")
    for address in ("https://somewhere.invalid/a.parquet", "s3://somewhere/a.parquet"):
        _, files = remade(
            replace(found, location=replace(found.location, path=address, pattern=address))
        )
        for name, content in files.items():
            certified.write(f"release.certificate/{name}", content)
        file = certified.folder / CERTIFICATE
        with pytest.raises(kanon_sql.InputError, match="is at an address; if you trust it"):
            kanon_sql.verify_certificate(file)
        mine = kanon_sql.verify_certificate(file, certified.folder / "release.parquet")
        assert mine.same_rows


RESTATED = {
    "quasi_identifiers": lambda c: {
        "quasi": (replace(c.quasi[0], columns=("shown",)), *c.quasi[1:]),
        "columns": (*c.columns, ("shown", True)),
        "types": (*c.types, "VARCHAR"),
        "roles": (),  # as in a certificate of an earlier version; with them it would be no certificate
    },
    "release.columns": lambda c: {
        "columns": (*c.columns, ("shown", True)),
        "types": (*c.types, "VARCHAR"),
        "roles": (*c.roles, ColumnRole("shown", Role.INSENSITIVE)),
    },
    "policy.columns": lambda c: {"roles": (replace(c.roles[0], why="nobody minds"), *c.roles[1:])},
    "policy.about": lambda c: {"about": replace(c.about, purpose="open data")},
    "entity": lambda c: {"entity": "disease", "entity_released": True},
    "nulls": lambda c: {"nulls": "other"},
    "policy": lambda c: {"policy": "0" * 64},
}


@pytest.mark.parametrize("where", RESTATED)
def test_what_a_whole_folder_says_made_anew_beside_the_claims_is_told_by_the_plan(certified, where):
    """All claims are those of the plan, and all hashes agree; but they are of something else."""
    text = (certified.folder / CERTIFICATE).read_text(encoding="utf-8")
    found = Certificate.from_json(text, "certificate")
    _, files = remade(replace(found, **RESTATED[where](found)))
    for name, content in files.items():
        certified.write(f"release.certificate/{name}", content)
    if where in {"quasi_identifiers", "release.columns"}:
        sql(
            certified,
            f'ALTER TABLE t ADD COLUMN shown VARCHAR; UPDATE t SET shown = "{found.quasi[0].columns[0]}"',
        )
    said = failed(certified, "--plan", "policy.plan.yml")
    assert f"FAIL {where}: does not match the plan and its policy" in said


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
    assert "signature not checked: give the public key" in keys.done("verify", CERTIFICATE)
    assert "signed by this key" in keys.done("verify", CERTIFICATE, "--key", public)
    assert (
        "FAIL certificate.json.sig: is not a signature of this certificate by this key"
        in failed(keys, "--key", "other.pem")
    )
    summed = kanon_sql.verify_certificate(
        keys.folder / CERTIFICATE, key=str(keys.folder / "other.pem")
    ).summary()
    assert summed["signature"] == "bad"
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


def test_without_the_library_the_extra_is_named(keys):
    released(keys)
    code = (
        "import sys; sys.modules['cryptography'] = None; import kanon_sql\n"
        "kanon_sql.certify('release.parquet', 'policy.plan.yml', sign_with='key.pem')"
    )
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=keys.folder, capture_output=True, text=True, check=False)
    assert "MissingExtraError" in done.stderr
    assert install_command("sign") in done.stderr


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


def test_the_page_asks_for_nothing_and_can_be_read_aloud(certified):
    text, parsed = page(certified)
    assert parsed.asked == []
    assert "url(" not in text
    assert "@import" not in text
    tags = dict(parsed.tags)
    assert tags["html"]["lang"] == "en"
    pictures = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    assert pictures
    assert all(each["role"] in {"img", "graphics-document"} for each in pictures)
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
    text, parsed = page(lab)
    only_our_script(text, parsed)
    assert "PASS" in lab.done("verify", CERTIFICATE)
    shell = shutil.which("duckdb")
    if shell is not None:
        done = subprocess.run(
            [shell, "-f", "verify.sql"], cwd=lab.folder / "release.certificate", check=False,
            capture_output=True, text=True, env={**os.environ},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
