"""A plan that was edited by hand, in every channel that takes a plan: refused, or its release holds all the same."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kanon_sql
from tests.attacks.channels import HERE, OUT, Lab, compiled, through
from tests.attacks.reader import hold, tells_nothing
from tests.attacks.table import CHANNELS, RARE, Attack, texts

pytestmark = pytest.mark.sampled(3)


def released(lab):
    """A release by the plan as it was made; then the file of it is edited."""
    with lab.connected() as connection:
        policy = lab.attack.mapping(source={"table": lab.attack.slug})
        plan = kanon_sql.plan(policy, connection=connection)
        path = lab.written(plan.document(), edited=False)
        given = {"policy": policy, "connection": connection}
        target = lab.folder / "good.parquet"
        kanon_sql.apply(path, release=str(target), **given)
        yield target, path, given
        lab.written(plan.document())
        yield


def certified(lab):
    """What `certify` makes of a release of before, and of the edited plan."""
    steps = released(lab)
    target, path, given = next(steps)
    next(steps)
    kanon_sql.certify(str(target), path, folder=lab.folder / OUT, **given)
    return []


def held_to_plan(lab):
    """What `verify certificate.json --plan` makes of a certificate of before, and of the edited plan."""
    steps = released(lab)
    target, path, given = next(steps)
    folder = lab.folder / "certificate"
    kanon_sql.certify(str(target), path, folder=folder, **given)
    next(steps)
    found = kanon_sql.verify_certificate(
        folder / "certificate.json", plan=path, policy=given["policy"]
    )
    if not found.passed:
        raise kanon_sql.KanonError("the certificate does not pass")
    return []


OF_PLANS = {
    **{name: run for name, run in HERE.items() if name != "relation"},
    "SQLMesh": compiled,
    "certify": certified,
    "verify --plan": held_to_plan,
}
CANNOT = {
    "relation": "it takes a policy, and no plan",
    "dbt": "its macro is made with the plan; `dbt check` names a file that is edited: tests/dbt/test_dbt_plan.py",
}
SOURCE = Attack(
    "plans",
    texts(("0213", 4), ("0214", 1), ("0219", 1), ("03", 4), (RARE, 1)),
    {"q": {"mask": 12}},
    policy={"suppression": 1},
    classes=1,
)
OF_A_FILE = Attack(
    "plans of a file", texts(("a", 4), ("b", 4)), {"q": {"csv": "h.csv"}}, policy={"suppression": 1}
)
OTHERS = dict.fromkeys(
    ("new rows",), "what a plan says of its own rows is not asked: others are counted"
)
"""Why a channel does not see an edit."""
UNRUN = dict.fromkeys(
    ("script", "SQLMesh"),
    "what is compiled reads no row before it runs, and then it counts what it releases",
)
UNSEEN = dict.fromkeys(
    ("certify",),
    "it opens the release, and no source: all claims hold, and the certificate has this file's hash",
)


def set_(part, key, value):
    def edit(document):
        assert document[part][key] != value
        document[part][key] = value

    return edit


def whole(key, value):
    def edit(document):
        assert document[key] != value
        document[key] = value

    return edit


def other_key(document):
    """As of a key that this machine has not: the hash cannot be compared."""
    kind, _, digest = document["source"]["fingerprint"].rpartition(":")
    document["source"]["fingerprint"] = f"{kind[:-8]}{'0' * 8}:{digest}"


EDITS = {
    "levels": (set_("recoding", "levels", {"q": 0}), OTHERS | UNSEEN),
    "the suppression limit": (set_("recoding", "max_suppressed", 9), OTHERS),
    "the suppressed rows": (set_("recoding", "suppressed_rows", 0), OTHERS | UNRUN),
    "figures": (set_("figures", "smallest_class", 50), OTHERS | UNRUN),
    "its SQL": (whole("sql", "DROP TABLE t_plans"), UNSEEN),
    "its privacy": (whole("privacy", ["k = 1"]), {}),
    "the policy's hash": (set_("policy", "sha256", "0" * 64), {}),
    "a hierarchy's hash": (whole("hierarchies", {"q": "0" * 64}), UNSEEN),
    "a hierarchy more": (whole("hierarchies", {"q": "in the policy", "z": "0" * 64}), UNSEEN),
    "its rows": (set_("source", "rows", 7), OTHERS | UNRUN),
    "another key": (other_key, OTHERS | UNRUN | UNSEEN),
}
"""Each edit, and the channels that do not see it, with the reason."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("channel", OF_PLANS)
@pytest.mark.parametrize("key", EDITS)
def test_an_edited_plan_releases_nothing_that_does_not_hold(key, channel, tmp_path):
    lab = Lab(SOURCE, tmp_path)
    lab.edit, blind = EDITS[key]
    outcome = through(channel, lab, OF_PLANS)
    tells_nothing(outcome.words)
    assert outcome.rows is None or channel in blind, "an edited plan was carried out"
    if outcome.rows:
        hold(SOURCE, outcome.rows, lab.source())


@pytest.mark.parametrize("digest", ["in the policy", "0" * 64])
@pytest.mark.parametrize("channel", [each for each in OF_PLANS if each not in UNSEEN])
def test_a_hierarchy_that_changed_is_told_whatever_the_plan_says(
    channel, digest, tmp_path, monkeypatch
):
    """Its labels are other than those that were reviewed, and the plan was edited to say it is none of a file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h.csv").write_text("a;x;*\nb;x;*\n")
    lab = Lab(OF_A_FILE, tmp_path)

    def edit(document):
        document["hierarchies"]["q"] = digest
        (tmp_path / "h.csv").write_text("a;x;*\nb;y;*\n")

    lab.edit = edit
    outcome = through(channel, lab, OF_PLANS)
    assert outcome.rows is None


@pytest.mark.parametrize("channel", OF_PLANS)
def test_a_plan_of_another_policy_is_refused(channel, tmp_path, monkeypatch):
    lab = Lab(SOURCE, tmp_path)
    given = kanon_sql.plan
    weaker = {"privacy": [{"k": 2}]}
    monkeypatch.setattr(
        kanon_sql, "plan", lambda policy, **more: given({**policy, **weaker}, **more)
    )
    assert through(channel, lab, OF_PLANS).rows is None


@pytest.mark.parametrize("channel", ["table", "parquet", "csv", "view"])
def test_a_plan_of_another_machine_s_key_is_refused(channel, tmp_path, monkeypatch):
    monkeypatch.setenv("KANON_SQL_PLAN_KEY", "the key of one machine")
    lab = Lab(SOURCE, tmp_path)
    lab.edit = lambda _: monkeypatch.setenv("KANON_SQL_PLAN_KEY", "the key of another")
    outcome = through(channel, lab, OF_PLANS)
    assert outcome.rows is None
    assert "KANON_SQL_PLAN_KEY" in outcome.words[-1]


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
COMMANDS = {
    "lint": "lint FILE",
    "plan": "plan FILE",
    "apply": "apply FILE",
    "script": "compile FILE",
    "SQLMesh": "compile FILE --sqlmesh a.b",
    "new rows": "apply FILE --to-new-rows",
    "certify": "certify t.csv --plan FILE",
    "attack": "attack link --target t.csv --known t.csv --on q --plan FILE",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_aliases_of_yaml_that_grow_without_end_are_refused(command, tmp_path):
    """In a process of its own, which ends in some seconds."""
    (tmp_path / "t.csv").write_text("q,n\na,1\na,2\n")
    (tmp_path / "bomb.yml").write_text(BOMB + "version: 1\n")
    words = COMMANDS[command].replace("FILE", "bomb.yml").split()
    ran = subprocess.run(
        [sys.executable, "-m", "kanon_sql", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: ")
    assert len(ran.stderr) < 10_000


def test_every_channel_is_named():
    assert {*CHANNELS} <= {*OF_PLANS, *CANNOT}
    for name, (_, blind) in EDITS.items():
        assert {*blind} <= {*OF_PLANS}, name
        assert all(blind.values())
