"""The shell: completion of commands, files and names in three shells, and the examples that help ends with."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

import click
import pages
import pytest

from kanon_sql.apps.cli.command_line import EXAMPLES, examples_of, main

SHELLS = ("bash", "zsh", "fish")


def commands(group, words=()):
    """Every command by its words."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


COMMANDS = dict(commands(main))


def completed(folder, words, shell="bash"):
    """What a shell is offered for the last of some words, by the protocol that its script speaks."""
    *before, last = words
    given = {
        "bash": {"COMP_WORDS": shlex.join(["kanon-sql", *words]), "COMP_CWORD": str(len(words))},
        "zsh": {"COMP_WORDS": shlex.join(["kanon-sql", *words]), "COMP_CWORD": str(len(words))},
        "fish": {"COMP_WORDS": shlex.join(["kanon-sql", *before]), "COMP_CWORD": last},
    }[shell]
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv = ['kanon-sql']; from kanon_sql.apps.cli import main; main()",
        ],
        cwd=folder,
        env={**os.environ, **given, "_KANON_SQL_COMPLETE": f"{shell}_complete"},
        capture_output=True,
        text=True,
        check=True,
    )
    if shell == "zsh":  # three lines each: a kind, the word, what help says of it
        kinds, found, _ = (done.stdout.splitlines()[n::3] for n in range(3))
        return list(zip(kinds, found, strict=True))
    return [
        tuple(line.partition("\t")[0].split(",", 1)) for line in done.stdout.splitlines() if line
    ]


def words_of(found):
    return [word for _, word in found]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_completes_commands_and_algorithms(lab, shell):
    assert words_of(completed(lab.folder, ["al"], shell)) == ["algorithms"]
    found = words_of(completed(lab.folder, ["plan", "policy.yml", "--algorithm", "mon"], shell))
    assert found == ["mondrian"]


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_has_a_script(lab, shell):
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv = ['kanon-sql']; from kanon_sql.apps.cli import main; main()",
        ],
        env={**os.environ, "_KANON_SQL_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"_KANON_SQL_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.slow
def test_policies_plans_files_and_lists_are_completed(lab):
    for name in ("a.yml", "a.plan.yml", "b.csv"):
        lab.write(name, "")
    (lab.folder / "clinic").mkdir()
    lab.write("clinic/c.yml", "")
    assert words_of(completed(lab.folder, ["lint", ""])) == ["a.yml"]
    assert words_of(completed(lab.folder, ["lint", "clinic/"])) == [os.path.join("clinic", "c.yml")]  # noqa: PTH118
    assert words_of(completed(lab.folder, ["apply", "a"])) == ["a.plan.yml"]
    assert words_of(completed(lab.folder, ["diff", "a.plan.yml", "a"])) == ["a.plan.yml"]
    assert completed(lab.folder, ["apply", "nothing"]) == [("file", "nothing")]
    assert completed(lab.folder, ["init", "b"]) == [("file", "b")]
    assert completed(lab.folder, ["demo", "-o", "c"]) == [("dir", "c")]
    listed = words_of(completed(lab.folder, ["compare", "a.yml", "--algorithms", "optimal,op"]))
    assert listed == []
    listed = words_of(completed(lab.folder, ["compare", "a.yml", "--algorithms", "optimal,c"]))
    assert listed == ["optimal,cells"]
    metrics = words_of(completed(lab.folder, ["plan", "a.yml", "--metric", "dis"]))
    assert metrics == ["distortion", "discernibility"]


# ---- examples ------------------------------------------------------------------------------


def test_every_command_has_one_or_two_examples():
    assert set(EXAMPLES) == set(COMMANDS)
    assert {len(each) for each in EXAMPLES.values()} <= {1, 2}


@pytest.mark.parametrize("words", EXAMPLES)
def test_the_help_of_a_command_ends_with_examples_that_it_understands(lab, words):
    said = lab.done(*words.split(), "--help")
    shown = said.partition("\nExamples:\n")[2].splitlines()
    assert [each.strip() for each in shown] == examples_of(words)
    for example in examples_of(words):
        typed = shlex.split(example.rpartition("| ")[2].partition(" > ")[0])
        count = len(words.split())
        assert typed[: count + 1] == ["kanon-sql", *words.split()]
        COMMANDS[words].make_context(words, typed[count + 1 :])  # an unknown option is an error


@pytest.mark.skipif(shutil.which("bash") is None or os.name != "posix", reason="no bash")
def test_bash_itself_completes_after_the_line_of_the_guide(lab):
    shim = lab.write(
        "kanon-sql", f"#!{sys.executable}\nfrom kanon_sql.apps.cli import main\nmain()\n"
    )
    shim.chmod(0o755)
    (line,) = [
        block.text
        for block in pages.blocks_of("docs/guides/install.md")
        if "bash_source" in block.text
    ]
    typed = "COMP_WORDS=(kanon-sql plan policy.yml --algorithm mon); COMP_CWORD=4; COMP_TYPE=9"
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'{line}\n{typed}\n_kanon_sql_completion kanon-sql\necho "${{COMPREPLY[@]}}"',
        ],
        cwd=lab.folder,
        env={**os.environ, "PATH": f"{lab.folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "mondrian\n", done.stderr
