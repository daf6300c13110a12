"""What a policy says for its readers: in its certificate and on the page, where any change of it is told."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from dataclasses import replace

import pytest
from certificates import CERTIFICATE, edits, failed, only_our_script, page, released, remade, told
from policies import with_

import kanon_sql
from kanon_sql.evidence.certificate.certificate import Certificate, digest
from kanon_sql.evidence.certificate.certified_parts import figures_digest
from kanon_sql.policy.standards import NOTHING_SAID

pytestmark = pytest.mark.sampled(3)

PAGE = "release.certificate/report.html"
ABOUT = {
    "title": "Visits of 2025",
    "purpose": "Research into readmissions.\nApproved as EC-17.",
    "contact": "privacy@example.org",
    "recipients": "An institute, under contract",
    "threshold": "3, as the house's rule asks",
}
WHY = "Neighbours know how old somebody is"
AGE = {"role": "quasi", "hierarchy": {"intervals": [5, 10]}, "why": WHY}


@pytest.fixture(scope="session")
def kept_words(tmp_path_factory, lab_in):
    made = lab_in(tmp_path_factory.mktemp("words"))
    released(made, {"age": AGE}, about=ABOUT)
    made.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    return made.folder


@pytest.fixture
def worded(kept_words, lab_in, tmp_path):
    """A lab whose policy says what its release is for, with the certificate of that."""
    folder = tmp_path / "lab"
    shutil.copytree(kept_words, folder)
    return lab_in(folder)


def read(lab):
    return Certificate.from_json((lab.folder / CERTIFICATE).read_text(encoding="utf-8"), "c")


def write_page(lab, text):
    """Write another page, with its hash: by someone who can write the whole folder."""
    lab.write(PAGE, text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    edits(lambda found: found["files"].update({"report.html": digest}))(lab)


def test_the_certificate_and_its_page_say_what_the_policy_says(worded):
    assert told(worded)["policy"]["about"] == ABOUT
    columns = {each["column"]: each for each in told(worded)["policy"]["columns"]}
    assert columns["age"] == {"column": "age", "role": "quasi", "why": WHY}
    assert columns["name"] == {"column": "name", "role": "identifying", "action": "drop"}
    text, parsed = page(worded)
    only_our_script(text, parsed)
    for words in (*ABOUT.values(), WHY):
        assert words.replace("'", "&#39;") in text
    assert "PASS" in worded.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")


def test_a_page_is_in_the_order_of_a_dossier(worded):
    text, _ = page(worded)
    assert (
        text.index('id="verdict"')
        < text.index('class="answers"')
        < text.index('<details class="part"')
    )
    parts = re.findall(r'<details class="part" id="([\w-]+)"', text)
    assert parts[:4] == ["purpose", "roles", "transformations", "risk"]
    ends = ["sql", "claims", "limits", "unanswered", "left-out", "could-state"]
    assert parts[-len(ends) :] == ends


def test_the_certificate_of_a_policy_that_says_nothing_lists_what_it_could_say(certified):
    assert "about" not in told(certified)["policy"]
    text, _ = page(certified)
    assert "not stated" not in text
    assert 'id="purpose"' not in text
    for key in ABOUT:
        assert f">about: {key}</dt>" in text
    assert "why: of " in text


PARTS = {
    "the purpose on the first sheet": ("Approved as EC-17.", "Approved."),
    "the purpose": (
        'What the release is for</th><td><span class="words" dir="auto">Research',
        'What the release is for</th><td><span class="words" dir="auto">Marketing',
    ),
    "the title": ('dir="auto">Visits of 2025</span>', 'dir="auto">Visits</span>'),
    "a reason": (WHY, "Nobody knows it"),
    "a role": ("<td>sensitive</td>", "<td>insensitive</td>"),
    "a verdict": (">All hold.<", ">All hold, and more.<"),
    "a figure of a claim": (
        'at least 3</td><td class="number">3</td></tr>',
        'at least 3</td><td class="number">9</td></tr>',
    ),
    "a claim": ("rows in every class over all", "people in every class over all"),
    "a class size": ('<th scope="row">1 to 2</th>', '<th scope="row">1</th>'),
    "how to check it": ("duckdb -f verify.sql", "true"),
    "what it is worth": ("Rely on them only if", "Rely on them even if no"),
}
"""What follows from certificate.json, and what somebody would rather have there."""
OTHERS = {
    "a limit": ("is not hidden.", "is hidden."),
    "a transformation": ("is made up, and is not read", "is read"),
    "a measured figure": ("the smallest has 3 rows", "the smallest has 99 rows"),
}


@pytest.mark.parametrize(("old", "new"), [*PARTS.values(), *OTHERS.values()], ids=[*PARTS, *OTHERS])
def test_a_page_in_which_anything_was_changed_is_told(worded, old, new):
    text, _ = page(worded)
    assert old in text
    worded.write(PAGE, text.replace(old, new, 1))
    assert "FAIL report.html: is not the file that was certified" in failed(worded)


@pytest.mark.parametrize(("old", "new"), PARTS.values(), ids=PARTS)
def test_so_is_a_certified_part_that_was_changed_with_the_hash_of_the_page(worded, old, new):
    text, _ = page(worded)
    write_page(worded, text.replace(old, new, 1))
    assert "report.html: does not say what the certificate says of the" in failed(worded)


@pytest.mark.parametrize("name", ["purpose", "roles", "claims"])
def test_so_is_a_part_that_is_left_out_or_is_there_twice(worded, name):
    text, _ = page(worded)
    found = re.search(rf'<section aria-labelledby="part-{name}">.*?</section>', text, re.DOTALL)
    for other in ("", found[0] + "\n" + found[0]):
        write_page(worded, text.replace(found[0], other))
        told_of = f"says of the {name}: it was edited"
        if name == "claims" and not other:  # they have the hash of all figures
            told_of = "shows other figures than the certificate's"
        assert told_of in failed(worded)


@pytest.mark.parametrize(("old", "new"), OTHERS.values(), ids=OTHERS)
def test_what_is_measured_beside_the_claims_is_covered_by_a_signature(worded, old, new):
    """Nobody recounts it: the page says so, and only the hash of the page, which is signed, covers it."""
    pytest.importorskip("cryptography", reason="no cryptography: install kanon-sql[sign]")
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    public = key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    worded.write("key.pem", pem)
    worded.write("pub.pem", public)
    sign = ("certify", "release.parquet", "--plan", "policy.plan.yml", "--replace")
    worded.done(*sign, "--sign-with", "key.pem")
    text, _ = page(worded)
    assert "are not counted again" in text
    write_page(worded, text.replace(old, new, 1))
    assert "is not a signature of this certificate" in failed(worded, "--key", "pub.pem")


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("policy.about", {"about": {**ABOUT, "purpose": "Marketing"}}),
        ("policy.about", {"about": {}}),
        ("policy.columns", {"columns": {"age": {**AGE, "why": "No reason"}}}),
    ],
)
def test_words_that_are_not_those_of_the_policy_are_told_beside_the_plan(worded, where, change):
    worded.policy(**{"columns": {"age": AGE}, "about": ABOUT, **change})
    said = failed(worded, "--plan", "policy.plan.yml")
    assert f"FAIL {where}: does not match the plan and its policy" in said
    assert said.count("FAIL") == 2


def test_a_sentence_is_corrected_without_another_plan_or_release(worded):
    plan = (worded.folder / "policy.plan.yml").read_bytes()
    worded.policy({"age": AGE}, about={**ABOUT, "purpose": "Research into readmission."})
    worded.done("plan", "policy.yml", "-o", "again.plan.yml")
    assert (worded.folder / "again.plan.yml").read_bytes() == plan
    worded.done("certify", "release.parquet", "--plan", "policy.plan.yml", "--replace")
    assert told(worded)["policy"]["about"]["purpose"] == "Research into readmission."
    assert "PASS" in worded.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")


def test_a_certificate_that_does_not_repeat_its_policy_is_one_of_an_earlier_version(worded):
    found = replace(read(worded), about=NOTHING_SAID, roles=(), made_by="0.0.9")
    _, files = remade(found)
    for name, content in files.items():
        worded.write(f"release.certificate/{name}", content)
    assert "about" not in told(worded)["policy"]
    assert "PASS" in worded.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")


def test_who_verifies_is_told_that_the_page_of_another_version_is_not_compared(worded):
    """Whoever edits an unsigned certificate can name another version, and write any page that states its hash."""
    told_of = "only their hashes were compared"
    assert told_of not in worded.done("verify", CERTIFICATE)
    assert json.loads(worded.done("verify", CERTIFICATE, "--json"))["pages_compared"] is True
    found = replace(read(worded), made_by="0.0.9")
    files = {"verify.sql": b"SELECT 1;", "report.html": figures_digest(found).encode()}
    hashes = {name: digest(content) for name, content in files.items()}
    files["certificate.json"] = replace(found, files=hashes).to_json().encode()
    for name, content in files.items():
        (worded.folder / "release.certificate" / name).write_bytes(content)
    said = worded.done("verify", CERTIFICATE)
    assert f"the page and verify.sql are of kanon-sql 0.0.9: {told_of}" in " ".join(said.split())
    assert json.loads(worded.done("verify", CERTIFICATE, "--json"))["pages_compared"] is False


def test_nobody_takes_the_words_out_of_a_certificate_of_this_version(worded):
    _, files = remade(replace(read(worded), about=NOTHING_SAID, roles=()))
    for name, content in files.items():
        worded.write(f"release.certificate/{name}", content)
    said = failed(worded, "--plan", "policy.plan.yml")
    assert "FAIL policy.about: does not match the plan and its policy" in said


HOSTILE = [
    "<script>alert(1)</script>\"'&{{ x }}{% raw %}",
    "</span></td><h1 onclick=alert(1)>",
    "\u202eright to left\u2066",
    "x" * 4000,
    "--> ]]> <!-- \\",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_words_are_text_on_the_page(lab, text):
    about = dict.fromkeys(ABOUT, text)
    released(lab, {"age": {**AGE, "why": text}}, about=about)
    lab.done("certify", "release.parquet", "--plan", "policy.plan.yml")
    shown, parsed = page(lab)
    only_our_script(shown, parsed)
    assert [tag for tag, _ in parsed.tags].count("h1") == 1
    assert "PASS" in lab.done("verify", CERTIFICATE, "--plan", "policy.plan.yml")
    assert json.loads(lab.done("schema", "--certificate"))


def test_a_report_without_a_certificate_says_where_its_figures_can_be_counted_again():
    import pandas as pd

    people = pd.DataFrame({"age": [31, 34, 52, 56], "ill": ["a", "b", "a", "b"]})
    tens = {"role": "quasi", "hierarchy": {"intervals": [10]}, "why": WHY}
    columns = {"age": tens, "ill": {"role": "sensitive"}}
    policy = with_(columns=columns, privacy={"k": 2}, about=ABOUT, entity="row")
    plan = kanon_sql.plan(policy, people)
    text = kanon_sql.report(plan, people, policy=policy).to_html()
    assert "What anybody can count again stands in the certificate of the release" in text
    assert WHY in text
    assert "EC-17" in text
