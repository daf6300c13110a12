"""What tests of certificates do to the release of a lab, and to the certificate itself."""

from __future__ import annotations

import base64
import glob
import hashlib
import html.parser
import json
import re

import duckdb

from kanon_sql.evidence.certificate.certified_parts import certified_parts, script_of, with_files

CERTIFICATE = "release.certificate/certificate.json"
FILES = {"certificate.json", "verify.sql", "report.html"}


def released(lab, columns=None, **changes):
    lab.policy(columns, **changes)
    lab.done("plan", "policy.yml")
    lab.done("apply", "policy.plan.yml")


def sql(lab, text):
    with duckdb.connect() as connection:
        connection.execute("SET file_search_path = ?", [str(lab.folder)])
        connection.execute("CREATE TABLE t AS FROM 'release.parquet'")
        connection.execute(text)
        path = str(lab.folder / "release.parquet").replace("'", "''")
        connection.execute(f"COPY t TO '{path}'")


def rows_of(lab, columns):
    """The released rows, cut to some columns."""
    path = glob.escape(str(lab.folder / "release.parquet"))
    chosen = map(duckdb.ColumnExpression, columns)
    return duckdb.read_parquet(path).select(*chosen).fetchall()


def told(lab):
    return json.loads((lab.folder / CERTIFICATE).read_text(encoding="utf-8"))


def failed(lab, *more):
    """Hold the certificate against its release, which must fail; give what was said."""
    before = lab.files()
    result = lab.run("verify", CERTIFICATE, *more)
    assert result.exit_code == 4, result.output
    assert lab.files() == before
    for canary in ("anary", "7391"):
        assert canary not in result.output
    return result.stdout


def edits(change):
    """An edit of the JSON by someone who does not know how it is made."""

    def edit(lab):
        found = told(lab)
        change(found)
        text = json.dumps(found, ensure_ascii=False, indent=2) + "\n"
        lab.write(CERTIFICATE, text)

    return edit


def remade(certificate):
    """The files of a certificate by someone who knows how they are made; its page has the certified parts alone."""
    parts = certified_parts(certificate, script_of(certificate))
    return with_files(certificate, "\n".join(parts.values()))


class Page(html.parser.HTMLParser):
    """What a page asks for, and its elements."""

    def __init__(self):
        super().__init__()
        self.open, self.asked, self.tags = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.asked += [
            value
            for name, value in attributes
            if name in {"src", "href", "srcset", "action"} and not value.startswith("#")
        ]
        if tag not in {"meta", "rect", "line"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def page(lab):
    text = (lab.folder / "release.certificate/report.html").read_text(encoding="utf-8")
    parsed = Page()
    parsed.feed(text)
    assert parsed.open == []
    return text, parsed


def only_our_script(text, parsed):
    """A page has one script, which its policy names by its hash, and no attribute that runs one."""
    (own,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    (policy,) = (a["content"] for _, a in parsed.tags if a.get("http-equiv"))
    assert f"script-src 'sha256-{digest}'" in policy
    assert "alert" not in own
    assert [tag for tag, _ in parsed.tags].count("script") == 1
    assert not [name for _, a in parsed.tags for name in a if name.startswith("on")]
