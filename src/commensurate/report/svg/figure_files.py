"""From a figure to files and to inline SVG: the same figure gives the same text in every run."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from commensurate.files import replacing
from commensurate.report.style import our_style
from commensurate.report.svg.element import element

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PNG_DPI = 200
# no date, and no creator either: the version of matplotlib would make files differ that show the same
NO_METADATA: dict[str, str | None] = {"Date": None, "Creator": None, "Format": None, "Type": None}


def save_figure(figure: Figure, stem: Path, origin: str = "") -> None:
    """Write ``stem``.svg and ``stem``.png, each whole or not at all; ``origin`` says inside both what they rest on."""
    png = io.BytesIO()
    with our_style():
        figure.savefig(png, format="png", dpi=PNG_DPI, metadata={"Software": None, "Description": origin})
    # not with_suffix: a stem such as "credit-0.01" has a dot of its own
    for suffix, content in ((".svg", _drawn(figure, origin).encode()), (".png", png.getvalue())):
        with replacing(stem.with_name(stem.name + suffix)) as file:
            file.write(content)


def svg_of(figure: Figure, title: str | None = None) -> Markup:
    """Return the figure as an ``<svg>`` element to put into an HTML page.

    Its text alternative is ``title``, or else the figure's own label. Ids are made unique by a digest of the content,
    and nothing in the element touches the page around it.

    >>> from matplotlib.figure import Figure
    >>> svg = svg_of(Figure(), title="An empty sheet")
    >>> svg.startswith("<svg "), ">An empty sheet</title>" in svg
    (True, True)
    """
    drawn = _drawn(figure)
    words = title if title is not None else str(figure.get_label())
    found = re.search(
        r'<svg\b[^>]*? width="([0-9.]+pt)"[^>]*? viewBox="([^"]*)"[^>]*>(.*)</svg>', drawn, flags=re.DOTALL
    )
    assert found is not None, "matplotlib writes one svg element with width and viewBox"
    width, view, body = found.groups()
    prefix = hashlib.sha256((drawn + words).encode()).hexdigest()[:8]
    return element(
        "svg",
        element("title", words, id=f"t{prefix}"),
        # matplotlib has escaped what it wrote
        Markup(_own_ids(_without_style(body), prefix)),
        viewBox=view,
        role="img",
        aria_labelledby=f"t{prefix}",
        # matplotlib asks for round joins by a rule for "*", which would hold for the whole page
        style=f"max-width:{width};stroke-linejoin:round;stroke-linecap:butt",
    )


def _drawn(figure: Figure, origin: str = "") -> str:
    text = io.StringIO()
    # text stays text, and the reader's browser has the letters that matplotlib's font lacks
    with our_style(), warnings.catch_warnings(action="ignore", category=UserWarning):
        figure.savefig(text, format="svg", metadata=NO_METADATA | ({"Description": origin} if origin else {}))
    return text.getvalue()


def _without_style(body: str) -> str:
    return re.sub(r"<style\b.*?</style>", "", body, flags=re.DOTALL)


def _own_ids(body: str, prefix: str) -> str:
    """Keep the ids that something refers to, under a name of their own; drop the others."""
    referred = set(re.findall(r'(?:href="|url\()#([^")]+)', body))

    def renamed(match: re.Match[str]) -> str:
        return f' id="{prefix}-{match[1]}"' if match[1] in referred else ""

    def in_tag(match: re.Match[str]) -> str:
        tag = re.sub(r'\sid="([^"]*)"', renamed, match[0])
        return re.sub(r'(href="|url\()#', rf"\g<1>#{prefix}-", tag)

    # in tags only: what stands between them is text, and may look like anything
    return re.sub(r"<[^>]*>", in_tag, body)
