"""Plan a policy as a pull request leaves it and as the base has it; write a comment, a verdict and SARIF.

Nothing that it writes has a value of the data: counts, names of columns, and levels.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import kanon_sql
from kanon_sql.apps.cli.write import sarif_of
from kanon_sql.evidence.explanation.plan_diff import code


def reviewed(policy: str, base: Path, sample: str | None) -> tuple[str, str, dict[str, object]]:
    """Return the verdict in a word, the comment in Markdown, and the SARIF log."""
    try:
        warnings = kanon_sql.lint(policy, sample)
        new = kanon_sql.plan(policy, sample)
    except kanon_sql.KanonError as error:
        return (
            "faults",
            f"**The policy cannot be planned:**\n\n{fenced(str(error))}",
            sarif_of(policy, [], error),
        )
    log = sarif_of(policy, warnings, None)
    lost = "".join(
        f"- {code(each)}\n" for each in dict.fromkeys([*warnings, *new.warnings, *new.remarks])
    )
    after = f"\n\n### What to look at, and what is lost\n\n{lost}" if lost else ""
    if not (base / policy).exists():
        return "new", f"**The policy is new:** there is nothing to compare it with.{after}", log
    try:
        old = kanon_sql.plan(base / policy, sample)
    except kanon_sql.KanonError as error:
        what = "**Privacy cannot be compared:** the base's policy cannot be planned."
        return "weaker", f"{what}\n\n{fenced(str(error))}{after}", log
    difference = kanon_sql.diff(old, new)
    verdict = "same" if difference.same else "weaker" if difference.may_weaken else "changed"
    return verdict, difference.markdown + after, log


def fenced(text: str) -> str:
    """Return a text as a block of code, with more backticks around it than it has."""
    fence = "`" * (3 + text.count("`"))
    return f"{fence}text\n{text}\n{fence}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("policy")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--sample", default="")
    parser.add_argument("--into", type=Path, required=True)
    given = parser.parse_args()
    sample = str(Path(given.sample).absolute()) if given.sample else None
    verdict, comment, log = reviewed(given.policy, given.base, sample)
    given.into.mkdir(parents=True, exist_ok=True)
    files = {
        "verdict": verdict,
        "comment.md": f"<!-- kanon-sql {json.dumps(given.policy)} -->\n### {code(given.policy)}\n\n{comment}\n",
        "lint.sarif": json.dumps(log, indent=2),
    }
    for name, text in files.items():
        (given.into / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
