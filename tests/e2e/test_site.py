"""The documentation builds as a site, without a warning."""

from __future__ import annotations

import subprocess
import sys

import pages
import pytest
import yaml

CONFIGURATION = pages.ROOT / "mkdocs.yml"


@pytest.fixture(scope="module")
def configuration():
    if not CONFIGURATION.is_file():
        pytest.skip("no mkdocs.yml beside the tests")
    return yaml.safe_load(CONFIGURATION.read_text(encoding="utf-8"))


def listed(entry):
    """The pages of the navigation."""
    match entry:
        case str():
            return [entry]
        case list():
            return [page for each in entry for page in listed(each)]
        case dict():
            return [page for each in entry.values() for page in listed(each)]
        case _:
            raise AssertionError(f"{entry!r} is no entry of a navigation")


def test_every_page_is_in_the_navigation_once(configuration):
    there = [name.removeprefix("docs/") for name in pages.names() if name.startswith("docs/")]
    assert sorted(listed(configuration["nav"])) == sorted(there)


@pytest.mark.slow
def test_the_site_builds_without_a_warning(configuration, tmp_path):
    pytest.importorskip("material", reason="the extra docs is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=pages.ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for page in listed(configuration["nav"]):
        name = "index.html" if page.endswith("index.md") else "*/index.html"
        built = tmp_path / "site" / page.removesuffix(".md").removesuffix("index")
        assert list(built.parent.glob(name)) or (built / "index.html").is_file()
