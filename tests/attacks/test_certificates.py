"""A certificate, its script or its release that was changed by hand, in every channel that checks a certificate."""

from __future__ import annotations

import hashlib
import json
import shutil
from contextlib import closing

import duckdb
import pytest
from shells import run

import kanon_sql
from tests.attacks.reader import tells_nothing
from tests.attacks.table import CHANNELS, SECRET

COLUMNS = {
    "q": {"role": "quasi", "hierarchy": "suppress"},
    "n": {"role": "insensitive"},
    "s": {"role": "sensitive"},
    "name": {"role": "identifying", "action": "drop"},
}
ROWS = f"SELECT 'v' || (i % 2) AS q, i AS n, 's' || (i % 3) AS s, '{SECRET}-' || i AS name FROM range(12) AS r (i)"
POLICY = {
    "version": 1,
    "source": "people.parquet",
    "entity": "row",
    "columns": COLUMNS,
    "privacy": [
        {"k": 3},
        {"alpha": {"column": "s", "alpha": 0.5}},
        {"t_closeness": {"column": "s", "t": 0.25}},
    ],
}
OUT = "release.certificate"
JSON, SCRIPT = f"{OUT}/certificate.json", f"{OUT}/verify.sql"


def released(folder, policy, name):
    (folder / f"{name}.yml").write_text(json.dumps(policy))
    plan = kanon_sql.plan(policy)
    (folder / f"{name}.plan.yml").write_text(plan.to_yaml(), encoding="utf-8")
    kanon_sql.apply(
        folder / f"{name}.plan.yml", policy=policy, release="release.parquet", replace=True
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with a release and its certificate, made once."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch, closing(duckdb.connect()) as connection:
        patch.chdir(folder)
        connection.execute(f"COPY ({ROWS}) TO 'people.parquet'")
        released(folder, POLICY, "good")
        kanon_sql.certify("release.parquet", "good.plan.yml", policy=POLICY)
    return folder


def said(change):
    """Change what the certificate says."""

    def harm(folder):
        told = json.loads((folder / JSON).read_text())
        change(told)
        (folder / JSON).write_text(json.dumps(told))

    return harm


def script(*, told):
    """Let the script ask for less and, where that is `told`, let the certificate name the script."""

    def harm(folder):
        text = (folder / SCRIPT).read_text()
        assert ">= 3" in text
        (folder / SCRIPT).write_text(text.replace(">= 3", ">= 1"))
        digest = hashlib.sha256((folder / SCRIPT).read_bytes()).hexdigest()
        if told:
            said(lambda found: found["files"].update({"verify.sql": digest}))(folder)

    return harm


def rows(query):
    """Put other rows in the release's place."""

    def harm(folder):
        assert (folder / "release.parquet").is_file()  # the tests are in this folder
        with closing(duckdb.connect()) as connection:
            connection.execute("CREATE TABLE r AS FROM 'release.parquet'")
            connection.execute(f"COPY ({query}) TO 'release.parquet'")

    return harm


def weaker(folder):
    """A release of less, with a good certificate of its own."""
    policy = {**POLICY, "privacy": {"k": 2}}
    released(folder, policy, "weak")
    kanon_sql.certify("release.parquet", "weak.plan.yml", policy=policy, replace=True)


UNREAD = "the script reads no JSON"
OWN = "it is the script itself: a reader asks the certificate whose hash it has"
ALONE = "who can write the whole folder can make a certificate: only the plan, or a key, tells"
HARM = {
    "a claim of less": (said(lambda f: f["claims"][0].update(bound=2)), {"verify.sql": UNREAD}),
    "a model of less": (
        said(lambda f: f["claims"][1]["model"]["alpha"].update(alpha=0.9)),
        {"verify.sql": UNREAD},
    ),
    "a model of less, and its bound": (
        said(
            lambda f: f["claims"][1].update(
                model={"alpha": {"column": "s", "alpha": 1}}, bound=10**9
            )
        ),
        {"verify.sql": UNREAD},
    ),
    "a model of the source": (
        said(lambda f: f["claims"][2]["model"]["t_closeness"].update(reference="source")),
        {"verify.sql": UNREAD},
    ),
    "a figure of another measure": (
        said(lambda f: f["claims"][2].update(measured="largest_share")),
        {"verify.sql": UNREAD},
    ),
    "a value that most of a class have": (
        rows("SELECT * REPLACE (CASE WHEN q = 'v0' AND n < 6 THEN 's0' ELSE s END AS s) FROM r"),
        {},
    ),
    "a class of values that it never knew": (
        rows("SELECT * REPLACE (CASE WHEN q = 'v0' THEN NULL ELSE s END AS s) FROM r"),
        {},
    ),
    "a claim taken out": (said(lambda f: f["claims"].pop()), {"verify.sql": UNREAD}),
    "another quasi-identifier": (
        said(lambda f: f["quasi_identifiers"][0].update(columns=["n"])),
        {"verify.sql": UNREAD},
    ),
    "another fingerprint": (
        said(lambda f: f["release"].update(fingerprint=f"sha256:{'7' * 64}")),
        {"verify.sql": UNREAD},
    ),
    "an earlier format": (
        said(lambda f: f.update(kanon_sql_certificate=1)),
        {"verify.sql": UNREAD},
    ),
    "another plan's hash": (
        said(lambda f: f["plan"].update(sha256="0" * 64)),
        {"verify.sql": UNREAD},
    ),
    "a script that asks less": (script(told=False), {"verify.sql": OWN}),
    "a script that asks less, and its hash": (script(told=True), {"verify.sql": OWN}),
    "a script that is gone": (lambda folder: (folder / SCRIPT).unlink(), {}),
    "other rows, as many": (rows("SELECT * REPLACE (n + 1 AS n) FROM r"), {}),
    "other classes, as many rows": (rows("SELECT q || (n % 2) AS q, n, s FROM r"), {}),
    "rows in other columns": (rows("SELECT n::VARCHAR AS q, n, s FROM r"), {}),
    "a column more": (rows(f"SELECT *, '{SECRET}' AS name FROM r"), {}),
    "a row twice": (rows("FROM r UNION ALL (FROM r LIMIT 1)"), {}),
    "a release that is gone": (lambda folder: (folder / "release.parquet").unlink(), {}),
    "the source itself": (
        lambda folder: shutil.copy(folder / "people.parquet", folder / "release.parquet"),
        {},
    ),
    "a certificate of less": (weaker, {"verify": ALONE, "verify.sql": ALONE}),
}
"""What is done to the folder, and the channels that do not tell, with the reason."""


def verified(folder, **more):
    found = kanon_sql.verify_certificate(folder / JSON, **more)
    if not found.passed:
        raise kanon_sql.KanonError(str([*found.faults, *found.claims]))


def in_the_shell(folder):
    shell = shutil.which("duckdb") or pytest.skip("the duckdb shell is not installed")
    ran = run([shell, "-bail", "-f", "verify.sql"], folder / OUT)
    if ran.returncode:
        raise kanon_sql.KanonError(ran.stdout + ran.stderr)


CHECKS = {
    "verify": verified,
    "verify --plan": lambda folder: verified(folder, plan="good.plan.yml", policy=POLICY),
    "verify.sql": in_the_shell,
}
CANNOT = dict.fromkeys(CHANNELS, "it makes a release, and checks no certificate")


@pytest.fixture
def folder(kept, tmp_path, monkeypatch):
    made = tmp_path / "la'b [1]"
    shutil.copytree(kept, made)
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("channel", CHECKS)
def test_a_certificate_passes_as_it_was_made(channel, folder):
    CHECKS[channel](folder)


@pytest.mark.parametrize(
    ("harm", "channel"),
    [(name, channel) for name in HARM for channel in CHECKS if channel not in HARM[name][1]],
)
def test_what_was_changed_does_not_pass(harm, channel, folder):
    HARM[harm][0](folder)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    with pytest.raises(kanon_sql.KanonError) as caught:
        CHECKS[channel](folder)
    tells_nothing([caught.value])
    assert before == {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_every_channel_is_named():
    assert {*CHANNELS} <= {*CHECKS, *CANNOT}
    for name, (_, untold) in HARM.items():
        assert {*untold} <= {*CHECKS}, name
        assert all(untold.values())
