"""The statements of a series over a table of hostile names, in the order of a first and a second release."""

from __future__ import annotations

from pathlib import Path

from kanon_sql.base.sql.quoting import column, literal, name, table
from kanon_sql.base.sql.templates import Statement
from kanon_sql.engines.commands_sql import key_variables
from kanon_sql.policy.privacy.demands import requirements
from kanon_sql.policy.privacy.k_anonymity import KAnonymity
from kanon_sql.policy.privacy.l_diversity import DistinctDiversity
from kanon_sql.release.series.ledger import HASHES
from kanon_sql.release.series.moves import CELL, recount_of_cells, unfit

INNER = literal(key_variables("its; key")[0])
NAMES = {
    what: table(f"{what}; --") for what in (
        "live", "fresh", "born", "alive", "changed", "gone", "unfit", "due", "tried", "after", "leaving", "contents", "next",
        "ledger", "releases", "scratch ledger", "scratch releases", "first live", "fresh again", "born again", "held",
    )
}  # fmt: skip
"""The tables that the statements create, by what they are."""


def texts(*names):
    return [{"column": column(each, of="r"), "nested": False} for each in names]


SQL = Path(__file__).parents[1] / "templates" / "sql"
TEMPLATES = {
    path.name.removesuffix(".sql.j2"): str(path.relative_to(SQL)).removesuffix(".sql.j2")
    for path in (SQL / "series").rglob("*.sql.j2")
}


def made(text, **leaves):
    return text, Statement(TEMPLATES[text.split("-")[0]], leaves)


def statements(source, row, person, quasi, sensitive):
    """Yield the name of each case with its statement; `quasi` are two columns of the source."""
    of, columns = NAMES, [*quasi, sensitive]
    needed = requirements((KAnonymity(2), DistinctDiversity(sensitive, 2)))
    key = {"inner": INNER}
    named = [name(each) for each in columns]
    hashed = [name(sensitive)]

    ledger, releases = of["ledger"], of["releases"]
    told = {"recoded": source, "columns": named, "person": name(person), **key}
    told |= {"row": column(row, of="r"), "alike": False}
    yield made("row_hashes", live=of["live"], texts=[], **told)
    told["person"] = None
    yield made("row_hashes-new", live=of["first live"], texts=texts(row, *columns), **told)
    told |= {"row": None, "alike": True}
    yield made("row_hashes-alike", live=table("alike; --"), texts=texts(row, *columns), **told)
    yield made("count_row_keys", live=of["live"], changed=None, ledger=None)
    own = [*map(name, HASHES)]
    yield made("create_ledger", ledger=ledger, hashes=[*own, *hashed])
    yield made("create_releases", releases=releases)
    described = {"columns": texts(*columns), "quasi": texts(*quasi), "names": named, **key}
    both = {"person": column(person, of="r"), "sensitive": [{"of": column(sensitive, of="r")}]}
    one = literal(1)
    yield made(
        "fresh_rows",
        fresh=of["fresh"],
        live=of["live"],
        changed=None,
        ledger=None,
        number=one,
        **described,
        **both,
    )
    group = ["class_hash"]
    yield "unfit_cells", unfit(of["fresh"], needed, of["held"], group, group, entity="person_hash")
    yield made("born_rows", born=of["born"], fresh=of["fresh"], unfit=of["held"])
    born = {"fresh": of["fresh"], "unfit": of["held"], "number": one, "sensitive": hashed}
    born["person"] = True
    yield made("add_fresh", ledger=ledger, **born)
    entry = {
        "ledger": ledger, "number": one, "released_at": literal("2026-01-01"), "recoding": literal("it's"),
        "key_check": literal("a;b"), "key_types": literal("c'd"), "least_people": literal(2), "source_rows": literal(9), "outside": literal(0),
    }  # fmt: skip
    yield made("add_release", releases=releases, **entry)
    first = {"ledger": None, "gone": None, "leaving": None, **born, "person": False}
    yield made("next_ledger", next=of["scratch ledger"], **first)
    yield made("next_releases", next=of["scratch releases"], releases=None, **entry)
    yield made("next_releases-later", next=table("two; --"), releases=releases, **entry)
    yield made("last_release", releases=releases)
    yield made("released_before", releases=releases, moment=literal("2026-01-02"))
    yield from of_the_second(columns, hashed, described, needed)


def of_the_second(columns, hashed, described, needed):
    """Yield the statements that decide, stage and write the second release."""
    of, ledger, k_alone = NAMES, NAMES["ledger"], requirements((KAnonymity(2),))
    named, key, two = [name(each) for each in columns], {"inner": INNER}, literal(2)
    yield made("changed_rows", changed=of["changed"], live=of["first live"], ledger=ledger)
    both = {"changed": of["changed"], "ledger": ledger}
    yield made("count_row_keys-later", live=of["first live"], **both)
    yield made("gone_rows", gone=of["gone"], changed=of["changed"], number=two)
    again = {"fresh": of["fresh again"], "live": of["first live"], "changed": of["changed"]}
    again |= {"ledger": ledger, "number": two, "person": None, "sensitive": []}
    yield made("fresh_rows-later", **again, **described)
    told = {"ledger": ledger, "gone": of["gone"], "person": True, "sensitive": hashed}
    yield made("alive_rows", alive=of["alive"], **told)
    yield made("count_gone", gone=of["gone"])
    parts = [*CELL, "leaving"]
    yield "unfit_cells-parts", unfit(of["alive"], k_alone, of["unfit"], CELL, parts, entity=None)
    kept = ["row_hash", "class_hash", "birth_release"]
    yield made(
        "due_rows", due=of["due"], alive=of["alive"], unfit=of["unfit"], columns=[name(each) for each in kept],
        missing_since=literal(2), number=literal(2),
    )  # fmt: skip
    yield made("largest_cell", due=of["due"])
    yield made(
        "tried_rows",
        tried=of["tried"],
        due=of["due"],
        unfit=of["unfit"],
        least=literal(2),
        more=literal(1),
    )
    yield "unfit_cells-tried", unfit(of["tried"], k_alone, of["after"], CELL, parts, entity=None)
    left = [
        {"parted": of["gone"], "unfit": of["unfit"]},
        {"parted": of["tried"], "unfit": of["after"]},
    ]
    yield made("leaving_rows", leaving=of["leaving"], ledger=ledger, parts=left)
    published = {"published": of["born"], "names": named, "texts": texts(*columns)}
    yield made("previous_contents", contents=of["contents"], by_text=False, **published, **key)
    again = {"contents": table("con'tents"), "by_text": True}
    yield made("previous_contents-texts", **again, **published, **key)
    yield made("count_strange", contents=of["contents"], ledger=ledger)
    staged = {"staged": of["next"], "leaving": of["leaving"], "born": of["born"], "columns": named}
    yield made("next_rows", contents=of["contents"], **staged)
    first = {
        **staged,
        "staged": table("first next"),
        "contents": None,
        "leaving": None,
    }
    yield made("next_rows-first", **first)
    later = {
        "gone": of["gone"],
        "leaving": of["leaving"],
        "fresh": of["fresh"],
        "unfit": of["held"],
    }
    later |= {"number": two, "person": True, "sensitive": hashed}
    yield made("next_ledger-later", next=table("later; --"), ledger=ledger, **later)
    yield made("mark_gone", ledger=ledger, gone=of["gone"])
    yield made("end_rows", ledger=ledger, leaving=of["leaving"], number=literal(2))
    yield made("forget_withheld", ledger=ledger)
    yield "count_cells", recount_of_cells(ledger, needed, entity="person_hash")
    seen = [*map(name, ("class_hash", "person_hash")), *hashed]
    yield made("shown_rows", shown=table("shown; --"), ledger=ledger, columns=seen)
    yield made("oldest_rows", ledger=ledger, releases=of["releases"])
    yield made("rates", ledger=ledger, releases=of["releases"], since=literal(1))
    drawn = {"ledger": ledger, "number": literal(3)}
    yield made("simulated_gone", gone=table("gone; again"), deleted=literal(1), **drawn)
    drawn |= {"sensitive": hashed, "arriving": literal(2), "since": literal(0), "until": literal(2)}
    yield made("simulated_fresh", fresh=table("fresh; again"), **drawn)
    yield made("end_series", releases=of["releases"], number=literal(1))
