"""Help: commands by what they are for, options in groups, and no page longer than a screen or two."""

from __future__ import annotations

import click
import pages
import pytest
from click.testing import CliRunner

from kanon_sql.apps.cli.command_line import COMMANDS, FIRST, GROUPS, main
from kanon_sql.apps.cli.console import EXIT_CODES, FOLDED, Option

MOST_LINES, WIDTH = 60, 80
MOST_WORDS_OF_REFERENCE = 3_500


def commands(group, words=()):
    """Every command and every group by its words, the program's own first."""
    yield words
    for name in group.list_commands(click.Context(group)):
        command = group.commands[name]
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield (*words, name)


EVERY = list(commands(main))


def helped(*words):
    done = CliRunner().invoke(main, words, terminal_width=WIDTH)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


def command_of(words):
    found = main
    for word in words:
        found = found.commands[word]
    return found


def options_of(words):
    return [each for each in command_of(words).params if isinstance(each, click.Option)]


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_help_of_a_command_is_short_and_fits_the_terminal(words):
    lines = helped(*words, "--help").splitlines()
    assert 5 < len(lines) < MOST_LINES
    assert [line for line in lines if len(line) > WIDTH] == []


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_all_help_has_the_text_of_every_option_and_help_names_each(words):
    whole, short = helped(*words, "--help-all"), helped(*words, "--help")
    named = short.replace(",", " ").replace(":", " ").split()
    for each in options_of(words):
        text = "".join(each.help.split())  # a line may end at a hyphen
        assert text in "".join(whole.split())
        folds = not isinstance(command_of(words), click.Group)
        folded = folds and isinstance(each, Option) and each.group in FOLDED
        assert (text in "".join(short.split())) is not folded
        assert each.opts[-1] in {*named, "--help-all"}


def test_the_list_of_commands_is_by_what_they_are_for_and_ends_with_the_first_to_type():
    lines = helped("--help").splitlines()
    assert list(GROUPS) == ["Start", "Release", "Check", "Understand", "Pipelines"]
    for name, listed in GROUPS.items():
        at = lines.index(f"{name}:")
        assert [line.split()[0] for line in lines[at + 1 : at + 1 + len(listed)]] == list(listed)
    assert lines[-3:] == [f"  {each:32} {what}" for each, what in FIRST.items()]
    for typed in FIRST:
        program, name, argument = typed.split()
        assert program == "kanon-sql"
        COMMANDS[name]
        main.commands[name].make_context(name, [argument])


def test_exit_codes_are_one_table():
    table = [
        line.split("|")[1:3]
        for line in pages.text_of("docs/guides/commands.md").splitlines()
        if line.startswith("| ") and line.split("|")[1].strip().isdecimal()
    ]
    assert {int(code): text.strip().replace("`", "") for code, text in table} == EXIT_CODES
    shown = helped("--help-all").partition("Exit codes:\n")[2].partition("\n\n")[0].splitlines()
    assert {
        int(code): text for code, text in (line.split(maxsplit=1) for line in shown)
    } == EXIT_CODES


def test_the_reference_of_the_command_line_is_short():
    words = pages.text_of("docs/reference/cli.md").split()
    assert 2_000 < len(words) <= MOST_WORDS_OF_REFERENCE


@pytest.mark.parametrize("words", [each for each in EVERY if each], ids=" ".join)
def test_every_command_has_the_options_that_all_have(words):
    names = {name for each in options_of(words) for name in each.opts}
    group = isinstance(command_of(words), click.Group)
    assert names >= ({"--help-all"} if group else {"--help-all", "--json", "--quiet", "--no-color"})
