"""Chromium, a lab of people, and the report of a release."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def browser():
    """A Chromium without windows. Of a module, as an event loop runs in this thread until it is closed."""
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright: pip install playwright"
    )
    pytest.importorskip("axe_playwright_python", reason="no axe-core: axe-playwright-python")
    from opened import chromium

    found = chromium()
    if found is None:
        pytest.skip("no Chromium or Chrome on the PATH: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def shots(tmp_path_factory):
    """The folder of the screenshots of a module, for people to look at."""
    return tmp_path_factory.mktemp("shots")


@pytest.fixture(scope="session")
def patients(tmp_path_factory):
    """A folder with the sample of patients, its plan, release, report and certificate."""
    from people_pages import patients_in

    return patients_in(tmp_path_factory.mktemp("patients"))
