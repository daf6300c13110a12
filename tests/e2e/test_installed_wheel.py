"""The wheel in bare environments, as each installer makes them: from the first command to a verified release."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from email.parser import Parser
from pathlib import Path

import pytest
import yaml
from wheels import ROOT, WORKFLOWS, build, copy_of_checkout, python_of, release_commands, run

import kanon_sql
from kanon_sql.errors import _quoted as install_command_quoted
from kanon_sql.errors import install_command

CONSTRAINTS = ROOT / ".ci" / "constraints-oldest.txt"
MOST_MEGABYTES = 60
QUASI = ["sex", "age", "zip", "education"]

pytestmark = pytest.mark.skipif(not CONSTRAINTS.is_file(), reason="not in a checkout")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return copy_of_checkout(tmp_path_factory.mktemp("tree") / "kanon-sql")


@pytest.fixture(scope="module")
def wheel(tree):
    return build(tree, "wheel")


def bare(folder, python, *words):
    """Make an environment that has nothing but pip, and install what `words` say."""
    run(python, "-m", "venv", folder, cwd=folder.parent)
    run(programs(folder) / "python", "-m", "pip", "install", "-q", *words, cwd=folder.parent)
    return programs(folder)


def programs(environment):
    return environment / ("bin" if os.name == "posix" else "Scripts")


@pytest.mark.sampled(4)  # the ends of the range; a release tries its wheel on each Python
@pytest.mark.parametrize(
    ("python", "oldest"),
    [("3.11", True), ("3.11", False), ("3.12", False), ("3.13", False), ("3.14", False)],
)
def test_a_bare_environment_reaches_a_verified_release(python, oldest, wheel, tmp_path):
    found = python_of(python)
    if found is None:
        pytest.skip(f"no Python {python} on this machine")
    own = bare(tmp_path / "venv", found, wheel, *(["-c", CONSTRAINTS] if oldest else []))
    alone = {"PATH": os.defpath, "HOME": str(tmp_path)}
    for words in release_commands():
        told = run(own / "kanon-sql", *words, cwd=tmp_path, **alone)
    assert told.startswith("PASS over sex, age, zip, education: 1,200 rows")
    export = "COPY (FROM 'release.parquet') TO 'release.csv'"
    run(own / "python", "-c", f"import duckdb; duckdb.sql({export!r})", cwd=tmp_path)
    with (tmp_path / "release.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    classes = Counter(tuple(row[name] for name in QUASI) for row in rows)
    assert len(rows) == 1200
    assert min(classes.values()) >= 11
    assert not {"name", "patient_id", "birth"} & rows[0].keys()


def test_the_base_installation_is_small_beside_duckdb(wheel, tmp_path):
    own = bare(tmp_path / "venv", sys.executable, wheel)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(own / "python", "-c", where, cwd=tmp_path).strip())
    not_ours = re.compile(
        r"_?duckdb|adbc_driver_duckdb|pip|setuptools|pkg_resources|_distutils_hack"
    )
    weights = {
        each.name: sum(
            file.stat().st_size for file in (each.rglob("*") if each.is_dir() else [each])
        )
        for each in packages.iterdir()
        if not not_ours.match(each.name)
    }
    heaviest = sorted(weights, key=weights.__getitem__, reverse=True)[:5]
    assert {"kanon_sql", "sqlglot"} <= weights.keys()
    assert sum(weights.values()) <= MOST_MEGABYTES * 10**6, [
        (name, weights[name]) for name in heaviest
    ]


def test_each_extra_installs_what_the_messages_ask_it_for(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    asked = set()
    for file in Path(kanon_sql.__file__).parent.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        asked |= set(re.findall(r"(?:MissingExtraError|install_command)\([\"'](\w+)[\"']\)", text))
        asked |= set(re.findall(r"^EXTRA = \"(\w+)\"", text, re.MULTILINE))
    assert {"sign", "report", "explore", "files"} <= asked
    assert asked <= set(metadata.get_all("Provides-Extra"))


INSTALLERS = {
    "pip": ["{bin}/python -m pip install -q {wheel}"],
    "pip, the environment entered": ["{bin}/python -m pip install -q {wheel}"],
    "a clone": ["{bin}/python -m pip install -q {tree}"],
    "a clone, editable": ["{bin}/python -m pip install -q -e {tree}"],
    "uv pip": ["uv pip install -q --python {bin}/python {wheel}"],
    "pipx": ["pipx install {wheel}"],
    "uv tool": ["uv tool install {wheel}"],
    "pipx run": [],
    "uvx": [],
}
COMMANDS = {
    "pip": "{bin}/kanon-sql",
    "pip, the environment entered": "PATH={bin}:$PATH kanon-sql",
    "a clone": "{bin}/kanon-sql",
    "a clone, editable": "{bin}/kanon-sql",
    "uv pip": "{bin}/kanon-sql",
    "pipx": "{home}/.local/bin/kanon-sql",
    "uv tool": "{home}/.local/bin/kanon-sql",
    "pipx run": "pipx run --spec {wheel} kanon-sql",
    "uvx": "uvx --from {wheel} kanon-sql",
}


@pytest.mark.skipif(os.name != "posix", reason="commands of a POSIX shell")
@pytest.mark.parametrize("way", INSTALLERS)
def test_the_command_of_a_hint_installs_the_extra_where_kanon_sql_is(way, tree, wheel, tmp_path):
    for program in ("uv", "pipx"):
        if program in " ".join([COMMANDS[way], *INSTALLERS[way]]) and not shutil.which(program):
            pytest.skip(f"no {program}")
    home, own = tmp_path / "it's home", programs(tmp_path / "venv")
    home.mkdir()
    names = {"bin": own, "home": f"'{tmp_path}/it'\"'s\"' home'", "wheel": wheel, "tree": tree}
    alone = {
        "HOME": str(home), "XDG_CACHE_HOME": "", "XDG_DATA_HOME": "", "UV_CACHE_DIR": f"{tmp_path}/uv",
        "PIPX_HOME": "", "UV_PYTHON": sys.executable, "PIPX_DEFAULT_PYTHON": sys.executable,
    }  # fmt: skip
    alone = {name: value for name, value in alone.items() if value}
    if "bin" in str(INSTALLERS[way]):
        run(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    for command in INSTALLERS[way]:
        run("sh", "-c", command.format(**names), cwd=tmp_path, **alone)
    kanon = COMMANDS[way].format(**names)
    told = run("sh", "-c", f"{kanon} engines", cwd=tmp_path, **alone)
    (hint,) = re.findall(r"^PostgreSQL: (.*)$", told, re.MULTILINE)
    if "entered" in way:
        assert hint.startswith("pip install ")
        hint = f"PATH={own}:$PATH; {hint}"
    if "run" in way or way == "uvx":  # which installs nothing that stays
        kanon, hint = hint, "true"
    run("sh", "-c", hint, cwd=tmp_path, **alone)
    engines = json.loads(run("sh", "-c", f"{kanon} engines --json", cwd=tmp_path, **alone))
    (postgres,) = (each for each in engines["engines"] if each["name"] == "PostgreSQL")
    assert postgres["installed"].startswith("psycopg ")


def test_a_wheel_that_is_gone_and_an_index_are_named_by_the_package(monkeypatch, tmp_path):
    class Found:
        def __init__(self, **files):
            self.files = files

        def read_text(self, name):
            return self.files.get(name.partition(".")[0])

    def hint(**files):
        monkeypatch.setattr("kanon_sql.errors.metadata.distribution", lambda _: Found(**files))
        return install_command("sign").rpartition(" install ")[2]

    gone = json.dumps({"url": (tmp_path / "a.whl").as_uri(), "archive_info": {}})
    assert hint(direct_url=gone) == "'kanon-sql[sign]'"
    assert hint() == "'kanon-sql[sign]'"
    vcs = json.dumps({"url": "https://a.example/b.git", "vcs_info": {"vcs": "git"}})
    assert hint(direct_url=vcs) == "'kanon-sql[sign] @ git+https://a.example/b.git'"


@pytest.mark.parametrize(("system", "quoted"), [("posix", "'a'\"'\"'b c'"), ("nt", '"a\'b c"')])
def test_a_hint_is_quoted_for_the_system_s_shell(system, quoted, monkeypatch):
    monkeypatch.setattr("kanon_sql.errors.os.name", system)
    assert install_command_quoted("a'b c") == quoted


NEXT = "12.34.56"


@pytest.fixture
def unreleased_tree(tree, tmp_path):
    return unreleased(tree, tmp_path / "checkout")


def unreleased(tree, copy):
    """Copy a checkout with changes that no version has, and the scripts of a release."""
    shutil.copytree(tree, copy)
    shutil.rmtree(copy / "dist", ignore_errors=True)
    shutil.copytree(ROOT / ".ci", copy / ".ci")
    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    if "## Unreleased\n" not in text:
        text = text.replace("## ", "## Unreleased\n\n- One change.\n\n## ", 1)
    (copy / "CHANGELOG.md").write_text(text, encoding="utf-8")
    return copy


@pytest.fixture
def released_tree(unreleased_tree):
    """A checkout whose changes have a version."""
    done = script(unreleased_tree, "version", NEXT)
    assert (done.returncode, done.stderr) == (0, "")
    return unreleased_tree


def script(folder, name, *words):
    return subprocess.run(
        ["bash", f".ci/{name}", *words], cwd=folder, env=os.environ | {"PYTHON": sys.executable}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def distributions(folder, tag):
    return script(folder, "distributions", "https://git.example/clinic/kanon-sql", tag)


@pytest.fixture(scope="module")
def distributed(tree, tmp_path_factory):
    """A checkout in which the files of a release were built."""
    pytest.importorskip("twine", reason="no twine: it reads the description as an index does")
    pytest.importorskip("cyclonedx_py", reason="no cyclonedx-bom: it lists what the wheel brings")
    checkout = unreleased(tree, tmp_path_factory.mktemp("release") / "checkout")
    script(checkout, "version", NEXT)
    done = distributions(checkout, f"v{NEXT}")
    assert done.returncode == 0, done.stdout + done.stderr
    return checkout


def test_a_bill_of_materials_lists_what_the_wheel_brings_and_nothing_else(distributed):
    (file,) = (distributed / "sbom").iterdir()
    text = file.read_text(encoding="utf-8")
    found = json.loads(text)
    assert (found["bomFormat"], file.name) == ("CycloneDX", f"kanon-sql-{NEXT}.cdx.json")
    assert found["metadata"]["component"]["version"] == NEXT
    locked = (distributed / ".ci" / "constraints.txt").read_text(encoding="utf-8").split()
    listed = {
        each["purl"].removeprefix("pkg:pypi/").replace("@", "==") for each in found["components"]
    }
    assert listed <= set(locked)
    stated = tomllib.loads((distributed / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.match("[a-z0-9-]+", each)[0] for each in stated["dependencies"]}
    through = {"markdown-it-py", "markupsafe", "mdurl", "pygments"}
    assert {each.partition("==")[0] for each in listed} == needed | through
    assert str(distributed.parent) not in text


def test_a_release_builds_files_whose_description_stands_alone(distributed):
    wheel, sdist = sorted((distributed / "dist").iterdir())[::-1]
    if wheel.suffix != ".whl":
        wheel, sdist = sdist, wheel
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    links = re.findall(r"\]\(([^)]+)\)", metadata.get_payload())
    assert len(links) > 8
    assert all(re.match("https://|#", each) for each in links)
    assert any(f"/blob/v{NEXT}/docs/" in each for each in links)
    assert (metadata["Name"], metadata["Version"]) == ("kanon-sql", NEXT)
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert any(
        each.startswith("Source, https://git.example/") for each in metadata.get_all("Project-URL")
    )
    with tarfile.open(sdist) as archive:
        assert any(each.endswith("/pyproject.toml") for each in archive.getnames())


def test_one_command_gives_the_unreleased_changes_a_version_everywhere(unreleased_tree):
    before = (unreleased_tree / "CHANGELOG.md").read_text(encoding="utf-8")
    done = script(unreleased_tree, "version", NEXT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"commit them, and tag that commit v{NEXT}\n")
    after = (unreleased_tree / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (
        re.sub(
            rf"^## {NEXT} - \d{{4}}-\d\d-\d\d$", "## Unreleased", after, count=1, flags=re.MULTILINE
        )
        == before
    )
    old = kanon_sql.__version__
    for name in (
        "pyproject.toml", "templates/dbt/dbt_project.yml", ".ci/packaging/recipe.yaml", "docs/guides/install.md",
        "docs/guides/dbt.md",
    ):  # fmt: skip
        text = (unreleased_tree / name).read_text(encoding="utf-8")
        assert NEXT in text, name
        assert not re.search(rf"(?<![\d.]){re.escape(old)}(?![\d.])", text), name


@pytest.mark.parametrize("words", [(), ("v1.0.0",), ("1.0",), (kanon_sql.__version__,)])
def test_what_is_no_new_version_changes_nothing(words, unreleased_tree):
    before = (unreleased_tree / "CHANGELOG.md").read_bytes()
    done = script(unreleased_tree, "version", *words)
    assert done.returncode == 1
    assert re.search("is no version|has a section", done.stderr)
    assert (unreleased_tree / "CHANGELOG.md").read_bytes() == before


@pytest.mark.parametrize("tag", ["v9.9.9", "main"])
def test_a_tag_that_is_not_the_version_builds_nothing(tag, released_tree):
    done = distributions(released_tree, tag)
    assert done.returncode == 1
    assert done.stderr.startswith(f"tag {tag} is not v{NEXT}")
    assert ".ci/version" in done.stderr
    assert not (released_tree / "dist").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [("# Changelog\n", "has no section"), (f"## Unreleased\n\n## {NEXT} - 2026-12-01\n", "under '## Unreleased'")],
)  # fmt: skip
def test_changes_without_a_version_build_nothing_and_name_the_command(text, told, released_tree):
    (released_tree / "CHANGELOG.md").write_text(text, encoding="utf-8")
    done = distributions(released_tree, f"v{NEXT}")
    assert done.returncode == 1
    assert told in done.stderr
    assert f"run .ci/version {NEXT}, commit, and tag that commit" in done.stderr


def test_only_the_job_that_publishes_gets_a_token_and_it_waits_for_the_others():
    release = yaml.safe_load((WORKFLOWS / "release.yml").read_text(encoding="utf-8"))
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads the key "on" as true
    assert release["permissions"] == {}
    rights = {name: job["permissions"] for name, job in release["jobs"].items()}
    assert rights.pop("publish") == {"id-token": "write"}
    assert all(each == {"contents": "read"} for each in rights.values())
    publish = release["jobs"]["publish"]
    assert (publish["needs"], publish["environment"]) == (["build", "first-release"], "pypi")
    assert "secrets" not in str(release)


def test_the_workflows_have_no_known_weakness():
    zizmor = shutil.which("zizmor")
    if zizmor is None:
        pytest.skip("no zizmor")
    run(zizmor, "--offline", "--config", ROOT / ".github/zizmor.yml", WORKFLOWS, cwd=ROOT)
