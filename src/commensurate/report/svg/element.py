"""How every picture writes its elements: what a picture shows is escaped here, and nowhere else.

Pictures are drawn in Python, not by templates: nearly all that is in them are computed places, which a template would
only hand on one by one.
"""

from __future__ import annotations

from markupsafe import Markup, escape


def element(tag: str, *content: str, **attributes: str | float) -> Markup:
    """Return an element of SVG; content that is not markup yet is text.

    An underscore in the name of an attribute is a hyphen, and ``class_`` is ``class``.
    Numbers are rounded to a tenth of a pixel.

    >>> print(element("text", "a < b", class_="name", x=12.0, y=3.14159, text_anchor="end"))
    <text class="name" x="12" y="3.1" text-anchor="end">a &lt; b</text>
    >>> print(element("g", element("circle", r=2.6)))
    <g><circle r="2.6"/></g>
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_attribute(value)}"' for name, value in attributes.items()
    )
    # only this makes markup of text: all that is not ours to write has been escaped
    return Markup(f"<{tag}{written}>{joined(*content)}</{tag}>" if content else f"<{tag}{written}/>")


def joined(*parts: str) -> Markup:
    """Return parts one after the other; those that are not markup yet are text.

    >>> print(joined(element("circle", r=2.6), "<"))
    <circle r="2.6"/>&lt;
    """
    return Markup().join(parts)


def _attribute(value: str | float) -> Markup:
    return escape(value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0"))
