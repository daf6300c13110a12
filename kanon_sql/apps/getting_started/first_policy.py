"""`init`: profiles a table, and proposes a first policy. Reads counts and shapes; values only with `show_values`.

`inspect_source` reads the source once. `Findings.policy` proposes a policy from its findings and a user's answers, and
reads nothing, so that `init` can ask its questions between the two.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.apps.getting_started.clean_source import Cure, cleaning_query, cures_of, see_cleaned
from kanon_sql.apps.getting_started.column_profiles import (
    ColumnProfile,
    frequent_values,
    not_counted,
    profile_columns,
)
from kanon_sql.apps.getting_started.following_columns import following_columns, with_following
from kanon_sql.apps.getting_started.init_source import (
    FILE,
    find_hierarchy_files,
    leave_covered,
    opened_source,
)
from kanon_sql.apps.getting_started.missing_codes import (
    counted_among_all,
    read_again,
    read_profiles,
    see_read,
    values_of_all,
    with_codes,
)
from kanon_sql.apps.getting_started.propose_columns import (
    LEFT_OUT,
    SAID_BY_USER,
    Answers,
    HierarchyFile,
    ProposedColumn,
    propose_columns,
)
from kanon_sql.apps.getting_started.propose_hierarchies import use_for
from kanon_sql.apps.getting_started.propose_policy import (
    NOTHING,
    SAID,
    GivenRoles,
    about_lines,
    bound_by,
    column_by,
    propose_k,
    propose_l,
    propose_limit,
    propose_search,
)
from kanon_sql.apps.getting_started.role_names import KEY_OF_A_THING, rule_of
from kanon_sql.apps.getting_started.written_columns import with_format, with_listed_values
from kanon_sql.base.documents.keys import quoted
from kanon_sql.base.documents.shapes import suggestion
from kanon_sql.base.documents.shown import block_text
from kanon_sql.base.documents.text import clause, printable
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import render_report
from kanon_sql.counting.run.session import resolve
from kanon_sql.counting.source.person_keys import (
    KEY_OF_A_PERSON,
    PersonKey,
    folded,
    named_as_key,
    parts_of,
    person_key,
    repeating_key,
)
from kanon_sql.engines.base import whole
from kanon_sql.engines.connect import is_address
from kanon_sql.engines.files.file_texts import written
from kanon_sql.engines.local_files import relative_to
from kanon_sql.engines.locations import source_from_text
from kanon_sql.engines.source import source_sql
from kanon_sql.errors import Fault, InputError
from kanon_sql.evidence.attacks.column_sets import search_at_most
from kanon_sql.policy.model import Role
from kanon_sql.policy.standards import StandardName

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlglot import exp

    from kanon_sql.apps.getting_started.init_source import InitSource
    from kanon_sql.apps.getting_started.written_columns import WrittenColumn
    from kanon_sql.counting.run.session import Session
    from kanon_sql.engines.base import ColumnType, Engine
    from kanon_sql.engines.locations import Source
    from kanon_sql.evidence.attacks.column_sets import ColumnSet

WHOLE = 250_000
"""The most rows of a table that is profiled whole; of a larger table a sample is profiled."""
SAMPLE = 100_000
OFFERED = 5_000
"""Rows of the sample by which an error suggests roles for columns that a call leaves out."""
MOST_SETS = 5
"""The most sets of columns, or columns of a kind, that a policy's comments name."""


@dataclass(frozen=True, slots=True)
class MissingTexts:
    """The texts of a column that stand for a missing value, as they are spelled, and the number of their rows."""

    texts: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of `init` about a source, from all its rows, or from a sample of `rows` of its `all_rows`.

    `source`, `database` and `release` are written as YAML. `cures` are what the cleaning `query` does, or should do if
    none could be written. `unknown_people` rows have NULL as the key of the person. `missing` are the texts that stand
    for a missing value, which profiles count as NULL. Profiles of `written` columns are those of their texts as they
    are read, unless a person must say how. `shown` are values of dirty columns: data, which are read only if a caller
    asks to see them. `notes` say how files are read. `follows` are columns that follow from another, each with that.
    """

    source: str | None
    database: str | None
    query: str | None
    profiles: tuple[ColumnProfile, ...]
    cures: Mapping[str, Cure]
    files: Mapping[str, HierarchyFile]
    key: PersonKey | None
    sets: tuple[ColumnSet, ...]
    rows: int
    all_rows: int
    unknown_people: int
    release: str
    shown: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, MissingTexts] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    follows: Mapping[str, str] = field(default_factory=dict)
    written: Mapping[str, WrittenColumn] = field(default_factory=dict)

    def propose(
        self, answers: Answers | None = None, given: GivenRoles = NOTHING
    ) -> list[ProposedColumn]:
        """Propose the entry of every column. Raises InputError where an answer names no column."""
        said = answers or Answers()
        self._check(said)
        key = self.key_beside(given)
        ways = dict(said.read)
        profiles = [
            self.written[each.name].profile_by(ways[each.name])
            if each.name in ways and each.name in self.written
            else each
            for each in self.profiles
        ]
        name = None if key is None else key.name
        columns = propose_columns(profiles, self.files, name, self.sets, said)
        columns = [
            given.taken_over(column_by(said.standard, self._with_missing(each)), self.files)
            for each in columns
        ]
        stated = {name for name in self.follows if given.role_of(name) is not None}
        columns = with_following(columns, self.follows, stated.union(*said.named.values()))
        columns = [
            each if given.role_of(each.profile.name) is None else self._with_missing(each)
            for each in columns
        ]
        own = {each: of for each, of in self.written.items() if each not in given.hierarchies}
        return [with_format(each, own.get(each.profile.name), ways) for each in columns]

    def _with_missing(self, each: ProposedColumn) -> ProposedColumn:
        """Add to an entry the texts that are read as NULL, and their rows; a dropped column is not changed."""
        found = self.missing.get(each.profile.name)
        if found is None or each.role is Role.IDENTIFYING:
            return each
        rest = ", ".join(filter(None, (each.rest, written(found.texts))))
        one = "says" if found.rows == 1 else "say"
        texts = printable(" or ".join(text or "nothing" for text in found.texts))
        why = f"{found.rows:,} of {self.rows:,} rows {one} {texts}: read as NULL"
        return replace(each, rest=rest, why=f"{each.why}; {why}")

    def key_beside(self, given: GivenRoles) -> PersonKey | None:
        """Return the key of people, unless the call states the entity, or the key as a quasi-identifier."""
        other = self.key is None or given.role_of(self.key.name) is Role.QUASI
        return None if given.entity is not None or other else self.key

    def _cures(self) -> list[dict[str, str]]:
        found = [
            {"name": printable(name), "why": f"{cure.why}{self._values(name)}"}
            for name, cure in self.cures.items()
        ]
        if self.key is not None and self.unknown_people:
            done = "they are left out" if self.query is not None else "leave them out"
            why = f"{clause(self.unknown_people, 'row', 'are of an unknown person')}, who cannot be counted; {done}"
            found.append({"name": printable(self.key.name), "why": why})
        return found

    def _values(self, name: str) -> str:
        values = self.shown.get(name, ())
        return f"; such as {printable(', '.join(map(repr, values)))}" if values else ""

    def _check(self, answers: Answers) -> None:
        there = {each.name for each in self.profiles}
        named = answers.named
        faults = [
            Fault(f"--{option}", f"{name} is not a column of the source{suggestion(name, there)}")
            for option, names in named.items()
            for name in names
            if name not in there
        ]
        faults += [
            Fault(f"--{later}", f"{name} is in --{option}, too")
            for option, later in combinations(named, 2)
            for name in sorted({*named[option]} & {*named[later]})
        ]
        if there <= {*named["drop"], "" if self.key is None else self.key.name}:
            faults.append(Fault("--drop", "leaves no column to release"))
        for name, way in answers.read:
            open_ = (
                [answer for answer, *_ in self.written[name].choices]
                if name in self.written
                else []
            )
            if way not in open_:
                asked = (
                    f"say {name}={' or '.join(open_)}" if open_ else "its texts leave nothing open"
                )
                faults.append(Fault("--read", f"{printable(name or way)}: {asked}"))
        if answers.key == "signature" and self.key is None:
            faults.append(Fault("--key", "no column identifies people who have several rows"))
        use = use_for(answers.use)
        if answers.key == "signature" and use.by_regions:
            what = f"{use.key} is not for --key signature, which compares people by all their rows"
            faults.append(Fault("--for", f"{what}; say records"))
        if use.shows and answers.standard is StandardName.HIPAA_SAFE_HARBOR:
            what = f"{use.key} shows {use.shows}, which Safe Harbor removes; say records"
            faults.append(Fault("--for", what))
        if faults:
            raise InputError("init", faults)

    def policy(self, answers: Answers | None = None, given: GivenRoles = NOTHING) -> str:
        """Write the policy by these answers; raises InputError where an answer names no column."""
        columns = self.propose(answers, given)
        signature = answers is not None and answers.key == "signature"
        use = use_for(None if answers is None else answers.use)
        key = self.key_beside(given)
        people = self.rows if key is None else key.values
        said = answers or Answers()
        k = given.bound(given.k) or bound_by(
            said.standard, propose_k(columns, people, said.about.get("recipients"))
        )
        suppression, without_null = propose_limit(columns, use, given.suppression)
        sensitive = [
            {
                "name": quoted(each.profile.name),
                "l": given.bound(given.l) or propose_l(each, k.number),
            }
            for each in columns
            if each.role is Role.SENSITIVE
        ]
        return render_report(
            "first_policy.yml",
            sampled=self.rows if self.rows < self.all_rows else None,
            rows=self.all_rows,
            source=self.source,
            notes=self.notes,
            query=None if self.query is None else block_text(self.query),
            database=self.database,
            key=key,
            key_name=None if key is None else quoted(key.name),
            entity=None if given.entity is None else quoted(given.entity),
            repeating=_repeating(
                [each for each in columns if each.profile.name not in self.follows]
            ),
            suppression=suppression,
            without_null=without_null,
            signature=signature,
            same_by_values=[] if key is None else [*map(printable, key.constant[:MOST_SETS])],
            same=[] if key is None else [printable(name) for name in key.same],
            cures=self._cures(),
            columns=[
                {
                    "name": quoted(each.profile.name),
                    "why": None if each.reason in {SAID, *SAID_BY_USER} else quoted(each.reason),
                    "of": each,
                }
                for each in columns
            ],
            **about_lines(said.standard, said.about, None if given.of_frame else k),
            sets=_set_lines(columns, self.sets),
            k=k,
            sensitive=sensitive,
            output=use.output,
            search=propose_search(
                columns,
                self.files,
                rows=self.all_rows,
                signature=signature,
                by_regions=use.by_regions,
            ),
            release=None if given.of_frame else self.release,
        )


def first_policy(
    source: object,
    *,
    database: str | None = None,
    connection: object | None = None,
    beside: str | None = None,
    answers: Answers | None = None,
    given: GivenRoles = NOTHING,
    brief: bool = False,
) -> str:
    """Suggest a policy for a table, files or a frame, with comments; a person must read every line of it.

    `beside` is the file of the policy; paths in the policy start from its folder. The policy for a frame has no
    source. A `brief` policy is not meant to be read: of a frame, only columns that need a proposal are counted, and
    no set of columns is searched. Raises SourceError and InputError where the source cannot be opened.
    """
    found = inspect_source(
        source, database=database, connection=connection, beside=beside, given=given, brief=brief
    )
    return found.policy(answers, given)


def inspect_source(
    source: object,
    *,
    database: str | None = None,
    connection: object | None = None,
    beside: str | None = None,
    show_values: bool = False,
    given: GivenRoles = NOTHING,
    brief: bool = False,
) -> Findings:
    """Profile a table, files or a frame, for `first_policy`. Raises SourceError and InputError.

    With `show_values` the comments of the policy have values of the columns that are cleaned; they are data.
    """
    folder = Path(beside).absolute().parent if beside else Path.cwd()
    with opened_source(
        source, database=database, connection=connection, base=str(folder)
    ) as opened:
        return inspect_open(opened, folder, show_values=show_values, given=given, brief=brief)


def inspect_open(
    opened: InitSource,
    folder: Path,
    *,
    show_values: bool = False,
    given: GivenRoles = NOTHING,
    brief: bool = False,
) -> Findings:
    """Profile a source that is open, for a policy in a folder."""
    run, named, engine = opened.run, opened.source, opened.run.engine
    columns = engine.columns(opened.view)
    given.check_names([column.name for column in columns])
    all_rows = engine.fetch_count(source_sql.count_rows(opened.view))
    table = opened.view
    most = WHOLE
    if brief and any(given.role_of(each.name) is None for each in columns):
        most = OFFERED  # the call is refused, and offers roles
    if all_rows > most:
        table = run.scratch.create(
            "sample", source_sql.sample_rows, table, min(SAMPLE, most), of=all_rows
        )
    names = [column.name for column in columns]
    counted = [
        each for each in columns if not brief or named is not None or given.needs_profile(each.name)
    ]
    profiles = {each.name: not_counted(each, all_rows) for each in columns}
    profiles.update({each.name: each for each in profile_columns(engine, table, counted)})
    rows = next((profiles[each.name].rows for each in counted), all_rows)
    raw = table
    looked = read_profiles(run, raw, counted, profiles)
    leave_covered(run, named, raw, looked, profiles=profiles, given=given)
    missing, written = looked.missing, looked.written
    cures = cures_of(
        [each for each in profiles.values() if each.name not in written],
        looked.profiles,
        {name: texts for name, (texts, _) in missing.items()},
    )
    query = None if named is None else cleaning_query(run, named, names, cures, str(folder))
    if query is not None:
        table = see_cleaned(run, raw, names, cures)
        profiles.update(read_again(run, table, looked, cures))
    columns = engine.columns(table)
    whole_table, counts, values, parts = table, None, None, 1
    if all_rows > rows and not brief:
        parts = parts_of(all_rows, SAMPLE)
        whole_table = opened.view if query is None else see_cleaned(run, opened.view, names, cures)
        each_of = all_rows if opened.has_columns_apart else None
        counts, values = values_of_all(
            engine, whole_table, [*profiles.values()], parts, each_of=each_of
        )
    key = None
    if not brief or given.entity is None:
        key = _person_key(
            engine,
            whole_table,
            columns,
            looked.profiles,
            rows=rows if brief else all_rows,
            parts=parts,
            values=values,
            sample=(table, rows),
            unrepeated={name for name, of in (counts or {}).items() if of.values == of.unique},
        )
    unknown = 0 if key is None else profiles[key.name].nulls
    if key is not None and unknown and named is not None:
        without = cleaning_query(run, named, names, cures, str(folder), required=key.name)
        if without is not None:
            query, table = without, see_cleaned(run, raw, names, cures, required=key.name)
    if key is not None:  # NULL as a key is a person who cannot be counted
        looked.leave(key.name, profiles[key.name])
    profiles = looked.profiles
    table = see_read(run, table, missing, written)
    if counts is not None:
        profiles.update(
            counted_among_all(run, whole_table, looked, counts, all_rows=all_rows, parts=parts)
        )
        whole_table = see_read(run, whole_table, missing, written)
    profiles = with_listed_values(opened, with_codes(run, table, profiles), cured=cures)
    files = find_hierarchy_files(run, named, table, names)
    found = Findings(
        None if named is None else _source(folder, named),
        None if opened.database is None else quoted(_from(folder, opened.database)),
        query,
        tuple(profiles.values()),
        cures,
        {
            name: HierarchyFile(quoted(_from(folder, file.path)), file.height, file.covers)
            for name, file in files.items()
        },
        key,
        (),
        rows,
        all_rows,
        unknown,
        _release(opened.release),
        _frequent(run, raw, list(cures)) if show_values else {},
        {name: MissingTexts(*found) for name, found in missing.items()},
        notes=opened.notes,
        written=written,
    )
    return (
        found
        if brief
        else _with_relations(run, table, whole_table if all_rows > rows else table, found)
    )


def _with_relations(
    run: Session, table: exp.Table, whole_table: exp.Table, found: Findings
) -> Findings:
    """Add to the findings the columns that follow from others, and the sets of columns that distinguish rows."""
    people = found.all_rows if found.key is None else found.key.values
    columns = found.propose()
    follows = following_columns(run, table, whole_table, columns, rows=found.rows, people=people)
    found = replace(found, follows=follows)
    return replace(found, sets=tuple(_distinguishing_sets(run, table, found)))


def _person_key(
    engine: Engine,
    table: exp.Table,
    columns: Sequence[ColumnType],
    profiles: Mapping[str, ColumnProfile],
    *,
    rows: int,
    parts: int,
    values: Mapping[str, int] | None,
    sample: tuple[exp.Table, int],
    unrepeated: Collection[str],
) -> PersonKey | None:
    """Find the key of people in a table: by its name, or as a key that repeats while other columns stay the same."""
    among = [
        each.name
        for each in columns
        if rule_of(folded(each.name)) is None or named_as_key(each.name)
        if KEY_OF_A_THING.fullmatch(folded(each.name)) is None and each.name not in unrepeated
    ]
    key = person_key(engine, table, columns, among=among, rows=rows, parts=parts)
    if key is not None:
        return key
    among = [each for each in among if not (profiles[each].fractions or profiles[each].is_date)]
    return repeating_key(
        engine, table, columns, among=among, rows=rows, parts=parts, values=values, sample=sample
    )


def _frequent(run: Session, table: exp.Table, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read the most frequent values of some columns."""
    if not columns:
        return {}
    fetched = run.engine.fetch(frequent_values(table, columns))
    rows = [(columns[whole(number)], str(label)) for number, label in fetched]
    return {name: tuple(label for of, label in rows if of == name) for name in columns}


def _distinguishing_sets(run: Session, table: exp.Table, found: Findings) -> list[ColumnSet]:
    """Find the smallest sets of columns in which nearly all rows of a sample are unique, those of few columns first.

    Dropped columns are in no set, except those whose role is open.
    """
    searched = [
        each.profile.name
        for each in found.propose()
        if (each.role is not Role.IDENTIFYING or each.is_open) and each.profile.kind != "nested"
    ]
    if found.rows == 0 or not searched:
        return []
    sets = search_at_most(run, table, searched, rows=found.rows)
    own = (replace(s, sampled=sets.rows < found.rows) for s in (*sets.unique, *sets.near_unique))
    return sorted(own, key=lambda each: len(each.columns))


def _repeating(columns: Sequence[ProposedColumn]) -> list[str]:
    """List dropped columns, and columns named like a key, with values in several rows, which may be of one person."""
    return [
        printable(each.profile.name)
        for each in columns
        if 1 < each.profile.values < each.profile.present
        and each.profile.kind != "nested"
        and (
            (each.role is Role.IDENTIFYING and not each.undecided and each.why != LEFT_OUT)
            or KEY_OF_A_PERSON.fullmatch(folded(each.profile.name))
        )
    ][:MOST_SETS]


def _set_lines(columns: Sequence[ProposedColumn], sets: Sequence[ColumnSet]) -> list[str]:
    """Describe the smallest sets of released columns."""
    released = {each.profile.name for each in columns if each.role is not Role.IDENTIFYING}
    return [
        f"{', '.join(map(printable, each.columns))}: {each.share}"
        for each in sets
        if released.issuperset(each.columns)
        and not any(set(other.columns) < set(each.columns) for other in sets)
    ][:MOST_SETS]


def _release(name: str) -> str:
    """Write a release such that a table's name is not read as a path."""
    if name == FILE or re.fullmatch(r"[\w.]+", name):
        return quoted(name)
    return f"{{table: {quoted(name)}}}"


def _source(folder: Path, named: Source) -> str:
    """Write a source as a policy in that folder names it."""
    if named.query is not None:
        return f"{{query: {quoted(named.query)}}}"
    if named.lake is not None:
        lake = named.lake.moved(partial(_from, folder))
        table = "" if lake.table is None else f", table: {quoted(lake.table)}"
        return f"{{{lake.format}: {quoted(lake.place)}{table}}}"
    if named.path is None:
        return _table(named.table or "")
    path = _path(folder, named.path)
    stated = {
        "delimiter": None if named.delimiter is None else quoted(named.delimiter),
        "encoding": None if named.encoding is None else quoted(named.encoding),
        "quote": None if named.quote is None else quoted(named.quote),
        "comment": None if named.comment is None else quoted(named.comment),
        "sheet": None if named.sheet is None else quoted(named.sheet),
        "range": None if named.range is None else quoted(named.range),
        "values": named.values,
        "skip": named.skip or None,
        "union_by_name": "true" if named.union_by_name else None,
        "header": None if named.header is None else str(named.header).lower(),
    }
    options = "".join(f", {key}: {text}" for key, text in stated.items() if text is not None)
    return f"{{path: {path}{options}}}" if options else path


def _table(name: str) -> str:
    """Write a table's name such that it is not read as a path."""
    if source_from_text(name).table is not None:
        return quoted(name)
    return f"{{table: {quoted(name)}}}"


def _from(folder: Path, path: str) -> str:
    """Write a path as a policy in that folder names it."""
    return (
        path if "://" in path or is_address(path) else relative_to(resolve(path, ""), str(folder))
    )


def _path(folder: Path, path: str) -> str:
    """Write the path of a source as a policy in that folder names it, such that it is not read as a table's name."""
    text = _from(folder, path)
    return quoted(text if source_from_text(text).path else f"./{text}")
