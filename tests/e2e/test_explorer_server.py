"""The explorer answers its own page alone: a token once, then a cookie; no other host, origin or page gets anything."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from threading import Event

import httpx
import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import main
from kanon_sql.apps.explorer.exploration import SavedFiles, open_exploration
from kanon_sql.apps.explorer.guarded_app import ExplorerPages, OneTimeToken, explorer_app
from kanon_sql.errors import Fault, SourceError, install_command

PORT = 8765
HOME = f"http://127.0.0.1:{PORT}"
POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 2}}
  ill: {role: sensitive}
privacy: {k: 2}
release: out.parquet
"""
WAYS = [("GET", "/"), ("GET", "/assets/explorer.js"), ("GET", "/charts/0/sizes"), ("GET", "/api/progress"), ("POST", "/api/start"), ("POST", "/api/figures"), ("POST", "/api/save"), ("POST", "/api/stop"), ("GET", "/nothing")]  # fmt: skip


class Client:
    """A browser at the explorer's address, without a socket between them; it keeps cookies."""

    def __init__(self, app):
        self.app = app
        self.cookies = httpx.Cookies()

    def request(self, method, path, *, follow_redirects=True, **sent):
        async def ask():
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(self.app),
                base_url=HOME,
                cookies=self.cookies,
                follow_redirects=follow_redirects,
            ) as client:
                answer = await client.request(method, path, **sent)
                self.cookies = client.cookies
                return answer

        return asyncio.run(ask())

    def get(self, path, **sent):
        return self.request("GET", path, **sent)

    def post(self, path, **sent):
        return self.request("POST", path, **sent)


@pytest.fixture
def folder(tmp_path):
    rows = [f"{n % 3}{n % 2},ill-{n % 4}\n" for n in range(24)]
    (tmp_path / "people.csv").write_text("zip,ill\n" + "".join(rows))
    (tmp_path / "policy.yml").write_text(POLICY)
    return tmp_path


@contextmanager
def served(folder):
    """An explorer without a server: its client, as a browser at its address, and its token."""
    files = SavedFiles(folder / "saved.yml", folder / "saved.plan.yml", lambda path, text: path.write_text(text), str(folder / "saved"))  # fmt: skip
    pages = ExplorerPages(
        lambda: open_exploration(str(folder / "policy.yml"), None, files=files, settings=None)
    )
    pages.open()
    token = OneTimeToken(PORT)
    yield Client(explorer_app(pages, token, PORT)), token
    pages.close()


@pytest.fixture
def explorer(folder):
    with served(folder) as found:
        yield found


@pytest.fixture
def page(explorer):
    """A client that has exchanged the token."""
    client, token = explorer
    answer = client.get(f"/?token={token.token}")
    assert answer.status_code == 200
    assert answer.url == f"{HOME}/"
    return client


def post(client, path, sent=None, **headers):
    return client.post(path, json=sent, headers={"Origin": HOME, **headers})


def test_nothing_is_answered_without_the_cookie(explorer):
    client, _ = explorer
    for method, path in WAYS:
        answer = client.request(method, path, headers={"Origin": HOME})
        assert answer.status_code == 403
        assert "people" not in answer.text
        assert "script" not in answer.text
    for guess in ("", "x", "é", "x" * 10_000):
        assert client.get("/", params={"token": guess}).status_code == 403
    client.cookies.set(f"kanon_explorer_{PORT}", "guess")
    assert client.get("/").status_code == 403


def test_the_token_is_exchanged_once_for_a_cookie_that_scripts_and_other_sites_do_not_have(
    explorer,
):
    client, token = explorer
    address = f"/?token={token.token}"
    answer = client.get(address, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert token.cookie not in address
    assert client.get("/").status_code == 200
    assert client.get(address, follow_redirects=False).status_code == 403
    client.cookies.clear()
    assert client.get(address).status_code == 403


def test_another_host_gets_nothing_although_its_name_leads_here(page):
    for host in ("evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", f"0.0.0.0:{PORT}", f"127.0.0.1:{PORT}.evil.example", ""):  # fmt: skip
        for method, path in WAYS:
            answer = page.request(method, path, headers={"Host": host, "Origin": f"http://{host}"})
            assert answer.status_code == 403, (host, path)


def test_another_origin_gets_nothing(page):
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT + 1}", f"http://localhost:{PORT}"):  # fmt: skip
        for method, path in WAYS:
            assert page.request(method, path, headers={"Origin": origin}).status_code == 403
    for site in ("cross-site", "same-site"):
        assert page.get("/", headers={"Sec-Fetch-Site": site}).status_code == 403
    assert page.post("/api/figures", json={}).status_code == 403  # of no origin
    for path in ("/", "/api/figures"):
        answer = page.request("OPTIONS", path, headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})  # fmt: skip
        assert answer.status_code == 403
        assert not any(name.startswith("access-control") for name in answer.headers)


def test_every_answer_has_the_headers_that_keep_others_out(explorer):
    client, token = explorer
    answers = [client.get("/"), client.get(f"/?token={token.token}", follow_redirects=False)]
    answers += [client.request(m, path, headers={"Origin": HOME}) for m, path in WAYS]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_page_and_its_assets_name_nothing_elsewhere(page):
    for path in ("/", "/assets/explorer.css", "/assets/explorer.js", "/assets/chart.css", "/assets/chart.js"):  # fmt: skip
        answer = page.get(path)
        assert answer.status_code == 200
        assert not re.search(r"(src|href|url|import|@import)\W{0,3}(https?:)?//", answer.text)
        assert "innerHTML" not in answer.text
        assert "eval(" not in answer.text
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=", page.get("/").text)
    for path in ("/assets/..%2f..%2fsql", "/assets/explorer.html", "/assets/", "/../pyproject.toml"):  # fmt: skip
        assert page.get(path).status_code == 404


def test_the_page_is_answered_and_saves(page, folder):
    start = post(page, "/api/start").json()
    assert start["policy"] == "policy.yml"
    answer = post(page, "/api/figures", {"state": start["state"]}).json()
    assert answer["figures"]["feasible"]
    assert answer["of_nodes"]
    assert answer["figures"]["rows"] == 24
    for path in answer["charts"].values():
        chart = page.get(path).json()
        assert chart["svg"].startswith("<svg")
        assert chart["rows"]
    assert post(page, "/api/levels", {"state": start["state"], "column": 0}).json()["levels"]
    changed = {**start["state"], "entries": {"privacy-k": "9"}}
    found = post(page, "/api/best", {"state": changed}).json()
    assert found["figures"]["smallest"] >= 9
    saved = post(page, "/api/save", {"state": found["state"], "plan": True}).json()
    assert saved["plan"] == str(folder / "saved.plan.yml")
    assert "{k: 9}" in (folder / "saved.yml").read_text()


def test_what_is_no_state_is_answered_with_its_faults(page, folder):
    state = post(page, "/api/start").json()["state"]
    for sent in (None, [], "x", {"state": 5}, {"state": {**state, "levels": ["a"]}}):
        assert "error" in post(page, "/api/figures", sent).json()
    refused = post(page, "/api/figures", {"state": {**state, "entries": {"privacy-k": "-1"}}})
    assert [each["key"] for each in refused.json()["faults"]] == ["privacy-k"]
    assert page.post("/api/figures", content=b"{", headers={"Origin": HOME}).status_code == 400
    long = json.dumps({"state": "x" * 1_100_000})
    assert page.post("/api/figures", content=long, headers={"Origin": HOME}).status_code == 413
    assert not (folder / "saved.yml").exists()


def test_levels_and_names_that_no_page_sends_are_answered_too(page):
    state = post(page, "/api/start").json()["state"]
    for level in (-(10**30), -1, 99, 2**63):
        for path in ("/api/figures", "/api/levels", "/api/best", "/api/save"):
            sent = {"state": {**state, "levels": [level]}, "column": 0}
            assert "error" not in post(page, path, sent).json(), (path, level)
    content = json.dumps({"state": {**state, "entries": {"\ud800": "2"}}})
    answer = page.post("/api/figures", content=content, headers={"Origin": HOME})
    assert "no entry" in answer.json()["error"]


def test_the_command_serves_this_machine_alone_until_it_is_interrupted(folder):
    """Neither the token nor the cookie is in what it prints, but for the address."""
    command = [sys.executable, "-m", "kanon_sql", "explore", "policy.yml", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ) as run:  # fmt: skip
        first = run.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=[\w-]{40,}", first)
        with socket.create_connection(("127.0.0.1", int(address[1]))) as asked:
            asked.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert asked.recv(20).startswith(b"HTTP/1.1 403")
        run.send_signal(signal.SIGINT)
        rest = run.stdout.read()
    assert run.returncode == 0
    assert rest.splitlines()[-1] == "the explorer has ended"
    assert address[0] not in rest
    assert "leaked" not in rest


SLOW = """
import sys, time
from pathlib import Path
from kanon_sql.apps.cli.command_line import main
from kanon_sql.errors import Fault, SourceError
from kanon_sql.apps.explorer.exploration import Exploration

start = Exploration.start

def counted_late(self):
    self.run.engine.journal.on_step("encode")
    while not Path("go").exists():
        time.sleep(0.01)
    return start(self)

Exploration.start = counted_late
sys.argv = ["kanon-sql", "explore", "policy.yml", "--no-browser"]
main()
"""


def test_the_page_is_served_before_the_source_is_counted_and_says_what_goes_on(folder):
    """The counting does not end before this test lets it: no answer here waits for it."""
    command = [sys.executable, "-c", SLOW]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ) as run:  # fmt: skip
        try:
            first = run.stdout.readline()
            address = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=\S+", first)
            with httpx.Client(follow_redirects=True, timeout=60) as client:
                assert "<main" in client.get(address[0]).text
                answer = client.get(f"{address[1]}/api/progress")
                assert answer.status_code == 200, answer.text
                step = answer.json()
                assert step == {"step": "encoding the frequency set", "done": ""}
                (folder / "go").touch()
                start = client.post(f"{address[1]}/api/start", json={}, headers={"Origin": address[1]})  # fmt: skip
                assert start.json()["policy"] == "policy.yml"
        finally:
            (folder / "go").touch()
            run.send_signal(signal.SIGINT)
            run.stdout.read()
    assert run.returncode == 0


def test_a_source_that_fails_after_the_page_is_served_is_an_answer_and_the_exit(folder):
    go = Event()

    class Late:
        def __init__(self):
            self.real = open_exploration(str(folder / "policy.yml"), None, files=SavedFiles(folder / "s.yml", folder / "s.plan.yml", None, ""), settings=None)  # fmt: skip
            self.adjustable, self.run, self.close = self.real.adjustable, self.real.run, self.real.close  # fmt: skip

        def start(self):
            go.wait(60)
            raise SourceError("source", [Fault("", "cannot be read")])

    pages = ExplorerPages(Late)
    pages.open(patience=0)
    token = OneTimeToken(PORT)
    client = Client(explorer_app(pages, token, PORT))
    client.get(f"/?token={token.token}")
    pages.check_opened()
    go.set()
    answer = post(client, "/api/start").json()
    assert "cannot be read" in answer["error"]
    with pytest.raises(SourceError):
        pages.check_opened()
    pages.close()


def test_the_command_writes_over_nothing_and_elsewhere_nothing(folder):
    run = CliRunner().invoke
    policy = str(folder / "policy.yml")
    (folder / "policy.explored.yml").write_text("mine")
    refused = run(main, ["explore", policy])
    assert refused.exit_code == 1
    assert "--replace" in refused.output
    refused = run(main, ["explore", policy, "-o", str(folder.parent / "other.yml")])
    assert "folder" in refused.output
    assert run(main, ["explore", str(folder / "no.yml"), "--no-browser"]).exit_code == 1
    assert (folder / "policy.explored.yml").read_text() == "mine"


def test_without_the_server_s_libraries_the_command_says_what_to_install(folder, monkeypatch):
    monkeypatch.setattr("kanon_sql.apps.explorer.serve.find_spec", lambda _: None)
    told = CliRunner().invoke(main, ["explore", str(folder / "policy.yml"), "--no-browser"])
    assert told.exit_code == 1
    assert install_command("explore") in told.output
