"""What turns templates into pages, for reports and for the pages that experts and owners open: one set of settings."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from commensurate.wording import one_line, readable, short_number, visible_text

REPORTS = "commensurate.report"


def template_environment(*packages: str) -> Environment:
    """Return what turns the templates of these packages into pages: whatever is put in is escaped.

    Where two packages have a template of the same name, that of the first one counts.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        # a page that is served while the package is updated stays as it was
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible_text
    environment.filters["one_line"] = one_line
    environment.filters["short"] = short_number
    environment.filters["readable"] = readable
    return environment


def rendered(template: str, **values: Any) -> str:
    """Return a page of a report."""
    return _reports().get_template(template).render(values)


@cache
def _reports() -> Environment:
    return template_environment(REPORTS)
