"""Fill the templates of templates/report: pictures and pages for readers, never SQL."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, FunctionLoader, StrictUndefined

from kanon_sql.base.documents.text import printable
from kanon_sql.base.sql.templates import template_root


def _source(name: str) -> str | None:
    file = template_root() / "report" / name
    return file.read_text(encoding="utf-8") if file.is_file() else None


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_source),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    # Names within sentences: a mark of direction in one would turn around the words after it.
    environment.filters["printable"] = printable
    return environment


def render_report(template: str, **values: object) -> str:
    """Fill ``templates/report/<template>.j2``; every text is escaped, unless it is marked as safe."""
    return _environment().get_template(f"{template}.j2").render(values)


def page_part(name: str) -> str:
    """Return the text of a file of ``templates/report`` that a page has inline: a style sheet or a script."""
    return (template_root() / "report" / name).read_text(encoding="utf-8").strip()
