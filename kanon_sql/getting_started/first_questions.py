"""The four questions of `init` that the data cannot answer, each with a default answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from kanon_sql.errors import InternalError
from kanon_sql.getting_started.propose_columns import Answers
from kanon_sql.late_dataclass import dataclass
from kanon_sql.policy.model import Role

if TYPE_CHECKING:
    from kanon_sql.getting_started.first_policy import Findings

NOTHING = "none"
"""The answer that names no column."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the option that answers it, the columns to choose from, and the default answer."""

    option: Literal["known", "sensitive", "key", "for"]
    text: str
    columns: tuple[str, ...]
    default: str


def questions_of(found: Findings, answers: Answers) -> list[Question]:
    """List the questions that apply to a source and that the answers leave open."""
    columns = found.propose(Answers(sensitive=answers.sensitive))
    undecided = tuple(each.profile.name for each in columns if each.undecided)
    taken = [each.profile.name for each in columns if each.undecided and each.role is Role.QUASI]
    sensitive = tuple(each.profile.name for each in columns if each.role is Role.SENSITIVE)
    questions = []
    if answers.known is None and undecided:
        text = "Which of these columns could somebody know about a person?"
        questions.append(Question("known", text, undecided, ",".join(taken) or NOTHING))
    if answers.sensitive is None:
        text = "Which columns must nobody learn about a person (sensitive)?"
        questions.append(Question("sensitive", text, (), ",".join(sensitive) or NOTHING))
    if answers.key is None and found.key is not None:
        of = "household" if found.key.of_household else "person"
        household = (
            "Classes count households, as the rows of one agree; entity: row counts their members. "
            if found.key.of_household
            else ""
        )
        text = (
            f"{household}Must readers of the release join the rows of a {of}, by a pseudonym of {found.key.name} "
            f"(drop: no; signature: yes, which costs far more detail)?"
        )
        questions.append(Question("key", text, (), "drop"))
    if answers.use is None and answers.key != "signature":
        text = (
            "What is the release for: counts (statistics, dashboards, models: plain values whose counts are right), or records "
            "(each row is true: ranges and groups that nest)?"
        )
        questions.append(Question("for", text, (), "records"))
    return questions


def answered(answers: Answers, option: str, text: str | None, found: Findings) -> Answers:
    """Return the answers with the answer to one question added; None leaves the question open."""
    match option, text:
        case _, None:
            return answers
        case "known", str():
            return replace(answers, known=_names_in(text, found))
        case "sensitive", str():
            return replace(answers, sensitive=_names_in(text, found))
        case "key", "drop" | "signature" as key:
            return replace(answers, key=key)
        case "for", "records" | "counts" as use:
            return replace(answers, use=use)
        case _:
            raise InternalError(f"{option} is no question of init")


def _names_in(text: str, found: Findings) -> tuple[str, ...]:
    """Read the names of an answer, separated by commas; `none` names no column."""
    there = {each.name for each in found.profiles}
    if text.strip() in there:
        return (text.strip(),)
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    return () if names == (NOTHING,) and NOTHING not in there else names
