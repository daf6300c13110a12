"""A page that asks for another state waits for no answer to its last one; its saves and other pages are not touched."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from threading import Event, Thread

import pytest

pytest.importorskip("starlette")
sys.path.insert(0, str(Path(__file__).parent))

from test_explorer_server import HOME, PORT, Client

from kanon_sql.apps.explorer.exploration import SavedFiles, open_exploration
from kanon_sql.apps.explorer.guarded_app import (
    ExplorerPages,
    OneTimeToken,
    explorer_app,
)

POLICY = """\
version: 1
source: people.csv
entity: row
columns:
  zip: {role: quasi, hierarchy: {mask: 2}}
  age: {role: quasi, hierarchy: {intervals: [10, 20, 40]}, order: number}
  ill: {role: sensitive}
privacy: {k: 2}
search: {algorithm: mondrian, choose: width}
release: out.parquet
"""


@pytest.fixture
def asked(tmp_path):
    """A function that posts a request of the explorer's page, and the pages that answer."""
    rows = [f"{n % 3}{n % 2},{n * 7 % 41},ill-{n % 4}\n" for n in range(240)]
    (tmp_path / "people.csv").write_text("zip,age,ill\n" + "".join(rows))
    (tmp_path / "policy.yml").write_text(POLICY)
    files = SavedFiles(
        tmp_path / "s.yml",
        tmp_path / "s.plan.yml",
        lambda path, text: path.write_text(text),
        str(tmp_path / "s"),
    )
    pages = ExplorerPages(
        lambda: open_exploration(str(tmp_path / "policy.yml"), None, files=files, settings=None)
    )
    pages.open(patience=60)
    token = OneTimeToken(PORT)
    app = explorer_app(pages, token, PORT)
    client = Client(app)
    client.get(f"/?token={token.token}")
    (k,) = (key for key, each in pages.exploration.adjustable.entries.items() if each.name == "k")

    def ask(path, bound, by=None, **more):
        own = Client(app)  # a thread each: clients share nothing but the cookie
        own.cookies = client.cookies
        state = {"entries": {k: str(bound)}, "levels": [0, 0], "held": []}
        sent = {"state": state, **more}
        if by is not None:
            sent["asked"] = {"page": by[0], "state": by[1]}
        return own.post(f"/api/{path}", json=sent, headers={"Origin": HOME}).json()

    yield ask, pages
    pages.close()


def overtaken(pages, first, second):
    """The answers to two requests, of which the second comes while statements of the first are run."""
    journal, answers = pages.exploration.run.engine.journal, {}
    own, begun = journal.on_statement, Event()

    def wait():
        begun.set()
        until = time.monotonic() + 30
        while not second_came() and time.monotonic() < until:
            time.sleep(0.005)
        own()

    def second_came():
        return pages._newest is not None and pages._newest.state == 2

    def run(name, ask):
        answers[name] = ask()

    journal.on_statement = wait
    one = Thread(target=run, args=("first", first))
    two = Thread(target=run, args=("second", second))
    one.start()
    assert begun.wait(30)
    two.start()
    one.join(60)
    two.join(60)
    journal.on_statement = own
    return answers["first"], answers["second"]


def test_the_last_state_alone_is_answered(asked):
    ask, pages = asked
    old, new = overtaken(
        pages, lambda: ask("figures", 3, ("a", 1)), lambda: ask("figures", 4, ("a", 2))
    )
    assert old == {"stale": True}
    assert new["figures"]["k"] == 4
    assert new["figures"]["smallest"] >= 4
    # What was not finished is computed when it is asked for again, as if nothing had been begun.
    again = ask("figures", 3, ("a", 3))["figures"]
    assert (again["k"], again["rows"]) == (3, 240)
    assert again["smallest"] >= 3


def test_what_a_page_learns_of_its_last_state_ends_too(asked):
    ask, pages = asked
    ask("figures", 3, ("a", 1))
    old, new = overtaken(
        pages, lambda: ask("counts", 3, ("a", 1)), lambda: ask("figures", 4, ("a", 2))
    )
    assert old == {"stale": True}
    assert new["figures"]["k"] == 4


def test_a_save_and_another_page_get_their_answers(asked):
    ask, pages = asked
    saved, new = overtaken(
        pages, lambda: ask("save", 3, plan=True), lambda: ask("figures", 4, ("a", 2))
    )
    assert "plan" in saved
    assert new["figures"]["k"] == 4
    other, new = overtaken(
        pages, lambda: ask("figures", 5, ("b", 1)), lambda: ask("figures", 6, ("a", 2))
    )
    assert other["figures"]["k"] == 5
    assert new["figures"]["k"] == 6
