"""Small stand-ins for the public tables, and an OpenML that needs no network."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from urllib.error import URLError

import pandas as pd
import pytest

from commensurate.datasets import adult, credit_card_default, give_me_some_credit
from commensurate.datasets.canonical import canonical_table, content_digest
from commensurate.datasets.public_table import PublicTable

PLACES = {
    "adult": (adult, "ADULT"),
    "credit-card-default": (credit_card_default, "CREDIT_CARD_DEFAULT"),
    "give-me-some-credit": (give_me_some_credit, "GIVE_ME_SOME_CREDIT"),
}


def published(public: PublicTable, table: pd.DataFrame) -> PublicTable:
    """Return the description of ``public`` as if ``table`` were its published content."""
    digest = content_digest(canonical_table(table, public, "a test"))
    return dataclasses.replace(public, digest=digest, n_rows=len(table))


@pytest.fixture
def publish(monkeypatch, tmp_path) -> Callable[[str, pd.DataFrame], None]:
    """Make a small table the published content of a loader, and put its file into the test's folder."""

    def put(name: str, table: pd.DataFrame) -> None:
        module, constant = PLACES[name]
        monkeypatch.setattr(module, constant, published(getattr(module, constant), table))
        table.to_csv(tmp_path / f"{name}.csv.gz", index=False)

    return put


@pytest.fixture
def nowhere(monkeypatch) -> None:
    """No folder is named by the environment, and there is no network."""

    def unreachable(**_):
        raise URLError("no network")

    monkeypatch.delenv("COMMENSURATE_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)


@pytest.fixture
def openml(nowhere, monkeypatch) -> Callable[[pd.DataFrame], list[dict[str, object]]]:
    """Let OpenML return a frame, and tell how it was asked."""

    def holds(frame: pd.DataFrame) -> list[dict[str, object]]:
        asked: list[dict[str, object]] = []

        def fetch_openml(**how):
            asked.append(how)
            return SimpleNamespace(frame=frame)

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
        return asked

    return holds
