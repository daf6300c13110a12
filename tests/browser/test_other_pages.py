"""The certificate's page, that of a schema, the lattice as a file of its own, and what a notebook shows, in Chromium."""

from __future__ import annotations

import re

import duckdb
import pytest
import yaml
from hospitals import KEY, KEY_ENV, build, policy, rows_of_hospital
from opened import opened
from people_pages import done, explained_in, shown_in

WIDE = {"viewport": {"width": 1280, "height": 900}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_certificates_page(browser, patients, scheme, tmp_path):
    with opened(browser, patients / "people_k5.certificate" / "report.html", **WIDE) as made:
        made.page.emulate_media(color_scheme=scheme)
        made.is_accessible()
        headings = made.page.locator("main h2").all_inner_texts()
        assert "Claims of the certificate" in headings
        titles, _ = made.printed(tmp_path / "certificate.pdf")
        assert [each for each in headings if each not in titles] == []
        made.page.set_viewport_size({"width": 360, "height": 800})
        assert made.overflow() <= 0
        made.is_clean()


def test_the_page_of_a_schema_is_read_on_a_telephone(browser, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_ENV, KEY)
    with duckdb.connect(str(tmp_path / "hospital.duckdb")) as connection:
        build(connection.execute, rows_of_hospital(120))
    stated = yaml.safe_dump(policy(database="hospital.duckdb"), sort_keys=False)
    (tmp_path / "schema.yml").write_text(stated, encoding="utf-8")
    done(tmp_path, "plan", "schema.yml")
    done(tmp_path, "report", "schema.plan.yml", "-o", "page.html")
    view = {"width": 360, "height": 800}
    with opened(browser, tmp_path / "page.html", viewport=view) as made:
        assert (
            made.page.locator("main table").count() == 8
        )  # what is found, tables, their columns, keys
        titles, _ = made.printed(tmp_path / "page.pdf")
        assert {"Columns of visits", "Warnings", "Limits"} <= {*titles}
        assert made.overflow() <= 0
        made.is_accessible()
        made.is_clean()


def test_a_lattice_tells_the_figures_of_its_nodes(browser, patients):
    """The file has no script, so that a browser shows what it would in a page: titles and focus."""
    with opened(browser, explained_in(patients), **WIDE) as made:
        nodes = made.page.locator("svg [aria-label], svg g > title")
        assert nodes.count() > 50
        assert made.page.locator("script").count() == 0
        assert len(re.findall("chosen", made.page.content())) >= 1
        made.is_clean()


def test_a_notebook_shows_tables_and_charts(browser, patients):
    with opened(browser, shown_in(patients), **WIDE) as made:
        assert made.page.locator("table").count() >= 3
        assert made.page.locator("script").count() == 0
        made.is_clean()
        made.is_accessible()
