"""Proposes the role of each column for `init`: by its name, its type, its counted values, and a user's answers.

The questions that the data cannot answer are here too, each with a default answer.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from kanon_sql.apps.getting_started.column_profiles import CODE, DIRECT, KNOWN_QUASI, MEASURE, ZIP
from kanon_sql.apps.getting_started.propose_hierarchies import (
    USES,
    ForRecords,
    lost_as_a_whole,
    recoding_of,
)
from kanon_sql.apps.getting_started.role_names import (
    FREE_TEXT,
    KEY_OF_A_THING,
    OF_A_THING,
    NameRule,
    is_time_to_event,
    rule_of,
)
from kanon_sql.apps.getting_started.written_columns import ALONE
from kanon_sql.base.documents.text import clause, counted, list_text, printable, split_list
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.counting.source.person_keys import (
    FEW,
    HOUSEHOLD,
    KEY_BY_NAME,
    KEY_OF_A_PERSON,
    folded,
)
from kanon_sql.errors import Fault, InputError, InternalError
from kanon_sql.policy.model import Role
from kanon_sql.policy.standards import BY_NAME, GUESSED, MEASUREMENT, NAMELESS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from kanon_sql.apps.getting_started.column_profiles import ColumnProfile
    from kanon_sql.apps.getting_started.first_policy import Findings
    from kanon_sql.counting.run.arguments import Use
    from kanon_sql.evidence.attacks.column_sets import ColumnSet
    from kanon_sql.policy.standards import StandardName


Key = Literal["drop", "signature"]
MOST_CATEGORIES = 1000
MANY_TEXTS, SHARED = 50, 5
SUPPRESSED = "hierarchy: suppress"
DROPPED = "action: drop"
OF_FEW_ROWS = "a name or a free text: few rows share one, and nothing groups them"
OPEN = "looks like an identifier or a measurement: set its role"
COULD_BE_KNOWN = "could be known from elsewhere"
PARTLY_MEASURED = f"{NAMELESS}, and it is missing in some rows, as is what is measured"
"""Why a measurement with NULLs is sensitive. NULLs alone are no reason to release a column: a sign that is wrong of one column
in five would take the protection of what somebody knows."""
NAMED_KNOWN, NAMED_SENSITIVE = "you name it as what could be known", "you name it as sensitive"
LEFT_OUT = "you leave it out"
NOT_NAMED = "you do not name it as what could be known"
SAID_BY_USER = (NAMED_KNOWN, NAMED_SENSITIVE, NOT_NAMED, LEFT_OUT)
"""What the user said of a column, which is no reason that readers of the report can judge."""
KNOWN = "commonly known about a person"
EVIDENT = ("who meets the person sees it", "it tells where a person lives or is from")
"""What the names of columns are about that strangers learn of a person, too."""
OF_A_PLACE = NameRule(Role.QUASI, EVIDENT[1], ZIP)
UNIQUE = "unique, or nearly: it identifies each row"
BY_DIRECT = f"{BY_NAME} a direct identifier"
BY_FORM = "its values have the form of"
BY_SENSITIVE = f"{BY_NAME} a sensitive attribute"
GUESS = (
    "DECIDE: it is released as it is by a guess; role: quasi if somebody could know it of a person"
)
HARMLESS = "insensitive is a claim: whoever knows its value for a person finds their rows by it"
ENOUGH = 3
"""The fewest columns with sensitive names that say what a table is about of which nothing says that it is of people."""
MOST_QUASI = 4
"""The most columns with names of quasi-identifiers beside each one with a sensitive name, for which a table's columns without
a telling name are sensitive, too: an outcome is named by its study, and what strangers know has a plain name."""
OF_PEOPLE = (EVIDENT[0], "relatives and neighbours know it", "it is in a curriculum vitae")
"""What columns of a table of people are about."""
HEALTH_OF, GRADE = "health", re.compile(r"grade\d?")
ROUNDS = re.compile(
    r"years?|days?|weeks?|months?|time|visit\w*|occasion|period|wave|round|session|week_?no|yr"
)
"""Names of columns that number the rows of a person where everybody has the same ones: the waves of a panel."""
ROUND = NameRule(Role.INSENSITIVE, "the rounds of a study, which everybody has", ROUNDS)
BY_HAND = "its name is that of a free text, which may name people"
CODED = 3
"""The fewest columns without a telling name by which a table has codes for names."""
WHEN = NameRule(Role.QUASI, "who was there knows it", ROUNDS)
TO_AN_EVENT = NameRule(Role.SENSITIVE, "health", ROUNDS)
NOTHING = "none"
"""The answer that names no column."""


@dataclass(frozen=True, slots=True)
class Answers:
    """A user's answers to what the data cannot say; a default is taken for None.

    `known` are the undecided columns that somebody could know about a person, `sensitive` the columns that nobody
    may learn, `drop` those that the release leaves out. `read` says, by column, how texts are read that can be read in two ways. `key` is whether the key of the
    person is dropped, or released as a pseudonym (`signature`). `use` is what the release is for, by the keys of `USES`.
    `about` says what the release is, by the keys of a policy's `about:`, and `standard` is the standard that it is made by.
    """

    known: tuple[str, ...] | None = None
    sensitive: tuple[str, ...] | None = None
    drop: tuple[str, ...] | None = None
    read: tuple[tuple[str, str], ...] = ()
    key: Key | None = None
    use: Use | None = None
    standard: StandardName | None = None
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """The columns that answers name, by the option."""
        of = {"known": self.known, "sensitive": self.sensitive, "drop": self.drop}
        return {option: names or () for option, names in of.items()}


@dataclass(frozen=True, slots=True)
class ProposedColumn:
    """The proposed role of a column, the rest of its entry in the policy, and the reason, before counts and advice.

    A column is `undecided` if neither its name nor its values settle its role.
    """

    profile: ColumnProfile
    role: Role
    rest: str
    why: str
    undecided: bool = False

    @property
    def reason(self) -> str:
        """The reason for the role, which a policy states for the readers of its report."""
        return self.why.partition("; ")[0]

    @property
    def is_guess(self) -> bool:
        """Whether its values are released, as no name says that somebody could know them: a person must decide it."""
        return self.role in {Role.SENSITIVE, Role.INSENSITIVE} and self.why.startswith(GUESSED)

    @property
    def notes(self) -> list[str]:
        """Counts and advice, for whoever reviews the policy."""
        profile, counts = self.profile, self.why.partition("; ")[2]
        found = [GUESS] if self.is_guess else []
        found += [counts] if counts else []
        nearly = profile.coded < profile.present and profile.code not in {None, "us_zip"}
        if nearly and "hierarchy: " in self.rest:
            found.append(
                f"{profile.coded:,} of {profile.present:,} rows are codes: clean the others, and say {{code: {profile.code}}}"
            )
        values = "" if profile.kind == "nested" else counted(profile.values, "distinct value")
        nulls = f"{profile.nulls:,} NULL" if profile.nulls else ""
        return [*found, *filter(None, [", ".join(filter(None, (values, nulls)))])]

    @property
    def is_open(self) -> bool:
        """Whether neither name nor values suggest a role, so that the column is dropped."""
        return self.why == OPEN


@dataclass(frozen=True, slots=True)
class HierarchyFile:
    """A file with a hierarchy of a column: its path as YAML, its height, and how many values it covers."""

    path: str
    height: int
    covers: str


def propose_columns(
    profiles: Sequence[ColumnProfile],
    files: Mapping[str, HierarchyFile],
    key: str | None,
    sets: Sequence[ColumnSet],
    answers: Answers,
) -> list[ProposedColumn]:
    """Propose an entry for every column; at least one is a quasi-identifier."""
    proposed = []
    names = {folded(each.name) for each in profiles}
    rules = {
        each.name: OF_A_PLACE if each.is_postal else rule_of(folded(each.name), names)
        for each in profiles
    }
    about = subject_of(rules.values(), of_people=key is not None)
    outcome = outcome_without_a_name(list(rules.values()), about, has_key=key is not None)
    rounds = _rows_of_each(profiles, key)
    for profile in profiles:
        rule = rules[profile.name]
        if about == HEALTH_OF and GRADE.fullmatch(folded(profile.name)):
            rule = None  # of a tumour, and not of a school
        if _numbers_rounds(profile, rounds):
            rule = ROUND
        elif profile.is_number and (rule is None or rule.role is Role.QUASI):
            rule = TO_AN_EVENT if is_time_to_event(folded(profile.name), names) else rule
        each = _proposed(profile, rule, files.get(profile.name), answers, outcome)
        if profile.name == key:
            each = _of_key(profile, answers)
        proposed.append(each)
    dropped = {e.profile.name for e in proposed if e.role is Role.IDENTIFYING and not e.is_open}
    kept = [each for each in sets if dropped.isdisjoint(each.columns)]
    proposed = [
        _with_loss(_with_sets(each, sets if each.is_open else kept, answers)) for each in proposed
    ]
    if proposed and not any(each.role is Role.QUASI for each in proposed):
        why = "no better candidate was found"
        taken = {key, *(answers.drop or ())}
        spare = [n for n, each in enumerate(proposed) if each.profile.name not in taken] or [0]
        proposed[spare[0]] = ProposedColumn(profiles[spare[0]], Role.QUASI, SUPPRESSED, why)
    return proposed


def subject_of(found: Collection[NameRule | None], *, of_people: bool = True) -> str | None:
    """Return what a table is about: the subject of most of its sensitive columns, if these are many enough.

    Fewer than `ENOUGH` of them are a sign in a table of people alone: by its key, or by a column of what is seen of a person.
    """
    rules = [rule for rule in found if rule is not None]
    subjects = Counter(rule.about for rule in rules if rule.role is Role.SENSITIVE)
    quasi = sum(rule.role is Role.QUASI for rule in rules)
    of_people = of_people or any(rule.about in OF_PEOPLE for rule in rules)
    if subjects.total() < max(1 if of_people else ENOUGH, quasi / MOST_QUASI):
        return None
    return subjects.most_common(1)[0][0]


def outcome_without_a_name(
    rules: Sequence[NameRule | None], about: str | None, *, has_key: bool
) -> str | None:
    """Return why a column whose name says nothing is sensitive in a table with such columns; None if it is not.

    A table that is about something has more of it. Where no name is that of an outcome, the others of a panel are; so are
    those of a table in which several names say nothing, and none is of what could be known.
    """
    if about is not None:
        return f"{NAMELESS}, and the table is about {about}"
    roles = Counter(None if rule is None else rule.role for rule in rules)
    is_coded = not roles[Role.QUASI] and roles[None] >= CODED
    if is_coded or (has_key and not roles[Role.SENSITIVE]):
        return f"{NAMELESS}, and no name says what the table is about"
    return None


def _rows_of_each(profiles: Sequence[ColumnProfile], key: str | None) -> float:
    """Return the mean number of rows of a person; 0 without a key."""
    return next((each.rows / max(each.values, 1) for each in profiles if each.name == key), 0.0)


def _numbers_rounds(profile: ColumnProfile, rounds: float) -> bool:
    """Whether a column numbers each person's rows, as a visit number does: it has about as many values as a person has rows."""
    named = ROUNDS.fullmatch(folded(profile.name)) is not None
    return named and 1 < profile.values <= 2 * rounds


def _of_key(profile: ColumnProfile, answers: Answers) -> ProposedColumn:
    if answers.key == "signature":
        why = "identifies a person, released as a pseudonym: classes are people with the same rows"
        rest = "action: hash, key_env: KANON_SQL_KEY"
        return ProposedColumn(profile, Role.IDENTIFYING, rest, why)
    of = "household" if HOUSEHOLD.fullmatch(folded(profile.name)) else "person"
    why = f"identifies a {of}; classes are counted by it"
    return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, why)


def _proposed(
    profile: ColumnProfile,
    rule: NameRule | None,
    file: HierarchyFile | None,
    answers: Answers,
    outcome: str | None,
) -> ProposedColumn:
    """Propose the entry of a column by the answers, or else by its name, its values, and what the table may be about.

    `outcome` is the reason for which a column whose name says nothing is sensitive; None if it is not.
    """
    recoding = _recoding(profile, file, answers)
    said = (
        (answers.drop, Role.IDENTIFYING, DROPPED, LEFT_OUT),
        (answers.sensitive, Role.SENSITIVE, "", NAMED_SENSITIVE),
        (answers.known, Role.QUASI, recoding, NAMED_KNOWN),
    )
    for names, of, rest, why in said:
        if profile.name in (names or ()):
            return ProposedColumn(profile, of, rest, why)
    name = folded(profile.name)
    direct = DIRECT.search(name) is not None and OF_A_THING.search(name) is None
    direct = direct and not _is_flag(profile)
    rule = None if direct else rule
    if rule is not None and rule.role is Role.INSENSITIVE and profile.is_date:
        rule = None  # the day on which somebody was assigned, which others saw
    if rule is not None and rule.role is Role.SENSITIVE and profile.is_date:
        rule = WHEN
    role = None if rule is None else rule.role
    named = "" if rule is None else rule.about
    sensitive = answers.sensitive is None and role is Role.SENSITIVE
    is_code = not profile.is_number or CODE.search(name) is not None
    covered = "" if file is None else file.covers
    nested = (
        "nested values, which nothing here looks into: check what they contain before you keep it"
    )
    free = profile.kind == "text" and not (profile.is_number or profile.is_date)
    free = free and role in {None, Role.QUASI} and FREE_TEXT.fullmatch(name) is not None
    beside = f"a file with its hierarchy is next to the source, {covered}"
    constant = profile.values <= 1 and profile.nulls in {0, profile.rows}
    is_key = profile.values > FEW and _is_key(name) and not (profile.is_date or profile.is_postal)
    form = f"{BY_FORM} {profile.direct}"
    known = profile.is_postal or KNOWN_QUASI.search(name) is not None
    signs = (
        (profile.kind == "nested", Role.IDENTIFYING, DROPPED, nested),
        (constant and not direct and file is None, Role.INSENSITIVE, "", "one value in all rows"),
        (sensitive and _is_unique(profile) and is_code, Role.IDENTIFYING, DROPPED, UNIQUE),
        (sensitive, Role.SENSITIVE, "", f"{BY_SENSITIVE}: {named}"),
        (file is not None and role is not Role.SENSITIVE, Role.QUASI, recoding, beside),
        (direct, Role.IDENTIFYING, DROPPED, BY_DIRECT),
        (free, Role.IDENTIFYING, DROPPED, BY_HAND),
        (profile.direct is not None, Role.IDENTIFYING, DROPPED, form),
        (known and role is Role.QUASI and not is_key, Role.QUASI, recoding, KNOWN),
    )
    for holds, of, rest, why in signs:
        if holds:
            return ProposedColumn(profile, of, rest, why)
    if is_key and not _is_unique(profile):
        why = "its name is that of a key: it joins rows, and no interval of it says anything"
        return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, why, undecided=True)
    by_rule = None if rule is None or is_key else _by_rule(profile, rule, answers)
    found = by_rule or _by_values(profile, name, answers, outcome)
    if file is None or found.role is not Role.QUASI:
        return found
    return replace(found, rest=recoding, why=f"{found.why}; {beside}")


def _by_rule(profile: ColumnProfile, rule: NameRule, answers: Answers) -> ProposedColumn | None:
    """Propose the entry of a column whose name suggests a role, but does not settle it; None if its values speak against."""
    is_unique_text = _is_unique(profile) and not profile.is_number
    if rule.role is Role.QUASI and not is_unique_text:
        return _undecided(profile, answers, f"{KNOWN}: {rule.about}")
    if rule.role is Role.INSENSITIVE and not profile.nearly_unique:
        why = f"{BY_NAME} {rule.about}; {HARMLESS}"
        return ProposedColumn(profile, Role.INSENSITIVE, "", why, undecided=True)
    return None


def _recoding(profile: ColumnProfile, file: HierarchyFile | None, answers: Answers) -> str:
    path = None if file is None else file.path
    return recoding_of(profile, path, answers.use)


def _is_key(name: str) -> bool:
    keys = (KEY_BY_NAME, HOUSEHOLD, KEY_OF_A_PERSON)
    return KEY_OF_A_THING.fullmatch(name) is None and any(each.fullmatch(name) for each in keys)


def _by_values(
    profile: ColumnProfile, name: str, answers: Answers, outcome: str | None
) -> ProposedColumn:
    """Propose the entry of a column whose name suggests no role, by its values and whether it may be an `outcome`."""
    is_amount = profile.is_number and profile.coded < profile.present
    numeric_measure = is_amount and (
        profile.fractions > 0 or profile.family == "float" or MEASURE.search(name) is not None
    )
    if _is_unique(profile) and not numeric_measure:
        return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, UNIQUE)
    alone = numeric_measure and profile.nearly_unique
    is_outcome = profile.is_number or profile.values <= MANY_TEXTS
    is_outcome = is_outcome and answers.sensitive is None and not profile.is_date
    if numeric_measure and profile.nulls and not alone:
        outcome = outcome or PARTLY_MEASURED
    if is_outcome and outcome is not None:
        why = outcome if answers.known is None else NOT_NAMED
        return ProposedColumn(profile, Role.SENSITIVE, "", why, undecided=True)
    if alone:
        why = f"{ALONE}{clause(profile.unique, 'row', 'have a value that no other row has')}"
        return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, why, undecided=True)
    if numeric_measure:
        why = f"{MEASUREMENT if answers.known is None else NOT_NAMED}; {HARMLESS}"
        return ProposedColumn(profile, Role.INSENSITIVE, "", why, undecided=True)
    few = profile.values <= max(MOST_CATEGORIES, profile.present // 2)
    is_name = _is_shared_by_few(profile) and _recoding(profile, None, answers) == SUPPRESSED
    if profile.is_date or (few and not is_name):
        return _undecided(profile, answers)
    why = OF_FEW_ROWS if is_name else OPEN
    return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, why, undecided=True)


def _is_shared_by_few(profile: ColumnProfile) -> bool:
    """Whether a text has many values, each in fewer than `SHARED` rows on average."""
    is_text = profile.kind == "text" and not (profile.is_number or profile.is_date)
    return is_text and profile.values > MANY_TEXTS and profile.present < SHARED * profile.values


def _is_unique(profile: ColumnProfile) -> bool:
    """Whether the values look like an identifier: over 20, distinct in 95% of the rows, and no days or times."""
    nearly = profile.values > 20 and profile.values >= 0.95 * max(profile.present, 1)
    return nearly and not profile.is_date


def _is_flag(profile: ColumnProfile) -> bool:
    """Whether many rows share at most two values: the column says whether somebody has a licence, and not its number."""
    return 0 < profile.values <= 2 and profile.present > FEW


def _undecided(
    profile: ColumnProfile, answers: Answers, why: str = COULD_BE_KNOWN
) -> ProposedColumn:
    """Propose the entry of a column that may be known about a person: without an answer, it counts as known."""
    if answers.known is None:
        rest = _recoding(profile, None, answers)
        return ProposedColumn(profile, Role.QUASI, rest, why, undecided=True)
    if why.endswith(EVIDENT):  # a list of what is known can forget a column, and nobody hides these
        why = f"{why}, and {NOT_NAMED}"
        return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, why, undecided=True)
    if profile.nearly_unique:
        why = f"{NOT_NAMED}, and {clause(profile.unique, 'row', 'have a value that no other row has')}"
        return ProposedColumn(profile, Role.IDENTIFYING, DROPPED, why, undecided=True)
    why = f"{NOT_NAMED}; {HARMLESS}"
    return ProposedColumn(profile, Role.INSENSITIVE, "", why, undecided=True)


def _with_sets(each: ProposedColumn, sets: Sequence[ColumnSet], answers: Answers) -> ProposedColumn:
    """Add to the reason the columns with which a column distinguishes rows; an open one becomes a quasi-identifier."""
    mine = next((found for found in sets if each.profile.name in found.columns), None)
    if mine is None:
        return each
    if each.is_open and answers.known is None:
        rest = _recoding(each.profile, None, answers)
        if rest == SUPPRESSED or len(mine.columns) == 1:
            return each
        each = replace(each, role=Role.QUASI, rest=rest, why=MEASUREMENT)
    elif each.role is Role.IDENTIFYING:
        return each
    others = ", ".join(printable(name) for name in mine.columns if name != each.profile.name)
    return replace(each, why=f"{each.why}; {mine.share} by it{f' with {others}' if others else ''}")


def _with_loss(each: ProposedColumn) -> ProposedColumn:
    """Add to the reason of a quasi-identifier why its values are kept or removed as a whole, if many may be."""
    lost = lost_as_a_whole(each.profile, each.rest)
    return each if lost is None else replace(each, why=f"{each.why}; {lost}")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the option that answers it, the columns to choose from, and the default answer."""

    option: Literal["read", "known", "sensitive", "drop", "key", "for"]
    text: str
    columns: tuple[str, ...]
    default: str


def questions_of(found: Findings, answers: Answers) -> list[Question]:
    """List the questions that apply to a source and that the answers leave open."""
    columns = found.propose(Answers(sensitive=answers.sensitive, drop=answers.drop))
    undecided = tuple(each.profile.name for each in columns if each.undecided)
    taken = [each.profile.name for each in columns if each.undecided and each.role is Role.QUASI]
    sensitive = tuple(each.profile.name for each in columns if each.role is Role.SENSITIVE)
    questions = []
    if open_ := [each for each in found.written.values() if each.is_open]:
        text = "How are the texts of these columns read, which nothing in them decides?"
        said = tuple(
            f"{each.profile.name}={'|'.join(answer for answer, *_ in each.choices)}"
            for each in open_
            if each.answered(dict(answers.read)) is None
        )
        questions += [Question("read", text, said, NOTHING)] if said else []
    if answers.known is None and undecided:
        text = "Which of these columns could somebody know about a person?"
        questions.append(Question("known", text, undecided, list_text(taken) or NOTHING))
    if answers.sensitive is None:
        text = "Which columns must nobody learn about a person (sensitive)?"
        questions.append(Question("sensitive", text, (), list_text(sensitive) or NOTHING))
    if answers.drop is None and (answers.known is None or answers.sensitive is None):
        text = "Which columns must the release leave out?"
        questions.append(Question("drop", text, (), NOTHING))
    if answers.key is None and found.key is not None:
        of = "household" if found.key.of_household else "person"
        household = (
            "Classes count households, as the rows of one agree; entity: row counts their members. "
            if found.key.of_household
            else ""
        )
        text = (
            f"{household}Must readers of the release join the rows of a {of}, by a pseudonym of {found.key.name} "
            f"(drop: no, readers count rows and not {of}s; signature: yes, which costs far more detail)?"
        )
        questions.append(Question("key", text, (), "drop"))
    if answers.use is None and answers.key != "signature":
        *others, last = (each.question for each in USES.values())
        text = f"What is the release for: {', '.join(others)}, or {last}?"
        questions.append(Question("for", text, (), ForRecords.key))
    return questions


def answered(answers: Answers, option: str, text: str | None, found: Findings) -> Answers:
    """Return the answers with the answer to one question added; None leaves the question open."""
    match option, text:
        case _, None:
            return answers
        case "read", str():
            pairs = (
                each.rpartition("=") for each in _split(text, "read") if each.strip() != NOTHING
            )
            return replace(
                answers, read=tuple((name.strip(), way.strip()) for name, _, way in pairs)
            )
        case "known" | "sensitive" | "drop", str():
            said = {"known": answers.known, "sensitive": answers.sensitive, "drop": answers.drop}
            said[option] = _names_in(text, option, found)
            return replace(
                answers, known=said["known"], sensitive=said["sensitive"], drop=said["drop"]
            )
        case "key", "drop" | "signature" as key:
            return replace(answers, key=key)
        case "for", str() if use := next((each for each in USES if each == text), None):
            return replace(answers, use=use)
        case _:
            raise InternalError(f"{option} is no question of init")


def _names_in(text: str, option: str, found: Findings) -> tuple[str, ...]:
    """Read the names of an answer, separated by commas; `none` names no column."""
    there = {each.name for each in found.profiles}
    if text.strip() in there:
        return (text.strip(),)
    names = (name if name in there else name.strip() for name in _split(text, option))
    named = tuple(name for name in names if name)
    return () if named == (NOTHING,) and NOTHING not in there else named


def _split(text: str, option: str) -> list[str]:
    try:
        return split_list(text)
    except csv.Error as error:
        what = "is no list separated by commas"
        raise InputError("init", [Fault(f"--{option}", what)]) from error
