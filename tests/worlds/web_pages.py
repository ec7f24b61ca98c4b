"""Studies, clients and real servers for tests of the pages."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from httpx2 import Response
from starlette.testclient import TestClient

from commensurate.study.invitations import invite
from commensurate.study.study import Study

JOBS = ("cook", "nurse", "welder", "teacher")


def applicants(n: int = 160, seed: int = 3) -> pd.DataFrame:
    """Return a table of people as a lender has them, in two groups."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "married": np.where(np.arange(n) % 2, "married", "single"),
            "age": rng.integers(20, 70, n),
            "income": (rng.lognormal(10.3, 0.5, n)).round(-2).astype(int),
            "job": rng.choice(JOBS, n),
            "degree": rng.choice([1, 2, 3], n),
            "note": [f"came in person, {k} years at this address" for k in rng.integers(0, 30, n)],
        },
        index=[f"p{k:03d}" for k in range(n)],
    )


def page_study(place: str | Path, **options: Any) -> Study:
    """Make a study of applicants with 60 questions."""
    chosen = {
        "title": "Loans: who is alike?",
        "questions": 60,
        "repeats": 0.0,
        "second_answers": 0.0,
        "answer_kind": "numbers",
        # on such a scale, what is typed is what is stored
        "scale_end": 100.0,
        "seed": 5,
        "features": ["age", "income", "degree"],
        "show": ["age", "income", "job", "degree", "note"],
        "labels": {"degree": {1: "school", 2: "bachelor", 3: "master"}},
        "learner": "gp",
        **options,
    }
    return Study.create(place, applicants(), group="married", **chosen)


class ExpertClient:
    """An expert who reads pages and sends forms, without a browser; their client follows no redirect unless told to."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.client = client
        self.entered = client.get(f"/enter/{token}", follow_redirects=False)

    def question(self) -> Response:
        """Open the next question."""
        return self._patiently(lambda: self.client.get("/question"))

    def send(self, page: Response, *, to: str = "", json: bool = False, **fields: str) -> Response:
        """Fill in the form of a page and send it."""
        headers = {"Accept": "application/json"} if json else {}
        form = {**form_of(page), **fields}
        return self._patiently(
            lambda: self.client.post(page.url.path + to, data=form, headers=headers, follow_redirects=False)
        )

    def answer(self, number: str, **fields: str) -> Response:
        """Answer the next question with a number, as typed."""
        return self.send(self.question(), choice="number", number=number, **fields)

    @staticmethod
    def _patiently(request: Callable[[], Response]) -> Response:
        """Wait when told to: on a quick machine many answers in a row are more than an expert may send."""
        while (response := request()).status_code == 429:
            time.sleep(float(response.headers["retry-after"]))
        return response


def form_of(page: Response) -> dict[str, str]:
    """Return the fields of the form that answers a question, as a browser would send them untouched."""
    fields = {}
    form = page.text[page.text.index('<form id="answer"') :]
    for tag in re.findall(r"<input[^>]*>", form):
        attributes = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if "name" in attributes and attributes.get("type") != "checkbox":
            fields[attributes["name"]] = unescape(attributes.get("value", ""))
    comment = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", form, re.DOTALL)
    fields["comment"] = unescape(comment.group(1)) if comment else ""
    return fields


@dataclass(frozen=True)
class Served:
    """A study that is served by a process of its own."""

    place: str
    url: str
    owner_link: str
    pid: int

    def link(self, expert: str) -> str:
        """Invite an expert and return their link."""
        with Study(self.place) as study:
            return f"{self.url}/enter/{invite(study, expert)}"

    def answers(self, *, history: bool = False) -> pd.DataFrame:
        """Return what is in the study."""
        with Study(self.place) as study:
            return study.answers(history=history)


@contextmanager
def served(place: str | Path, *options: str, environment: Mapping[str, str] | None = None) -> Iterator[Served]:
    """Run ``commensurate study serve`` on a free port until the block ends."""
    command = [sys.executable, "-m", "commensurate", "study", "serve", str(place), "--port", "0", "--json", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **(environment or {})},
        # background processes of a shell ignore Ctrl-C otherwise
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        assert line, process.stderr.read()
        said = json.loads(line)
        yield Served(str(place), said["url"], said["owner_link"], process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
