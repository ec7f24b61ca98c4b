"""Where experts reach a study's page: checked before a link is made of it."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from commensurate.errors import InvalidParameter

DEFAULT_URL = "http://127.0.0.1:8765"
# a name or an IPv4 address, or an IPv6 address in brackets
HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?\.?|\[[0-9a-f:.]+\]")


def checked_url(text: str) -> str:
    """Return the address of a server without a slash at its end, or say what is wrong with it.

    >>> checked_url("https://Study.example.org/")
    'https://study.example.org'
    >>> checked_url("study.example.org")
    Traceback (most recent call last):
    commensurate.errors.InvalidParameter: a URL such as https://study.example.org was expected, got one that does not begin with http:// or https://
    """
    # what is wrong is told without repeating it: there may be a password or a token in it
    if fault := _fault(text):
        raise InvalidParameter(f"a URL such as https://study.example.org was expected, got one {fault}")
    return text.lower().removesuffix("/")


def _fault(text: str) -> str | None:
    # urlsplit would drop some of these silently, and a browser would take a backslash for a slash
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        return "with blanks, backslashes or characters beyond ASCII; write such a name with xn--"
    try:
        parts = urlsplit(text.lower())
        port = parts.port
    except ValueError:
        return "with a host or port that cannot be"
    return _fault_of_parts(parts, port, text)


def _fault_of_parts(parts: SplitResult, port: int | None, text: str) -> str | None:
    host = parts.netloc.removesuffix(f":{port}")
    if not text.lower().startswith(("http://", "https://")):
        return "that does not begin with http:// or https://"
    if "@" in parts.netloc:
        return "with a user or password; leave it out"
    if parts.path not in ("", "/"):
        return "with a path; the page is at the top of its server"
    if "?" in text or "#" in text:
        return "with a ? or #; leave out what follows"
    if not HOST.fullmatch(host) or port == 0:
        return "with a host or port that cannot be"
    return None
