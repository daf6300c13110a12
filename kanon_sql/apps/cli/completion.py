"""Shell completion of arguments and values: files of a kind, folders, lists of algorithms."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from click.shell_completion import CompletionItem
from click.types import StringParamType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import click

PLANS, POLICIES = (".plan.yml", ".plan.yaml"), (".yml", ".yaml")
FOLDERS = frozenset({"FOLDER", "PROJECT"})
FILES = frozenset({"FILE", "DATABASE", "KEY", "RELEASE", "CERTIFICATE", "OLD", "NEW", "SOURCE"})


class CompletedText(StringParamType):
    """A text parameter that a shell completes by a function."""

    def __init__(self, complete: Callable[[str], list[CompletionItem]]) -> None:
        self.complete = complete

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002
        param: click.Parameter,  # noqa: ARG002
        incomplete: str,
    ) -> list[CompletionItem]:
        """List the completions of a partly typed text."""
        return self.complete(incomplete)


def with_completion(parameter: click.Parameter) -> None:
    """Add completion to a text parameter, chosen by its name or metavar, such as FILE or POLICY_OR_TABLE."""
    if type(parameter.type) is not StringParamType:
        return
    if parameter.name == "algorithms":
        parameter.type = CompletedText(_algorithms)
        return
    unit = (parameter.metavar or (parameter.name or "").upper()).strip("[]")
    kinds = set(unit.split("_OR_")) if "_OR_" in unit else {unit}
    if unit == "PLAN" or kinds & {"OLD", "NEW"}:
        parameter.type = CompletedText(lambda text: _named(text, PLANS))
    elif unit == "POLICY":
        parameter.type = CompletedText(lambda text: _named(text, POLICIES, but=PLANS))
    elif kinds & FOLDERS:
        parameter.type = CompletedText(lambda text: [CompletionItem(text, type="dir")])
    elif kinds & FILES:
        parameter.type = CompletedText(lambda text: [CompletionItem(text, type="file")])


def _algorithms(text: str) -> list[CompletionItem]:
    """Complete the last name of a list of algorithms and recodings."""
    from kanon_sql.policy.search import Recode  # noqa: PLC0415  for a completion alone
    from kanon_sql.policy.search_options import Algorithm  # noqa: PLC0415

    before, comma, last = text.rpartition(",")
    names = [*Algorithm, *(each for each in Recode if each is not Recode.FULL_DOMAIN)]
    there = set(before.split(","))
    return [
        CompletionItem(f"{before}{comma}{each}")
        for each in names
        if each.startswith(last) and each not in there
    ]


def _named(
    text: str, endings: tuple[str, ...], *, but: tuple[str, ...] = ()
) -> list[CompletionItem]:
    """Complete files with these endings; if there are none, let the shell complete any file."""
    found = [CompletionItem(each) for each in sorted(_files(text, endings, but))]
    return found or [CompletionItem(text, type="file")]


def _files(text: str, endings: tuple[str, ...], but: tuple[str, ...]) -> Iterator[str]:
    """Yield the paths of files that begin with `text`; none for a folder that cannot be read."""
    folder, start = os.path.split(text)
    try:
        entries = list(Path(folder or ".").iterdir())
    except (OSError, ValueError):
        return
    for each in entries:
        name = each.name
        if name.startswith(start) and name.endswith(endings) and not (but and name.endswith(but)):
            yield os.path.join(folder, name)  # noqa: PTH118  as it was typed, "./" too
