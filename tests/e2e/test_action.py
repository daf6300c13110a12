"""The GitHub action: its steps as they are written, on a repository in which a pull request changes a policy."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from click.testing import CliRunner
from wheels import ROOT, WITHOUT_BYTECODE, copy_of_checkout

from kanon_sql.apps.cli.command_line import main

ACTION = ROOT / ".github" / "actions" / "kanon"
POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  "na`me |x": {role: identifying, action: drop}
  age: {role: quasi, hierarchy: {intervals: [5, 10, 20]}}
  town: {role: quasi, hierarchy: {csv: towns.csv}}
  disease: {role: sensitive}
privacy: [{k: 4}, {distinct_l: {column: disease, l: 2}}]
suppression: 0
search: {algorithm: optimal}
release: release.csv
"""
CANARIES = ("Canaryville", "canary-ill", "Canary Name")
GH = """\
#!{python}
import json, pathlib, subprocess, sys, urllib.parse
words, kept = sys.argv[1:], pathlib.Path({kept!r})
comments = json.loads(kept.read_text()) if kept.exists() else []
assert words[0] == "api"
if "--jq" in words:
    import os
    print(*[each["id"] for each in comments if each["body"].startswith(os.environ["MARK"])], sep="\\n")
    sys.exit()
body = pathlib.Path(words[-1].removeprefix("body=@")).read_text()
if words[2] == "PATCH":
    (one,) = [each for each in comments if words[3].endswith("/%d" % each["id"])]
    one["body"] = body
else:
    comments.append({{"id": len(comments) + 1, "body": body}})
kept.write_text(json.dumps(comments))
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix" or not ACTION.is_dir(), reason="in a checkout, by bash"),
]


class Repository:
    """A repository on a branch, whose base is the first commit; `act` runs the action's steps in it."""

    def __init__(self, folder):
        self.folder = folder / "repo"
        self.folder.mkdir(parents=True)
        self.temp = folder / "runner"
        self.comments = folder / "comments.json"
        self.programs = folder / "programs"
        self.programs.mkdir()
        gh = self.programs / "gh"
        gh.write_text(GH.format(python=sys.executable, kept=str(self.comments)))
        gh.chmod(0o755)
        self.git("init", "-q")
        rows = [
            f"Canary Name {i},{20 + i % 9},{'Canaryville' if i % 2 else 'Low'},{'canary-ill' if i % 3 else 'flu'}\n"
            for i in range(60)
        ]
        (self.folder / "people.csv").write_text('"na`me |x",age,town,disease\n' + "".join(rows))
        (self.folder / "towns.csv").write_text("Canaryville,*\nLow,*\n")

    def git(self, *words):
        own = {"GIT_CONFIG_GLOBAL": os.devnull, **{f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}  # fmt: skip
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=os.environ | own, capture_output=True, text=True, check=True
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, policy, name="people.yml", at="."):
        if policy is not None:
            (self.folder / name).write_text(policy)
        self.git("-C", at, "add", "-A")
        self.git("-C", at, "commit", "-q", "--allow-empty", "-m", "change")
        return self.git("-C", at, "rev-parse", "HEAD")

    def act(self, base, *, installs=False, **inputs):
        """Run each `run` step; without `installs`, by the kanon_sql of the tests. Return whether all passed, what was printed, and the verdict."""
        shutil.rmtree(self.temp, ignore_errors=True)
        self.temp.mkdir()
        action = yaml.safe_load((ACTION / "action.yml").read_text(encoding="utf-8"))
        values = {
            f"inputs.{name}": str(each.get("default", ""))
            for name, each in action["inputs"].items()
        }
        values |= {"github.event.pull_request.number": "7", "github.token": "none"}
        values |= {f"inputs.{name.replace('_', '-')}": text for name, text in inputs.items()}
        values |= {"inputs.policy": inputs.get("policy", "people.yml"), "inputs.base": base}
        if not installs:
            python = self.temp / "kanon-sql" / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec {sys.executable} "$@"\n')
            python.chmod(0o755)
        printed, passed = "", True
        for step in action["runs"]["steps"]:
            if "run" not in step or (step["name"] == "install" and not installs):
                continue
            output = self.temp / "output"
            output.write_text("")
            env = {name: self.filled(text, values) for name, text in step.get("env", {}).items()}
            env |= {
                "RUNNER_TEMP": str(self.temp), "GITHUB_ACTION_PATH": str(ACTION), "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.temp / "summary.md"), "GITHUB_REPOSITORY": "clinic/policies",
                "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            }  # fmt: skip
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            done = subprocess.run(
                words, cwd=self.folder, env=os.environ | env, capture_output=True, text=True, check=False
            )  # fmt: skip
            printed += done.stdout + done.stderr
            lines = output.read_text().splitlines()
            values |= {
                f"steps.review.outputs.{name}": text
                for name, _, text in (each.partition("=") for each in lines)
            }
            if done.returncode:
                passed = False
                break
        return passed, printed, values.get("steps.review.outputs.verdict")

    @staticmethod
    def filled(text, values):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], text)

    @property
    def comment(self):
        (one,) = json.loads(self.comments.read_text())
        return one["body"]


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


WEAKER = {
    "a lower k": ("k: 4", "k: 2", "k is 2 instead of 4"),
    "a model less": (", {distinct_l: {column: disease, l: 2}}", "", "is no longer required"),
    "a quasi-identifier less": ("age: {role: quasi, hierarchy: {intervals: [5, 10, 20]}}", "age: {role: insensitive}", "no longer a quasi-identifier"),
    "an identifier that is released": ("{role: identifying, action: drop}", "{role: insensitive, linkable: accept}", "insensitive (as it is) instead of identifying (drop)"),
    "beside a higher k": ("{role: identifying, action: drop}\n  age", "{role: insensitive, linkable: accept}\n  age", "**weaker**"),
}  # fmt: skip


@pytest.mark.parametrize("change", WEAKER)
def test_weaker_privacy_fails_and_the_comment_says_what_is_weaker(change, repository):
    old, new, said = WEAKER[change]
    base = repository.commit(POLICY)
    after = POLICY.replace(old, new)
    assert after != POLICY
    repository.commit(after.replace("k: 4", "k: 6") if "beside" in change else after)
    passed, printed, verdict = repository.act(base)
    assert (passed, verdict) == (False, "weaker"), printed
    assert "::error::privacy is weaker" in printed
    assert said in repository.comment
    assert repository.act(base, fail_on="faults")[0]
    assert len(json.loads(repository.comments.read_text())) == 1, "the comment is written once"
    for canary in CANARIES:
        assert canary not in repository.comment + printed


KEEPS = {
    "a higher k": ("k: 4", "k: 6"),
    "words": ("entity: row", "about: {title: of people}\nentity: row"),
    "a place": ("release: release.csv", "release: other.csv"),
    "a quasi-identifier that is dropped": ("{role: quasi, hierarchy: {csv: towns.csv}}", "{role: identifying, action: drop}"),
}  # fmt: skip


@pytest.mark.parametrize("change", KEEPS)
def test_what_does_not_weaken_passes(change, repository):
    base = repository.commit(POLICY)
    old, new = KEEPS[change]
    after = POLICY.replace(old, new)
    if "dropped" in change:
        after = after.replace(", {distinct_l: {column: disease, l: 2}}", "")
    repository.commit(after)
    passed, printed, verdict = repository.act(base)
    if (
        "dropped" in change
    ):  # a model of it is gone, which its removal makes up for: not claimed so far
        assert verdict in {"weaker", "changed"}
        return
    assert passed, printed
    assert verdict in {"same", "changed"}
    assert repository.comment.startswith('<!-- kanon-sql "people.yml" -->\n### `people.yml`')


def test_the_action_installs_the_kanon_sql_that_it_is_a_part_of(repository):
    base = repository.commit(POLICY)
    repository.commit(POLICY.replace("k: 4", "k: 5"))
    passed, printed, verdict = repository.act(base, installs=True)
    assert (passed, verdict) == (True, "changed"), printed
    assert "k is 5 instead of 4" in repository.comment


def test_a_hierarchy_is_that_of_each_commit(repository):
    base = repository.commit(POLICY)
    (repository.folder / "towns.csv").write_text("Canaryville,north,*\nLow,south,*\n")
    repository.commit(None)
    passed, printed, verdict = repository.act(base)
    assert (passed, verdict) == (True, "changed"), printed
    assert "`town`" in repository.comment


def test_a_new_policy_has_nothing_to_be_compared_with(repository):
    base = repository.commit(None)
    repository.commit(POLICY, "new one's.yml")
    passed, _, verdict = repository.act(base, policy="new one's.yml")
    assert (passed, verdict) == (True, "new")
    assert "**The policy is new:**" in repository.comment


def test_faults_fail_and_are_located(repository):
    base = repository.commit(POLICY)
    repository.commit(POLICY.replace("role: sensitive", "role: sensible"))
    passed, printed, verdict = repository.act(base)
    assert (passed, verdict) == (False, "faults"), printed
    log = json.loads((repository.temp / "kanon-review" / "lint.sarif").read_text())
    (result,) = log["runs"][0]["results"]
    assert result["level"] == "error"
    (place,) = result["locations"]
    assert place["physicalLocation"]["artifactLocation"] == {"uri": "people.yml"}
    assert place["physicalLocation"]["region"] == {"startLine": 8}
    assert repository.act(base, fail_on="nothing")[0]
    assert not repository.act(base, fail_on="someday")[0]


def test_both_are_planned_on_a_sample(repository):
    base = repository.commit(POLICY.replace("people.csv", "not/here.parquet"))
    repository.commit(POLICY.replace("people.csv", "not/here.parquet").replace("k: 4", "k: 2"))
    passed, printed, verdict = repository.act(base, sample="people.csv")
    assert (passed, verdict) == (False, "weaker"), printed
    assert "k is 2 instead of 4" in repository.comment


@pytest.fixture
def policies(repository, monkeypatch):
    """A folder with a policy that is warned of, one that is faulty, and one that is neither."""
    alone = POLICY.replace(
        "{role: identifying, action: drop}", "{role: insensitive, linkable: accept}"
    )
    texts = {"warned": alone, "faulty": POLICY.replace("k: 4", "k: 0"), "good": POLICY}
    for name, text in texts.items():
        (repository.folder / f"{name}.policy.yml").write_text(text)
    monkeypatch.chdir(repository.folder)
    return repository


def lint(*words):
    return CliRunner().invoke(main, ["lint", *words])


def test_lint_writes_its_faults_and_warnings_for_code_review(policies):
    said = {"good": [], "warned": ["warning"], "faulty": ["error"]}
    for name, levels in said.items():
        done = lint(f"{name}.policy.yml", "--sarif", "lint.sarif")
        assert done.exit_code == (name == "faulty"), done.output
        text = (policies.folder / "lint.sarif").read_text()
        results = json.loads(text)["runs"][0]["results"]
        assert sorted({each["level"] for each in results}) == levels
        lines = (policies.folder / f"{name}.policy.yml").read_text().splitlines()
        for each in results:
            (place,) = each["locations"]
            at = place["physicalLocation"]["region"]["startLine"] - 1
            entry = each["message"]["text"].partition(":")[0].split(".")[0].partition("[")[0]
            assert at == 0 or entry in {"columns", "privacy"}
            assert at == 0 or lines[at].strip()
            if name == "faulty":
                assert "k: 0" in lines[at]
        assert not [each for each in CANARIES if each in text + done.output]


def test_a_file_that_is_no_log_is_kept(policies):
    (policies.folder / "mine.json").write_text("{}")
    assert "not written by kanon-sql" in lint("good.policy.yml", "--sarif", "mine.json").stderr
    assert (policies.folder / "mine.json").read_text() == "{}"


def test_of_several_policies_each_is_checked(policies):
    names = ["faulty.policy.yml", "good.policy.yml", "warned.policy.yml"]
    done = lint(*names)
    assert done.exit_code == 1
    assert "faulty.policy.yml: line 9" in done.stderr
    assert "good.policy.yml: no faults, 0 warnings" in done.stdout
    assert "warned.policy.yml: no faults" in done.stdout
    assert lint(*names[1:]).exit_code == 0
    assert lint(*names[1:], *names[:1]).exit_code == 1
    assert "are for one policy" in lint(*names, "--json").output


@pytest.fixture
def hooked(policies, tmp_path):
    """The policies where pre-commit has the hook of the checkout; its environment is installed once."""
    pre_commit = shutil.which("pre-commit")
    if pre_commit is None:
        pytest.skip("no pre-commit")
    tree = copy_of_checkout(tmp_path / "it's kanon")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", tree)
    policies.git("-C", tree, "init", "-q")
    hook = {"repo": str(tree), "rev": policies.commit(None, at=tree), "hooks": [{"id": "kanon-sql-lint"}]}  # fmt: skip
    asked = yaml.safe_dump({"repos": [hook]})
    (policies.folder / ".pre-commit-config.yaml").write_text(asked, encoding="utf-8")
    policies.git("add", "-A")
    own = {"PRE_COMMIT_HOME": str(policies.temp), "GIT_CONFIG_GLOBAL": os.devnull}

    def tried(name):
        return subprocess.run(
            [pre_commit, "run", "kanon-sql-lint", "--files", name],
            cwd=policies.folder, env=os.environ | WITHOUT_BYTECODE | own,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return tried


def test_the_hook_of_pre_commit_checks_policies(hooked):
    done = hooked("faulty.policy.yml")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "faulty.policy.yml: line 9: privacy[0].k" in done.stdout
    done = hooked("good.policy.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout
    assert "Skipped" in hooked("people.csv").stdout
