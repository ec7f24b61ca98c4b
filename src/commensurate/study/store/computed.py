"""Keeping what was computed from the answers: looks of the stopping rule, and the latest figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from commensurate.study.store.content import read_json
from commensurate.study.store.tables import looks, snapshots


def read_looks(connection: Connection) -> dict[int, Mapping[str, Any]]:
    """Return what each look at the stopping rule found, by the number of answers it was taken after."""
    rows = connection.execute(select(looks.c.n_answers, looks.c.result).order_by(looks.c.n_answers))
    return {row.n_answers: read_json(row.result) for row in rows}


def keep_look(connection: Connection, n_answers: int, result: Mapping[str, Any], now: str) -> None:
    """Keep a look, unless somebody else has taken it meanwhile: the first counts."""
    if n_answers not in read_looks(connection):
        connection.execute(insert(looks).values(n_answers=n_answers, looked_at=now, result=json.dumps(result)))


def read_snapshot(connection: Connection, last_answer: int) -> Mapping[str, Any] | None:
    """Return what was computed from the answers up to this one."""
    text = connection.execute(select(snapshots.c.result).where(snapshots.c.last_answer == last_answer)).scalar()
    return None if text is None else read_json(text)


def keep_snapshot(connection: Connection, last_answer: int, result: Mapping[str, Any], now: str) -> None:
    """Keep what was computed from the answers up to this one; earlier figures are of no more use."""
    connection.execute(delete(snapshots).where(snapshots.c.last_answer <= last_answer))
    connection.execute(insert(snapshots).values(last_answer=last_answer, made_at=now, result=json.dumps(result)))
