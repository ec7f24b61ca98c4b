"""Where a study is: a file, or a database on a server; shown without any password."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from commensurate.errors import InvalidParameter

DRIVERS = {"postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}


@dataclass(frozen=True, slots=True, repr=False)
class Location:
    """A file, or the address of a database on a server; just one of them."""

    file: Path | None = None
    url: URL | None = None

    @classmethod
    def of(cls, place: str | os.PathLike[str]) -> Location:
        """Read what a user named: a path, or a URL such as postgresql://user@host/database.

        >>> str(Location.of("postgresql://ana:secret@host/people"))
        'postgresql://ana@host/people'
        >>> str(Location.of("people.db"))
        'people.db'
        """
        text = os.fspath(place)
        if isinstance(place, str) and _looks_like_a_url(text):
            return cls(url=_server_url(text))
        return cls(file=Path(text))

    def __str__(self) -> str:
        if self.url is None:
            return str(self.file)
        # options such as ?password= may hold secrets too
        scheme = self.url.get_backend_name()
        return URL.create(
            scheme, username=self.url.username, host=self.url.host, port=self.url.port, database=self.url.database
        ).render_as_string(hide_password=True)

    __repr__ = __str__


def _looks_like_a_url(text: str) -> bool:
    """Tell a URL from a path; a slip in one must not become the name of a file, which is shown."""
    almost = text.startswith("postgres") and (":" in text or "@" in text)
    return "://" in text or almost or "password=" in text


def _server_url(text: str) -> URL:
    scheme = text.partition("://")[0] if "://" in text else "postgresql"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # the text itself may hold a password, so it is not repeated
        raise InvalidParameter(
            f"this is not a database URL: {scheme}://…; expected postgresql://user:password@host:port/database"
        ) from None
    if url.get_backend_name() not in DRIVERS:
        raise InvalidParameter(
            f"a study is a file or a PostgreSQL database, got a URL with {scheme}://; for a file, pass its path"
        )
    if "@" in f"{url.host}{url.database}":
        raise InvalidParameter("write an @ in the user name or password of a database URL as %40")
    return url.set(drivername=DRIVERS[url.get_backend_name()])
