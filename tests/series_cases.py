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
        "live", "unseen", "fresh", "classes", "alive", "changed", "gone", "unfit", "due", "tried", "after", "leaving", "contents", "next",
        "ledger", "releases", "scratch ledger", "scratch releases", "first live", "fresh again", "held",
    )
}  # fmt: skip
"""The tables that the statements create, by what they are."""


def texts(*names):
    return [{"column": column(each, of="r"), "nested": False} for each in names]


def hashed_of(hash_, purpose, names, *, alone=False, known=None):
    """Describe a hash of some columns of fresh rows, which is known where each different value was hashed once."""
    alias = f"of; {hash_}"
    pairs = [{"own": column(each, of="t"), "value": column(each, of=alias)} for each in names]
    leaves = {"as": name(hash_), "known": known, "alias": name(alias), "pairs": pairs}
    leaves |= {"purpose": literal(purpose), "texts": texts(*names)}
    return {**leaves, "alone": column(names[0], of="r") if alone else None}


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
    hashes = [
        hashed_of("class_hash", "class", quasi),
        hashed_of("content_hash", "content", columns),
    ]
    values = {"hashed": of["classes"], "rows": of["live"], "names": [name(each) for each in quasi]}
    values |= {"hash": name("class_hash"), "purpose": literal("class"), "texts": texts(*quasi)}
    yield made("hashed_values", alone=None, by_text=False, **values, **key)
    yield made("count_alike", rows=of["live"], names=values["names"], until=literal(f"1{31 * '0'}"))
    own = [hashed_of("person_hash", "person", [person], alone=True)]
    own.append(hashed_of("sensitive_1", "value", [sensitive], alone=True))
    one = literal(1)
    first = {"unseen": of["live"], "first": one, "names": named, **key}
    told = [hashed_of("class_hash", "class", quasi, known=of["classes"]), *hashes[1:], *own]
    yield made("fresh_rows", fresh=of["fresh"], hashes=told, **first)
    group = ["class_hash"]
    yield "unfit_cells", unfit(of["fresh"], needed, of["held"], group, group, entity="person_hash")
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
    yield from of_the_second(columns, hashed, hashes, needed)


def of_the_second(columns, hashed, hashes, needed):
    """Yield the statements that decide, stage and write the second release."""
    of, ledger, k_alone = NAMES, NAMES["ledger"], requirements((KAnonymity(2),))
    named, key, two = [name(each) for each in columns], {"inner": INNER}, literal(2)
    yield made("changed_rows", changed=of["changed"], live=of["first live"], ledger=ledger)
    both = {"changed": of["changed"], "ledger": ledger}
    yield made("count_row_keys-later", live=of["first live"], **both)
    yield made("gone_rows", gone=of["gone"], changed=of["changed"], number=two)
    again = {"live": of["first live"], "changed": of["changed"], "ledger": ledger, "number": two}
    yield made("unseen_rows", unseen=of["unseen"], **again)
    again = {"fresh": of["fresh again"], "unseen": of["unseen"], "first": None, "names": named}
    yield made("fresh_rows-later", hashes=hashes, **again, **key)
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
    published = {"rows": of["fresh"], "names": named, "texts": texts(*columns), "alone": None}
    published |= {"hash": name("content_hash"), "purpose": literal("content"), **key}
    yield made("hashed_values-contents", hashed=of["contents"], by_text=False, **published)
    again = {"hashed": table("con'tents"), "by_text": True}
    yield made("hashed_values-texts", **again, **published)
    yield made("count_strange", contents=of["contents"], ledger=ledger)
    staged = {"staged": of["next"], "leaving": of["leaving"], "columns": named}
    staged |= {"fresh": of["fresh"], "unfit": of["held"]}
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
